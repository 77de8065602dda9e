import fs from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { blobId } from '../../../src/bundle/canonical.ts'
import { computeHere } from '../../../src/project/offload.ts'
import { Background } from '../../../src/scheduling/background.ts'
import { type Logger, SILENT } from '../../../src/store/log.ts'
import { WorkTree } from '../../../src/store/work-tree/work-tree.ts'
import { random } from '../../random.ts'
import { LossyDisk, record } from '../lossy-disk.ts'
import { MemoryHead } from '../memory-head.ts'

const PROJECT = 'web/project.json'
const COMMON = 'web/locales/en/common.json'
const HOME = 'web/locales/en/home.json'
const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
const WEB = json({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })
const START = { [PROJECT]: WEB, [COMMON]: json({ a: 'one' }), [HOME]: json({ h: 'home' }) }

interface Setup {
  files?: Record<string, string>
  workTree?: string
  known?: Map<string, Set<string>>
  watch?: boolean
}

function viewOf(
  workTree: string,
  { adopt, snapshot }: MemoryHead,
  { log = SILENT as Logger, watch = false } = {},
): WorkTree {
  const own = { log, background: new Background(log), compute: computeHere }
  return new WorkTree({ workTree, gitDir: join(workTree, '.git'), watch, restMs: 60, adopt, snapshot, ...own })
}

async function show(
  t: Test,
  { files = START, workTree = t.testdir({}), known = new Map(), watch = false }: Setup = {},
) {
  const gitDir = join(workTree, '.git')
  const head = new MemoryHead(gitDir, files)
  const warnings: object[] = []
  const log = { info() {}, warn: (data: object) => void warnings.push(data), error() {} }
  const view = viewOf(workTree, head, { log, watch })
  t.teardown(() => view.close())
  head.seal()
  await view.reconcile(known)
  await view.quiet()
  return {
    view,
    head,
    warnings,
    workTree,
    at: (path: string) => join(workTree, path),
    file: (path: string) =>
      fs.existsSync(join(workTree, path)) ? fs.readFileSync(join(workTree, path), 'utf8') : undefined,
    save: (path: string, text: string) => {
      fs.mkdirSync(dirname(join(workTree, path)), { recursive: true })
      fs.writeFileSync(join(workTree, path), text)
    },
    seal: () => view.write(head.seal()),
    problems: () => view.problems().map(({ path }) => path),
  }
}

t.test('a tree that was never shown is written whole', async t => {
  const { file, head, problems } = await show(t)
  for (const [path, text] of Object.entries(START)) t.equal(file(path), text)
  t.equal(head.history.length, 3)
  t.same(problems(), [])
})

t.test('write puts files, creates and removes folders, leaves no temporary file', async t => {
  const { seal, head, file, at, workTree } = await show(t)
  head.commit(COMMON, json({ a: 'two' }))
  head.commit('web/locales/fr/common.json', json({ a: 'un' }))
  head.commit(HOME, null)
  await seal()
  t.equal(file(COMMON), json({ a: 'two' }))
  t.equal(file('web/locales/fr/common.json'), json({ a: 'un' }))
  t.equal(file(HOME), undefined)
  head.commit('web/locales/fr/common.json', null)
  await seal()
  t.notOk(fs.existsSync(at('web/locales/fr')), 'the empty folder is gone')
  t.same(fs.readdirSync(join(workTree, '.git', 'parlance', 'tmp')), [])
})

t.test('write is repeatable', async t => {
  const { view, head, file } = await show(t)
  head.commit(COMMON, json({ a: 'two' }))
  head.commit(HOME, null)
  const changes = head.seal()
  await view.write(changes)
  await view.write(changes)
  t.equal(file(COMMON), json({ a: 'two' }))
  t.equal(head.history.filter(({ outside }) => outside).length, 0)
})

t.test('an edit that has not been heard of is not overwritten, and both versions are in history', async t => {
  const { view, seal, save, head, file } = await show(t)
  save(COMMON, json({ a: 'mine' }))
  head.commit(COMMON, json({ a: 'server' }))
  await seal()
  t.equal(file(COMMON), json({ a: 'mine' }), 'the file of the person stays')
  await view.quiet()
  t.equal(head.text(COMMON), json({ a: 'mine' }))
  t.same(head.history.slice(3), [
    { path: COMMON, text: json({ a: 'server' }), outside: false },
    { path: COMMON, text: json({ a: 'mine' }), outside: true },
  ])
  await seal()
  t.equal(file(COMMON), json({ a: 'mine' }))
})

