import fs from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { SILENT } from '../../../src/store/log.ts'
import { Lookout, type LookoutOptions } from '../../../src/store/view/lookout.ts'
import { MemoryHead } from '../memory-head.ts'

const HEAD = { 'web/project.json': 'project', 'web/locales/en/common.json': 'common' }
const COMMON = 'web/locales/en/common.json'

function open(t: Test, options: Partial<LookoutOptions> & { root?: string } = {}) {
  const root = options.root ?? t.testdir({})
  const save = (path: string, text: string) => {
    fs.mkdirSync(dirname(join(root, path)), { recursive: true })
    fs.writeFileSync(join(root, path), text)
  }
  if (!options.root) for (const [path, text] of Object.entries(HEAD)) save(path, text)
  const gitDir = join(root, '.git')
  const head = new MemoryHead(gitDir, HEAD)
  head.seal()
  const judged: string[] = []
  let compared = 0
  const lookout = new Lookout({
    root,
    gitDir,
    log: SILENT,
    watch: false,
    snapshot: head.snapshot,
    still: async paths => void judged.push(...paths),
    own: () => false,
    differing: () => [],
    compared: () => void compared++,
    ...options,
  })
  t.teardown(() => lookout.close())
  return { root, save, judged, lookout, at: (path: string) => join(root, path), compared: () => compared }
}

async function until(t: Test, what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 20_000 && !holds(); waited += 25) await new Promise(resolve => setTimeout(resolve, 25))
  t.ok(holds(), what)
}

t.test('the first scan finds what differs, a later one what has changed since', async t => {
  const { save, judged, lookout, compared } = open(t)
  save(COMMON, 'edited')
  lookout.start(await lookout.marker())
  await lookout.quiet()
  t.same(judged, [COMMON])
  t.equal(compared(), 1)
  judged.length = 0
  save('web/locales/de/common.json', 'new')
  await lookout.scan()
  t.ok(judged.includes('web/locales/de/common.json'))
  t.equal(compared(), 2)
})

t.test('a next start looks only into what was changed since, and what differed then', async t => {
  const first = open(t, { differing: () => ['web/locales/en/broken.json'] })
  first.lookout.start(await first.lookout.marker())
  await first.lookout.quiet()
  await first.lookout.close()
  const scanned = join(first.root, '.git', 'parlance', 'scanned')
  const marker = JSON.parse(fs.readFileSync(scanned, 'utf8'))
  t.same(marker.problems, ['web/locales/en/broken.json'])
  first.save(COMMON, 'edited')
  // As if the scan had been after it: the edit counts as seen.
  const at = fs.lstatSync(first.at(COMMON)).ctimeMs
  fs.writeFileSync(scanned, JSON.stringify({ ...marker, at }))
  const second = open(t, { root: first.root })
  second.lookout.start(await second.lookout.marker())
  await second.lookout.quiet()
  t.same(second.judged, ['web/locales/en/broken.json'])
  await second.lookout.close()

  fs.writeFileSync(scanned, JSON.stringify({ ...marker, at: at + 3_600_000 }))
  const future = open(t, { root: first.root })
  future.lookout.start(await future.lookout.marker())
  await future.lookout.quiet()
  t.ok(future.judged.includes(COMMON), 'nor does one from before the clock was put back')
  await future.lookout.close()

  fs.writeFileSync(scanned, JSON.stringify({ ...marker, at, revision: null }))
  const third = open(t, { root: first.root })
  third.lookout.start(await third.lookout.marker())
  await third.lookout.quiet()
  t.ok(third.judged.includes(COMMON), 'a marker of another revision says nothing')
})

t.test('what could not be followed up is not marked as seen', async t => {
  const { root, lookout } = open(t, {
    still: async () => lookout.miss(),
    differing: () => [COMMON],
  })
  lookout.start(undefined)
  await lookout.quiet()
  await lookout.close()
  t.notOk(fs.existsSync(join(root, '.git', 'parlance', 'scanned')))
})

t.test('watching hears of files and of folders, dozens at once, without a warning of the process', async t => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  t.teardown(() => process.off('warning', listen))
  const { save, judged, lookout } = open(t, { watch: true, scanSeconds: 3600 })
  lookout.start(undefined)
  await lookout.quiet()
  judged.length = 0
  let looks = 0
  await until(t, 'a file is heard of', () => {
    // Watching begins a moment after it was asked for; in between the file must come to rest.
    if (looks++ % 20 === 0) save(COMMON, `${looks}`)
    return judged.includes(COMMON)
  })
  const languages = Array.from({ length: 40 }, (_, i) => `a${String.fromCharCode(97 + (i % 26))}-x${i}`)
  const paths = languages.map(language => `web/locales/${language}/common.json`)
  for (const path of paths) save(path, 'new')
  await until(t, 'all new folders are looked into', () => paths.every(path => judged.includes(path)))
  await lookout.quiet()
  t.same(warnings, [])
})

t.test('what watching does not hear of is found by the periodic scan', async t => {
  const { save, judged, lookout, at } = open(t, { watch: true, scanSeconds: 0.05 })
  lookout.start(undefined)
  await lookout.quiet()
  fs.mkdirSync(at('.hidden'))
  fs.writeFileSync(at('.hidden/common.json'), 'made where nobody listens')
  fs.renameSync(at('.hidden/common.json'), at(COMMON))
  save('notes.txt', 'nothing of ours')
  await until(t, 'it is judged', () => judged.includes(COMMON))
  t.notOk(judged.some(path => path.includes('hidden') || path.includes('notes')))
})

t.test('closing in the middle of everything: nothing is judged afterwards', async t => {
  const { save, judged, lookout } = open(t, { watch: true, scanSeconds: 0.01 })
  lookout.start(undefined)
  for (let i = 0; i < 50; i++) save(`web/locales/en/ns${i}.json`, 'new')
  lookout.lookInto('web')
  lookout.notice(COMMON)
  await lookout.close()
  const count = judged.length
  lookout.notice(COMMON)
  lookout.lookInto('web')
  save(COMMON, 'late')
  await new Promise(resolve => setTimeout(resolve, 300))
  t.equal(judged.length, count)
  await lookout.quiet()
})
