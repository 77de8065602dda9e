/**
 * External edits end to end: a real store on a real disk, files changed the way editors, scripts and git change them.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { bundlePath, projectPath, renderProject } from '../../../src/project/project.ts'
import { Store } from '../../../src/store/store.ts'
import { WorkTree } from '../../../src/store/work-tree/work-tree.ts'

// Real files and real watching are slow on a busy machine.
t.setTimeout(0)
// Nearly all of that time is waiting, so the tests wait together, each for an organization of its own.
t.jobs = 16
const folder = t.testdir({})
const test = (name: string, body: (t: Test) => Promise<void>) => t.test(name, { buffered: true }, body)

const ANN = { name: 'Ann', email: 'ann@example.com' }
const ORG = 'acme'
const COMMON = bundlePath({ slug: 'web', language: 'en', namespace: 'common' })
const canonical = (resource: object) => `${JSON.stringify(resource, null, 2)}\n`

async function openStore(t: Test, options: { directory?: string; scanSeconds?: number } = {}) {
  const directory = options.directory ?? fs.mkdtempSync(join(folder, 'data-'))
  const views: WorkTree[] = []
  const warnings: { path?: string; error?: string }[] = []
  const store = await Store.open({
    directory,
    log: { info() {}, warn: data => void warnings.push(data), error: data => void warnings.push(data) },
    createWorkTree: view => {
      views.push(new WorkTree({ ...view, scanSeconds: options.scanSeconds ?? 30 }))
      return views.at(-1)!
    },
  })
  t.teardown(() => store.close())
  const root = join(directory, ORG)
  const put = (path: string, text: string) =>
    store.write(ORG, ANN, tx => ({ result: tx.put(path, Buffer.from(text)), message: { subject: `put ${path}` } }))
  const head = (path: string) => store.read(ORG, snapshot => snapshot.read(path)?.toString())
  const git = (...argv: string[]) =>
    execFileSync('git', ['-C', root, ...argv], { encoding: 'utf8', maxBuffer: 1 << 28 }).trim()
  return {
    directory,
    store,
    root,
    warnings,
    put,
    head,
    git,
    view: () => views.at(-1)!,
    at: (path: string) => join(root, path),
    file: (path: string) => fs.readFileSync(join(root, path), 'utf8'),
    save: (path: string, text: string | Buffer) => {
      fs.mkdirSync(dirname(join(root, path)), { recursive: true })
      fs.writeFileSync(join(root, path), text)
    },
    problems: () => store.status().problems.map(({ path }) => path),
    commits: async (path = '.') => {
      await store.flush(ORG)
      return git('log', '--format=%s', '--', path).split('\n').filter(Boolean)
    },
    async start() {
      const project = { slug: 'web', name: 'Web', sourceLanguage: 'en', defaultFormat: 'i18next-json' as const }
      await put(projectPath('web'), renderProject(project).toString())
      await put(COMMON, canonical({ hello: 'Hello' }))
      await store.flush(ORG)
      await views.at(-1)!.quiet()
    },
  }
}

/** Waits until something holds, within a generous bound. */
async function until(t: Test, what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 25) {
    if (await holds()) {
      t.pass(what)
      return
    }
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  t.fail(`never: ${what}`)
}

test('an edit by truncate and write becomes one commit', async t => {
  const org = await openStore(t)
  await org.start()
  const before = (await org.commits()).length
  org.save(COMMON, '{ "hello": "Hi",\n "bye": "Bye" }')
  await until(t, 'HEAD holds it', async () => (await org.head(COMMON)) === canonical({ bye: 'Bye', hello: 'Hi' }))
  await until(t, 'the file is canonical', () => org.file(COMMON) === canonical({ bye: 'Bye', hello: 'Hi' }))
  t.equal((await org.commits()).length, before + 1)
  t.match(org.git('log', '-1', '--format=%an'), /external/i)
  t.equal(org.git('status', '--porcelain'), '')
})

test('an edit by a temporary file and a rename', async t => {
  const org = await openStore(t)
  await org.start()
  fs.renameSync(org.at(COMMON), org.at(`${COMMON}~`))
  org.save('web/locales/en/4913', '')
  org.save(`${COMMON}.tmp`, '{"hello":"Hi"}')
  fs.renameSync(org.at(`${COMMON}.tmp`), org.at(COMMON))
  await until(t, 'HEAD holds it', async () => (await org.head(COMMON)) === canonical({ hello: 'Hi' }))
  t.equal((await org.commits(COMMON)).length, 2)
  t.equal(org.file(`${COMMON}~`), canonical({ hello: 'Hello' }))
})

test('a broken file is reported and left; HEAD serves the last good one; mending it clears the report', async t => {
  const org = await openStore(t)
  await org.start()
  org.save(COMMON, '{"hello": "Geheimnis",')
  await until(t, 'it is reported', () => org.problems().includes(COMMON))
  t.equal(await org.head(COMMON), canonical({ hello: 'Hello' }))
  t.equal(org.file(COMMON), '{"hello": "Geheimnis",')
  t.notMatch(JSON.stringify([org.warnings, org.store.status()]), 'Geheimnis')
  org.save(COMMON, '{"hello": "Offen"}')
  await until(t, 'HEAD holds it', async () => (await org.head(COMMON)) === canonical({ hello: 'Offen' }))
  await until(t, 'nothing is reported', () => org.problems().length === 0)
})