t.test('a broken edit stays in the file while HEAD moves on, and comes in once it is mended', async t => {
  const { view, seal, save, head, file, problems, warnings } = await show(t)
  save(COMMON, '{ "a": "mine"')
  await view.scan()
  t.same(problems(), [COMMON])
  t.equal(head.text(COMMON), json({ a: 'one' }))
  head.commit(COMMON, json({ a: 'server' }))
  await seal()
  await view.quiet()
  t.equal(file(COMMON), '{ "a": "mine"')
  await view.scan()
  t.equal(warnings.length, 1, 'it is logged once')
  t.notMatch(JSON.stringify(warnings), /mine/, 'without a translation')
  save(COMMON, '{ "a": "mine" }')
  await view.scan()
  t.equal(head.text(COMMON), json({ a: 'mine' }))
  t.equal(file(COMMON), json({ a: 'mine' }))
  t.same(problems(), [])
})

t.test('undoing a broken edit shows what HEAD has become meanwhile', async t => {
  const { view, seal, save, head, file, problems } = await show(t)
  save(COMMON, 'oops')
  await view.scan()
  head.commit(COMMON, json({ a: 'server' }))
  await seal()
  save(COMMON, json({ a: 'one' }))
  await view.scan()
  t.equal(head.text(COMMON), json({ a: 'server' }))
  t.equal(file(COMMON), json({ a: 'server' }))
  t.same(problems(), [])
  t.equal(head.history.filter(({ outside }) => outside).length, 0)
})

t.test('a file that was only reformatted is rewritten without a commit', async t => {
  const { view, save, head, file } = await show(t)
  save(COMMON, '\uFEFF{"a":"one"}')
  await view.scan()
  t.equal(file(COMMON), json({ a: 'one' }))
  t.equal(head.history.length, 3)
})

t.test('a removed file is a removed bundle, unless HEAD has moved on', async t => {
  const { view, seal, head, file, at } = await show(t)
  fs.unlinkSync(at(COMMON))
  fs.unlinkSync(at(HOME))
  head.commit(HOME, json({ h: 'newer' }))
  await view.scan()
  t.equal(head.text(COMMON), undefined)
  t.equal(head.text(HOME), json({ h: 'newer' }))
  t.equal(file(HOME), json({ h: 'newer' }))
  await seal()
  t.equal(file(COMMON), undefined)
})

t.test('a file removed between its edit coming in and the seal of it stays removed', async t => {
  const { view, seal, head, file, at, save } = await show(t)
  save(COMMON, json({ a: 'edited' }))
  await view.scan()
  t.equal(head.text(COMMON), json({ a: 'edited' }))
  fs.unlinkSync(at(COMMON))
  await seal()
  await view.quiet()
  t.equal(file(COMMON), undefined)
  t.equal(head.text(COMMON), undefined)
})

t.test('a file removed while its edit is being committed stays removed, and so does what was edited again', async t => {
  const { view, head, file, save, at, seal } = await show(t)
  const [mine, theirs] = ['web/locales/en/mine.json', 'web/locales/en/theirs.json']
  const seen = new Set<string>()
  head.meanwhile = async changes => {
    for (const { path } of changes) seen.add(path)
    // On a slow machine one is found before the other.
    if (seen.size < 2) return
    head.meanwhile = async () => {}
    fs.rmSync(at(mine))
    save(theirs, '{"a":"again"}')
  }
  save(mine, '{"a":"one"}')
  save(theirs, '{"a":"one"}')
  await view.scan()
  t.equal(head.text(mine), undefined)
  t.equal(file(mine), undefined, 'it does not come back')
  t.equal(head.text(theirs), json({ a: 'again' }))
  t.strictSame(
    head.history.slice(-4).map(({ path, text }) => [path, text]),
    [
      [mine, json({ a: 'one' })],
      [theirs, json({ a: 'one' })],
      [mine, null],
      [theirs, json({ a: 'again' })],
    ],
    'both versions of each are in history',
  )
  await seal()
  t.equal(file(mine), undefined)
  t.equal(file(theirs), json({ a: 'again' }))
})

