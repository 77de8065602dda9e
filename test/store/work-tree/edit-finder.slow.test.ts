import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Background } from '../../../src/scheduling/background.ts'
import { SILENT } from '../../../src/store/log.ts'
import { EditFinder, type EditFinderOptions } from '../../../src/store/work-tree/edit-finder.ts'
import { stampNow } from '../../../src/store/work-tree/plain-file.ts'
import { MemoryHead } from '../memory-head.ts'

const HEAD = { 'web/project.json': 'project', 'web/locales/en/common.json': 'common' }
const COMMON = 'web/locales/en/common.json'

interface Given extends Partial<EditFinderOptions> {
  problems?: string[]
  isOwn?: EditFinderOptions['written']['isOwn']
}

function open(t: Test, { problems = [], isOwn = () => false, ...options }: Given = {}) {
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
  const background = new Background(SILENT)
  const finder = new EditFinder({
    root,
    gitDir,
    log: SILENT,
    background,
    restMs: 60,
    watch: false,
    snapshot: head.snapshot,
    found: async paths => void judged.push(...paths),
    written: { isOwn, problems: () => problems.map(path => ({ path, error: 'x' })), compared: () => void compared++ },
    ...options,
  })
  t.teardown(() => finder.close())
  return { root, save, judged, finder, background, at: (path: string) => join(root, path), compared: () => compared }
}

async function until(t: Test, what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < 20_000 && !holds(); waited += 25) await new Promise(resolve => setTimeout(resolve, 25))
  t.ok(holds(), what)
}

t.test('the first scan finds what differs, a later one what has changed since', async t => {
  const { save, judged, finder, compared } = open(t)
  save(COMMON, 'edited')
  finder.start(await finder.marker())
  await finder.quiet()
  t.same(judged, [COMMON])
  t.equal(compared(), 1)
  judged.length = 0
  save('web/locales/de/common.json', 'new')
  await finder.scan()
  t.ok(judged.includes('web/locales/de/common.json'))
  t.equal(compared(), 2)
})

t.test('a next start looks only into what was changed since, and what differed then', async t => {
  const first = open(t, { problems: ['web/locales/en/broken.json'] })
  first.finder.start(await first.finder.marker())
  await first.finder.quiet()
  await first.finder.close()
  const scanned = join(first.root, '.git', 'parlance', 'scanned')
  const marker = JSON.parse(fs.readFileSync(scanned, 'utf8'))
  t.same(marker.problems, ['web/locales/en/broken.json'])
  first.save(COMMON, 'edited')
  // As if the scan had been after it: the edit counts as seen.
  const at = fs.lstatSync(first.at(COMMON)).ctimeMs
  fs.writeFileSync(scanned, JSON.stringify({ ...marker, at }))
  const second = open(t, { root: first.root })
  second.finder.start(await second.finder.marker())
  await second.finder.quiet()
  t.same(second.judged, ['web/locales/en/broken.json'])
  await second.finder.close()

  fs.writeFileSync(scanned, JSON.stringify({ ...marker, at: at + 3_600_000 }))
  const future = open(t, { root: first.root })
  future.finder.start(await future.finder.marker())
  await future.finder.quiet()
  t.ok(future.judged.includes(COMMON), 'nor does one from before the clock was put back')
  await future.finder.close()

  fs.writeFileSync(scanned, JSON.stringify({ ...marker, at, revision: null }))
  const third = open(t, { root: first.root })
  third.finder.start(await third.finder.marker())
  await third.finder.quiet()
  t.ok(third.judged.includes(COMMON), 'a marker of another revision says nothing')
})

t.test('an edit right after ours, before the watching of that folder starts', async t => {
  const { save, judged, finder, at } = open(t, { watch: true, scanSeconds: 3600 })
  fs.mkdirSync(at('web/locales/de'))
  finder.start(await finder.marker())
  await pause(2000)
  await finder.quiet()
  finder.attend('web/locales/de')
  save('web/locales/de/theirs.json', 'theirs')
  await until(t, 'it is found without a scan', () => judged.includes('web/locales/de/theirs.json'))
})