test('what breaks the rules: each is reported, left alone, and not committed', async t => {
  const org = await openStore(t)
  await org.start()
  const commits = (await org.commits()).length
  const bad: Record<string, string | Buffer> = {
    'web/locales/de/bytes.json': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x22, 0x22, 0x7d]),
    'web/locales/de/icu.json': '{"n":"{n, plural, one {# day} other {# days}}"}',
    'web/locales/de/number.json': '{"n":1}',
    'web/locales/EN/common.json': '{"n":"x"}',
    'web/locales/en/Common.json': '{"n":"x"}',
    'web/locales/de_DE/common.json': '{"n":"x"}',
    'web/locales/de/con.json': '{"n":"x"}',
    'Web/project.json': '{"name":"Web","sourceLanguage":"en","defaultFormat":"i18next-json"}',
    'nothing/locales/de/common.json': '{"n":"x"}',
  }
  for (const [path, text] of Object.entries(bad)) org.save(path, text)
  org.save('web/locales/de/huge.json', '')
  fs.truncateSync(org.at('web/locales/de/huge.json'), 9 * 1024 * 1024)
  org.save('secret.json', '{"n":"x"}')
  fs.symlinkSync(org.at('secret.json'), org.at('web/locales/de/link.json'))
  execFileSync('mkfifo', [org.at('web/locales/de/fifo.json')])
  const all = [...Object.keys(bad), ...['huge', 'link', 'fifo'].map(name => `web/locales/de/${name}.json`)].sort()
  await until(t, 'all are reported', () => org.problems().length >= all.length)
  t.same(org.problems().sort(), all)
  t.equal((await org.commits()).length, commits)
  for (const [path, text] of Object.entries(bad)) t.same(fs.readFileSync(org.at(path)), Buffer.from(text))
  for (const path of all) fs.rmSync(org.at(path))
  await until(t, 'removing them clears the report', () => org.problems().length === 0)
})

test('a new language folder, with a byte order mark; then the folder goes again', async t => {
  const org = await openStore(t)
  await org.start()
  org.save('web/locales/fr/common.json', '\uFEFF{"hello":"Salut"}')
  org.save('web/locales/fr/home.json', '{}')
  await until(t, 'both are there', async () => {
    return (
      (await org.head('web/locales/fr/common.json')) !== undefined &&
      (await org.head('web/locales/fr/home.json')) !== undefined
    )
  })
  await org.store.flush(ORG)
  t.equal(org.file('web/locales/fr/common.json'), canonical({ hello: 'Salut' }))
  fs.rmSync(org.at('web/locales/fr'), { recursive: true })
  await until(t, 'the language is gone', () => org.store.read(ORG, head => head.entry('web/locales/fr') === undefined))
  t.equal((await org.commits('web/locales/fr')).length, 4, 'one commit each')
  t.equal(org.git('status', '--porcelain'), '')
})

test('a broken file that goes with its folder is reported no longer, whenever the next scan is', async t => {
  const org = await openStore(t, { scanSeconds: 3600 })
  await org.start()
  org.save('web/locales/de/broken.json', '{')
  await until(t, 'it is reported', () => org.problems().length === 1)
  fs.renameSync(org.at('web/locales/de'), org.at('web/drafts'))
  await until(t, 'nothing is reported', () => org.problems().length === 0)
})

test('a whole project removed and another one added', async t => {
  const org = await openStore(t)
  await org.start()
  fs.rmSync(org.at('web'), { recursive: true })
  org.save('app/project.json', '{"name":"App","sourceLanguage":"de","defaultFormat":"i18next-json"}')
  org.save('app/locales/de/common.json', '{"a":"b"}')
  await until(t, 'the old one is gone', () => org.store.read(ORG, head => head.entry('web') === undefined))
  await until(
    t,
    'the new one is there',
    async () => (await org.head('app/locales/de/common.json')) === canonical({ a: 'b' }),
  )
  t.same(org.problems(), [])
  await org.store.flush(ORG)
  t.notOk(fs.existsSync(org.at('web')))
})

test('reformatting alone is no commit', async t => {
  const org = await openStore(t)
  await org.start()
  const commits = (await org.commits()).length
  org.save(COMMON, '{"hello":"Hello"}')
  await until(t, 'it is canonical again', () => org.file(COMMON) === canonical({ hello: 'Hello' }))
  t.equal((await org.commits()).length, commits)
})