t.test('a seal that comes after a newer edit does not bring back what was there before', async t => {
  const { view, head, file, at, save } = await show(t)
  fs.unlinkSync(at(COMMON))
  save(HOME, json({ h: 'first' }))
  await view.scan()
  const older = head.seal()
  save(COMMON, json({ a: 'again' }))
  save(HOME, json({ h: 'second' }))
  await view.scan()
  const newer = head.seal()
  await view.write(older)
  t.equal(file(COMMON), json({ a: 'again' }))
  t.equal(file(HOME), json({ h: 'second' }))
  await view.write(newer)
  await view.quiet()
  t.equal(file(COMMON), json({ a: 'again' }))
  t.equal(file(HOME), json({ h: 'second' }))
  t.equal(head.text(HOME), json({ h: 'second' }))
})

t.test('when an edit cannot be committed the file stays, and the next scan tries again', async t => {
  const { view, save, head, file } = await show(t)
  head.broken = true
  save(COMMON, '{"a":"mine"}')
  await view.scan()
  t.equal(head.text(COMMON), json({ a: 'one' }))
  t.equal(file(COMMON), '{"a":"mine"}')
  head.broken = false
  await view.scan()
  t.equal(head.text(COMMON), json({ a: 'mine' }))
})

t.test('a project folder removed is a project removed; its file alone comes back', async t => {
  const { view, head, file, at } = await show(t)
  fs.unlinkSync(at(PROJECT))
  await view.scan()
  t.equal(file(PROJECT), WEB)
  t.equal(head.history.length, 3)
  fs.rmSync(at('web'), { recursive: true })
  await view.scan()
  for (const path of Object.keys(START)) t.equal(head.text(path), undefined)
  t.same(head.history.at(-1), { path: PROJECT, text: null, outside: true }, 'the project goes last')
})

t.test('a moved file that is refused stays in HEAD, and its old file comes back', async t => {
  const strict = json({ checks: { space: 'refuse' }, ...JSON.parse(WEB) })
  const GERMAN = 'web/locales/de/common.json'
  const bad = json({ a: 'eins ' })
  const files = { [PROJECT]: strict, [COMMON]: json({ a: 'one' }), [GERMAN]: bad, 'web/locales/de/home.json': json({}) }
  const { view, head, file, at, problems } = await show(t, { files })
  fs.renameSync(at('web/locales/de'), at('web/locales/fr'))
  await view.scan()
  await view.quiet()
  t.equal(head.text(GERMAN), bad)
  t.equal(file(GERMAN), bad)
  t.equal(head.text('web/locales/fr/common.json'), undefined)
  t.equal(file('web/locales/fr/common.json'), bad)
  t.same(problems(), ['web/locales/fr/common.json'])
  t.equal(head.text('web/locales/fr/home.json'), json({}), 'other files move')
  t.equal(head.text('web/locales/de/home.json'), undefined)
  fs.renameSync(at('web'), at('app'))
  await view.scan()
  await view.quiet()
  t.same(problems(), ['app/locales/de/common.json', 'app/locales/fr/common.json'])
  t.equal(head.text(GERMAN), bad, 'a project moves without it')
  t.equal(head.text(PROJECT), file(PROJECT))
  t.equal(head.text('app/locales/en/common.json'), json({ a: 'one' }))
  t.equal(head.text(COMMON), undefined)
  fs.rmSync(at('app/locales'), { recursive: true })
  fs.rmSync(at('web/locales/de'), { recursive: true })
  await view.scan()
  t.equal(head.text(GERMAN), undefined, 'a removal alone is accepted')
})

t.test('a moved file is judged by a source text that changed as it was moved', async t => {
  const strict = json({ checks: { space: 'refuse' }, ...JSON.parse(WEB) })
  const GERMAN = 'web/locales/de/common.json'
  const files = { [PROJECT]: strict, [COMMON]: json({ a: 'one' }), [GERMAN]: json({ a: 'eins ' }) }
  const { view, head, save, at, problems } = await show(t, { files })
  fs.renameSync(at('web'), at('app'))
  save('app/locales/en/common.json', json({ a: 'two' }))
  await view.scan()
  await view.quiet()
  t.same(problems(), ['app/locales/de/common.json'])
  t.equal(head.text('app/locales/en/common.json'), json({ a: 'two' }))
  t.equal(head.text(GERMAN), json({ a: 'eins ' }))
})