t.test('a folder that changes while it is searched is searched again', async t => {
  const broken = 'web/locales/de/broken.json'
  const problems: string[] = []
  const head = new MemoryHead('', HEAD)
  const { judged, finder } = open(t, { problems, snapshot: () => renamed() ?? head.snapshot() })
  /** The file is refused and its folder renamed once the look at the refused files is over. */
  let renamed = (): undefined => {
    renamed = () => undefined
    problems.push(broken)
    finder.lookInto('web/locales/de')
  }
  finder.lookInto('web/locales/de')
  await until(t, 'the refused file is looked at', () => judged.includes(broken))
})

t.test('what could not be followed up is not marked as seen', async t => {
  const { root, finder } = open(t, {
    found: async () => {
      throw new Error('the repository is damaged')
    },
    problems: [COMMON],
  })
  finder.start(undefined)
  await finder.quiet()
  await finder.close()
  t.notOk(fs.existsSync(join(root, '.git', 'parlance', 'scanned')))
})

t.test('watching hears of files and of folders, dozens at once, without a warning of the process', async t => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  t.teardown(() => process.off('warning', listen))
  const { save, judged, finder } = open(t, { watch: true, scanSeconds: 3600 })
  finder.start(undefined)
  await finder.quiet()
  judged.length = 0
  let looks = 0
  await until(t, 'a file is heard of', () => {
    // Watching begins a moment after it was asked for; in between the file must rest.
    if (looks++ % 20 === 0) save(COMMON, `${looks}`)
    return judged.includes(COMMON)
  })
  const languages = Array.from({ length: 40 }, (_, i) => `a${String.fromCharCode(97 + (i % 26))}-x${i}`)
  const paths = languages.map(language => `web/locales/${language}/common.json`)
  for (const path of paths) save(path, 'new')
  await until(t, 'all new folders are looked into', () => paths.every(path => judged.includes(path)))
  await finder.quiet()
  t.same(warnings, [])
})

t.test('a folder that was empty at first is watched, too', async t => {
  const { save, judged, finder, at } = open(t, { watch: true, scanSeconds: 3600 })
  finder.start(undefined)
  await finder.quiet()
  for (const folder of ['app/locales/en', 'web/locales/de']) fs.mkdirSync(at(folder), { recursive: true })
  await pause(500)
  await finder.quiet()
  for (const path of ['app/project.json', 'app/locales/en/common.json', 'web/locales/de/common.json']) {
    save(path, 'new')
    await until(t, path, () => judged.includes(path))
  }
})

t.test('what watching does not hear of is found by the periodic scan', async t => {
  const { save, judged, finder, at } = open(t, { watch: true, scanSeconds: 0.05 })
  finder.start(undefined)
  await finder.quiet()
  fs.mkdirSync(at('.hidden'))
  fs.writeFileSync(at('.hidden/common.json'), 'written where no watch is')
  fs.renameSync(at('.hidden/common.json'), at(COMMON))
  save('notes.txt', 'nothing of ours')
  await until(t, 'it is judged', () => judged.includes(COMMON))
  t.notOk(judged.some(path => path.includes('hidden') || path.includes('notes')))
})

t.test('closing in the middle of everything: nothing is judged afterwards', async t => {
  const { save, judged, finder } = open(t, { watch: true, scanSeconds: 0.01 })
  finder.start(undefined)
  for (let i = 0; i < 50; i++) save(`web/locales/en/ns${i}.json`, 'new')
  finder.lookInto('web')
  finder.notice(COMMON)
  await finder.close()
  const count = judged.length
  finder.notice(COMMON)
  finder.lookInto('web')
  save(COMMON, 'late')
  await new Promise(resolve => setTimeout(resolve, 300))
  t.equal(judged.length, count)
  await finder.quiet()
})

t.test('files at rest come in one batch, each once', async t => {
  const batches: string[][] = []
  const { finder } = open(t, { found: async paths => void batches.push(paths), restMs: 300 })
  for (const path of [COMMON, 'web/project.json', COMMON]) finder.notice(path)
  await finder.quiet()
  t.same(batches, [[COMMON, 'web/project.json']])
})