test('200 files at once, as git checkout does it', async t => {
  const org = await openStore(t)
  await org.start()
  const commits = (await org.commits()).length
  const paths = Array.from({ length: 200 }, (_, i) =>
    bundlePath({ slug: 'web', language: ['de', 'fr', 'it', 'es'][i % 4]!, namespace: `ns${i >> 2}` }),
  )
  for (const path of paths) org.save(path, `{"path":"${path}"}`)
  await until(t, 'all are in HEAD', () =>
    org.store.read(ORG, head => paths.every(path => head.entry(path) !== undefined)),
  )
  await org.view().quiet()
  t.equal((await org.commits()).length, commits + 200)
  for (const path of paths) if (org.file(path) !== canonical({ path })) t.fail(path)
  t.equal(org.git('status', '--porcelain'), '')
  t.same(org.problems(), [])
})

test('a person edits while 64 writes go on: every version is in history', async t => {
  const org = await openStore(t)
  await org.start()
  for (let round = 0; round < 5; round++) {
    const writes: Promise<unknown>[] = []
    for (let i = 0; i < 64; i++) {
      writes.push(org.put(COMMON, canonical({ hello: `server ${round} ${i}` })))
      if (i === 20 + round) org.save(COMMON, `{"hello":"person ${round}"}`)
      if (i % 8 === 0) await new Promise(resolve => setTimeout(resolve, 5))
    }
    await Promise.all(writes)
    await org.store.flush(ORG)
    await until(t, `person ${round} is in history`, () =>
      org.git('log', '-p', '--', COMMON).includes(`person ${round}`),
    )
  }
  await org.view().quiet()
  await org.store.flush(ORG)
  const log = org.git('log', '-p', '--', COMMON)
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 64; i++) if (!log.includes(`"server ${round} ${i}"`)) t.fail(`server ${round} ${i} is lost`)
  }
  t.equal(org.file(COMMON), await org.head(COMMON))
  t.equal(org.git('status', '--porcelain'), '')
  org.git('fsck', '--full', '--strict')
})

test('what the server wrote while a file was broken stays when it is mended', async t => {
  const org = await openStore(t)
  await org.start()
  org.save(COMMON, '{"hello":"Hello","bye":"Bye"')
  await until(t, 'it is reported', () => org.problems().includes(COMMON))
  await org.put(COMMON, canonical({ hello: 'Hello', key: 'from an app' }))
  await org.store.flush(ORG)
  org.save(COMMON, '{"hello":"Hello","bye":"Bye"}')
  const both = canonical({ bye: 'Bye', hello: 'Hello', key: 'from an app' })
  await until(t, 'HEAD holds both', async () => (await org.head(COMMON)) === both)
  await until(t, 'so does the file', () => org.file(COMMON) === both)
})

test('edits and removals while the server was stopped', async t => {
  const first = await openStore(t)
  await first.start()
  await first.put('web/locales/en/home.json', canonical({ home: 'Home' }))
  await first.store.close()
  first.save(COMMON, '{"hello":"Hi"}')
  fs.rmSync(first.at('web/locales/en/home.json'))
  const org = await openStore(t, { directory: first.directory })
  await org.head(COMMON)
  await until(t, 'the edit is in HEAD', async () => (await org.head(COMMON)) === canonical({ hello: 'Hi' }))
  await until(t, 'the bundle is gone', async () => (await org.head('web/locales/en/home.json')) === undefined)
})

test("a person's own commits while the server was stopped", async t => {
  const first = await openStore(t)
  await first.start()
  await first.store.close()
  const commit = () => {
    first.git('add', '-A')
    first.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '-m', 'by hand')
  }
  first.save('web/locales/de/common.json', '{"hello":"Hallo"}')
  first.save('README.md', 'Texts of Acme')
  commit()
  first.save(COMMON, '{"hello":1}')
  first.save('web/locales/fr/common.json', '{"hello"')
  commit()
  const org = await openStore(t, { directory: first.directory })
  t.equal(await org.head('web/locales/de/common.json'), canonical({ hello: 'Hallo' }))
  t.equal(await org.head(COMMON), canonical({ hello: 'Hello' }), 'the last good one')
  t.equal(await org.head('web/locales/fr/common.json'), undefined)
  t.equal(await org.head('README.md'), 'Texts of Acme')
  await until(t, 'both are reported', () => org.problems().length === 2)
  await org.view().quiet()
  await org.store.flush(ORG)
  t.same(org.problems().sort(), [COMMON, 'web/locales/fr/common.json'])
  t.equal(org.file(COMMON), '{"hello":1}', 'the work tree still has what was committed')
  t.equal(org.file('web/locales/fr/common.json'), '{"hello"')
  t.equal(org.file('web/locales/de/common.json'), canonical({ hello: 'Hallo' }))
  t.equal((await org.commits()).filter(subject => subject === 'by hand').length, 2)
})

test('the index follows, and waits when someone holds it', async t => {
  const org = await openStore(t)
  await org.start()
  t.equal(org.git('status', '--porcelain'), '')
  t.equal(org.git('diff-files', '--name-only'), '', 'the times are noted too')
  const lock = join(org.root, '.git', 'index.lock')
  fs.writeFileSync(lock, '')
  await org.put(COMMON, canonical({ hello: 'Hi' }))
  await org.store.flush(ORG)
  fs.unlinkSync(lock)
  await until(t, 'it is clean later', () => org.git('status', '--porcelain') === '')
})