t.test('a language changes its case in the work tree', async t => {
  const { view, save, head, at, problems } = await show(t)
  save('web/locales/de/common.json', json({ a: 'eins' }))
  save('web/locales/de/home.json', json({ h: 'Start' }))
  await view.scan()
  await view.quiet()
  fs.renameSync(at('web/locales/de'), at('web/locales/DE'))
  save('web/locales/DE/home.json', json({ h: 'Anfang' }))
  await view.scan()
  await view.scan()
  t.same(problems(), [])
  t.equal(head.text('web/locales/de/common.json'), undefined)
  t.equal(head.text('web/locales/DE/common.json'), json({ a: 'eins' }))
  t.equal(head.text('web/locales/DE/home.json'), json({ h: 'Anfang' }))
})

t.test('a new project is adopted before its bundles; bundles without one are a problem', async t => {
  const { view, save, head, problems } = await show(t)
  save('app/locales/de/common.json', '{"a":{"b":"c"}}')
  await view.scan()
  t.same(problems(), ['app/locales/de/common.json'])
  save('app/project.json', '{"name":"App","sourceLanguage":"de","defaultFormat":"i18next-json-flat"}')
  await view.scan()
  await view.quiet()
  t.same(problems(), [])
  t.same(
    head.history.slice(3).map(({ path }) => path),
    ['app/project.json', 'app/locales/de/common.json'],
  )
  t.equal(head.text('app/locales/de/common.json'), json({ 'a.b': 'c' }))
})

t.test('another format in the project file rewrites its bundles', async t => {
  const { view, save, head } = await show(t, { files: { [PROJECT]: WEB, [COMMON]: json({ a: { b: 'c' } }) } })
  save(PROJECT, WEB.replace('i18next-json', 'i18next-json-flat'))
  await view.scan()
  t.equal(head.text(COMMON), json({ 'a.b': 'c' }))
})

t.test('what is not ours is left alone and never opened', async t => {
  const { view, save, head, file, problems, at } = await show(t)
  for (const path of [
    'README.md',
    'web/notes.txt',
    'web/locales/en/common.json~',
    'web/locales/en/.common.json.swp',
    '.x/a.json',
  ]) {
    save(path, 'x')
  }
  save('outside.json', json({ a: 'secret' }))
  fs.symlinkSync(at('outside.json'), at('web/locales/en/linked.json'))
  fs.mkdirSync(at('elsewhere'))
  fs.renameSync(at('web/locales/en/home.json'), at('elsewhere/home.json'))
  fs.symlinkSync(at('elsewhere'), at('web/locales/fr'))
  fs.mkdirSync(at('web/locales/en/home.json'))
  await view.scan()
  t.equal(head.history.length, 3)
  t.same(problems().sort(), [HOME, 'web/locales/en/linked.json'])
  t.equal(file('README.md'), 'x')
})

t.test('nothing is written through a linked folder', async t => {
  const { seal, head, at, view, problems } = await show(t)
  fs.mkdirSync(at('elsewhere'))
  fs.rmSync(at('web/locales/en'), { recursive: true })
  fs.symlinkSync(at('elsewhere'), at('web/locales/en'))
  head.commit(COMMON, json({ a: 'two' }))
  await seal()
  await view.quiet()
  t.same(fs.readdirSync(at('elsewhere')), [])
  t.same(problems(), [COMMON])
  fs.unlinkSync(at('web/locales/en'))
  await view.scan()
  t.equal(fs.readFileSync(at(COMMON), 'utf8'), json({ a: 'two' }))
  t.same(problems(), [])
})

t.test('a start distinguishes a stale file of its own from an edit', async t => {
  const first = await show(t)
  await first.view.close()
  const old = first.file(COMMON)!
  const files = { ...START, [COMMON]: json({ a: 'acknowledged' }) }
  const known = new Map([[COMMON, new Set([blobId(Buffer.from(old))])]])

  const behind = await show(t, { workTree: first.workTree, files, known })
  t.equal(behind.file(COMMON), json({ a: 'acknowledged' }))
  t.equal(behind.head.history.filter(({ outside }) => outside).length, 0)
  await behind.view.close()

  behind.save(COMMON, json({ a: 'edited while stopped' }))
  fs.unlinkSync(behind.at(HOME))
  const edited = await show(t, { workTree: first.workTree, files })
  t.equal(edited.head.text(COMMON), json({ a: 'edited while stopped' }))
  t.equal(edited.head.text(HOME), undefined, 'a file removed while the server was stopped')
})