t.test('a file at rest waits for another one of its project', async t => {
  const batches: string[][] = []
  const { at, save, finder } = open(t, { found: async paths => void batches.push(paths), restMs: 300 })
  const de = 'web/locales/de/common.json'
  save(de, 'a translation')
  let written = 0
  const writing = setInterval(() => fs.appendFileSync(at(COMMON), `${written++}`), 5)
  t.teardown(() => clearInterval(writing))
  finder.notice(de)
  finder.notice(COMMON)
  await until(t, 'its source changes for longer than a file rests', () => written > 100)
  clearInterval(writing)
  await finder.quiet()
  t.strictSame(batches, [[de, COMMON]])
})

t.test('a file that never rests is not judged, and holds up no other', async t => {
  const { at, judged, finder } = open(t)
  let written = 0
  const writing = setInterval(() => fs.appendFileSync(at(COMMON), `${written++}`), 5)
  t.teardown(() => clearInterval(writing))
  finder.notice(COMMON)
  finder.notice('web/project.json')
  await until(t, 'the other one is judged', () => judged.length > 0)
  await until(t, 'and a while goes by', () => written > 100)
  t.same(judged, ['web/project.json'])
  clearInterval(writing)
  await finder.quiet()
  t.same(judged, ['web/project.json', COMMON])
})

t.test('a file that is renamed away and comes back is seen as it is then', async t => {
  const { at, save, judged, finder } = open(t, { restMs: 300 })
  fs.renameSync(at(COMMON), at('backup'))
  finder.notice(COMMON)
  await pause(150)
  t.same(judged, [])
  save(COMMON, 'new')
  await finder.quiet()
  t.same(judged, [COMMON])
})

t.test('a project file that stays away is judged last', async t => {
  const { at, judged, finder } = open(t)
  fs.unlinkSync(at('web/project.json'))
  const paths = ['web/project.json', 'web/locales/en/gone.json', COMMON]
  for (const path of paths) finder.notice(path)
  await finder.quiet()
  t.equal(judged.at(-1), 'web/project.json')
  t.equal(judged.length, 3)
  for (const path of paths) finder.notice(path)
  await pause(70)
  // As on a machine with much else to do: what is looked at next is all at rest.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  await finder.quiet()
  t.strictSame(judged.slice(3).sort(), [...paths].sort())
  t.equal(judged.at(-1), 'web/project.json', 'however late')
})

t.test('our own writing is not looked at again, until someone else touches it', async t => {
  const stamps = new Set<string>()
  const { root, save, judged, finder } = open(t, { isOwn: (_path, stamp) => stamps.has(stamp) })
  stamps.add(stampNow(root, COMMON))
  finder.notice(COMMON)
  await finder.quiet()
  t.same(judged, [])
  save(COMMON, 'theirs')
  finder.notice(COMMON)
  await finder.quiet()
  t.same(judged, [COMMON])
})

t.test('what cannot be judged is logged, tried again, and holds up nothing else', async t => {
  let broken = true
  const judged: string[] = []
  const { background, save, finder } = open(t, {
    found: async paths => {
      if (broken && paths.includes(COMMON)) throw new Error('damaged')
      judged.push(...paths)
    },
  })
  save('web/locales/en/home.json', '{}')
  finder.notice(COMMON)
  finder.notice('web/locales/en/home.json')
  await until(t, 'the other one is judged', () => judged.includes('web/locales/en/home.json'))
  t.match(background.problems(), [{ name: 'committing external edits' }])
  broken = false
  await until(t, 'it is, too, when it can be', () => judged.includes(COMMON))
  await until(t, 'and the problem is gone', () => background.problems().length === 0)
})

t.test('closing waits for the batch in hand and forgets the rest', async t => {
  let release = () => {}
  const batches: string[][] = []
  const { finder } = open(t, {
    found: paths => {
      batches.push(paths)
      return new Promise(resolve => (release = resolve))
    },
  })
  finder.notice(COMMON)
  await until(t, 'a batch is in hand', () => batches.length > 0)
  finder.notice('web/project.json')
  let closed = false
  const closing = finder.close().then(() => (closed = true))
  await pause(20)
  t.equal(closed, false)
  release()
  await closing
  t.same(batches, [[COMMON]])
})
