import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { stampNow } from '../../../src/store/view/plain-file.ts'
import { Stillness } from '../../../src/store/view/stillness.ts'

const BUNDLE = 'common.json'

function open(t: Test, options: { own?: (path: string, stamp: string) => boolean; still?: () => Promise<void> } = {}) {
  const root = t.testdir({ [BUNDLE]: '{}', 'home.json': '{}' })
  const batches: string[][] = []
  const stillness = new Stillness(
    root,
    async paths => {
      batches.push(paths)
      await options.still?.()
    },
    options.own ?? (() => false),
  )
  t.teardown(() => stillness.close())
  return { root, batches, stillness }
}

t.test('files at rest come in one batch, each once', async t => {
  const { batches, stillness } = open(t)
  for (const path of [BUNDLE, 'home.json', BUNDLE]) t.equal(stillness.add(path), true)
  t.equal(stillness.busy, true)
  await stillness.empty()
  t.same(batches, [[BUNDLE, 'home.json']])
  t.equal(stillness.busy, false)
})

t.test('a file that never comes to rest is not judged, and holds up no other', async t => {
  const { root, batches, stillness } = open(t)
  let written = 0
  const writing = setInterval(() => fs.appendFileSync(join(root, BUNDLE), `${written++}`), 5)
  t.teardown(() => clearInterval(writing))
  stillness.add(BUNDLE)
  stillness.add('home.json')
  while (written < 100) await wait(5)
  t.same(batches, [['home.json']])
  clearInterval(writing)
  await stillness.empty()
  t.same(batches, [['home.json'], [BUNDLE]])
})

t.test('a file that is renamed away and comes back is seen as it is then', async t => {
  const { root, batches, stillness } = open(t)
  fs.renameSync(join(root, BUNDLE), join(root, 'backup'))
  stillness.add(BUNDLE)
  // Longer than a file that is there must rest, shorter than one that is gone.
  await wait(150)
  t.same(batches, [])
  fs.writeFileSync(join(root, BUNDLE), '{"a":"b"}')
  await stillness.empty()
  t.same(batches, [[BUNDLE]])
})

t.test('a file that stays away is judged later than one that is there, a project file last', async t => {
  const { batches, stillness } = open(t)
  for (const path of ['web/project.json', 'web/locales/en/gone.json', BUNDLE]) stillness.add(path)
  await stillness.empty()
  t.same(batches, [[BUNDLE], ['web/locales/en/gone.json'], ['web/project.json']])
})

t.test('our own writing is not looked at again, until someone else touches it', async t => {
  const stamps = new Set<string>()
  const { root, batches, stillness } = open(t, { own: (_path, stamp) => stamps.has(stamp) })
  stamps.add(stampNow(root, BUNDLE))
  stillness.add(BUNDLE)
  await stillness.empty()
  t.same(batches, [])
  fs.writeFileSync(join(root, BUNDLE), '{"a":"b"}')
  stillness.add(BUNDLE)
  await stillness.empty()
  t.same(batches, [[BUNDLE]])
})

t.test('past its limit it refuses, and takes more when there is room', async t => {
  const { stillness } = open(t)
  let taken = 0
  while (stillness.add(`gone${taken}.json`)) taken++
  t.ok(taken >= 1000 && taken < 100_000, `${taken} files`)
  t.equal(stillness.add('gone0.json'), true, 'one that waits already is no more')
  await stillness.close()
})

t.test('closing waits for the batch in hand and forgets the rest', async t => {
  let release = () => {}
  const { batches, stillness } = open(t, { still: () => new Promise(resolve => (release = resolve)) })
  stillness.add(BUNDLE)
  while (batches.length === 0) await wait(5)
  stillness.add('home.json')
  let closed = false
  const closing = stillness.close().then(() => (closed = true))
  await wait(20)
  t.equal(closed, false)
  release()
  await closing
  t.same(batches, [[BUNDLE]])
  stillness.add('home.json')
  t.equal(stillness.busy, false)
})