t.test('a file that recovery names and that is missing was never written', async t => {
  const first = await show(t)
  await first.view.close()
  fs.unlinkSync(first.at(COMMON))
  const known = new Map([[COMMON, new Set<string>()]])
  const again = await show(t, { workTree: first.workTree, known })
  t.equal(again.file(COMMON), START[COMMON])
})

t.test('what a commit brought against the rules stays in the work tree', async t => {
  const workTree = t.testdir({ web: { 'project.json': WEB, locales: { en: { 'common.json': '{"a":1}\n' } } } })
  const gitDir = join(workTree, '.git')
  const head = new MemoryHead(gitDir, { [PROJECT]: WEB, [COMMON]: '{"a":1}\n' })
  head.seal()
  const view = viewOf(workTree, head)
  t.teardown(() => view.close())
  const good = new MemoryHead(gitDir, { [PROJECT]: WEB, [COMMON]: json({ a: 'good' }) }).snapshot()
  view.holdBack([{ path: COMMON, error: 'a is a number' }], good)
  head.commit(COMMON, json({ a: 'good' }))
  await view.write(head.seal())
  await view.reconcile(new Map())
  await view.quiet()
  t.equal(fs.readFileSync(join(workTree, COMMON), 'utf8'), '{"a":1}\n')
  t.same(
    view.problems().map(({ path }) => path),
    [COMMON],
  )
})

t.test('a person who saves between two of many writes loses nothing', async t => {
  const { view, seal, save, head } = await show(t, { watch: true })
  const server: string[] = []
  for (let round = 0; round < 40; round++) {
    head.commit(COMMON, json({ a: `server ${round}` }))
    server.push(json({ a: `server ${round}` }))
    const sealing = seal()
    if (round % 4 === 1) save(COMMON, json({ a: `person ${round}` }))
    await sealing
    if (round % 4 === 3) await view.quiet()
  }
  await view.scan()
  const had = (text: string) => head.history.some(version => version.text === text)
  for (let round = 1; round < 40; round += 4) t.ok(had(json({ a: `person ${round}` })), `person ${round}`)
  for (const text of server) t.ok(had(text))
})

t.test('a seal while an edit is being committed loses nothing of either', async t => {
  const { view, save, head, file, at, problems } = await show(t)
  head.commit(HOME, json({ h: 'server' }))
  const first = head.seal()
  await view.write(first)
  head.commit(COMMON, json({ a: 'server' }))
  const second = head.seal()
  head.meanwhile = () => view.write(second)
  save(COMMON, '{"a":"mine"}')
  await view.scan()
  head.meanwhile = () => view.write(first)
  fs.unlinkSync(at(HOME))
  await view.scan()
  t.equal(head.text(COMMON), json({ a: 'mine' }))
  t.equal(file(COMMON), json({ a: 'mine' }))
  t.equal(head.text(HOME), undefined)
  t.equal(file(HOME), undefined)
  t.same(problems(), [])
  t.equal(head.history.filter(({ outside }) => outside).length, 2)
})

t.test('what is shown after an edit survives power loss, though no seal follows', async t => {
  const root = t.testdir({ tree: {}, before: {} })
  const workTree = join(root, 'tree')
  const { view, seal, save, head } = await show(t, { workTree })
  save(COMMON, 'oops')
  await view.scan()
  head.commit(COMMON, json({ a: 'server' }))
  await seal()
  save(COMMON, START[COMMON]!)
  fs.cpSync(workTree, join(root, 'before'), { recursive: true })
  const recording = record(workTree)
  await view.scan()
  recording.stop()
  for (let crash = 0; crash < 20; crash++) {
    const disk = new LossyDisk(join(root, 'before'), true)
    for (const operation of recording.operations) disk.apply(operation)
    const after = join(root, `after${crash}`)
    disk.crash(after, random)
    t.equal(fs.readFileSync(join(after, COMMON), 'utf8'), json({ a: 'server' }))
  }
})

t.test('a disk that refused once is asked again', async t => {
  const workTree = t.testdir({ '.git': { parlance: 'in the way' } })
  const gitDir = join(workTree, '.git')
  const head = new MemoryHead(gitDir, START)
  const view = viewOf(workTree, head)
  t.teardown(() => view.close())
  const changes = head.seal()
  await t.rejects(view.write(changes))
  fs.unlinkSync(join(gitDir, 'parlance'))
  await view.write(changes)
  t.equal(fs.readFileSync(join(workTree, COMMON), 'utf8'), START[COMMON])
})
