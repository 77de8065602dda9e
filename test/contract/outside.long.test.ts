/** External edits: people edit, add, delete and break files while the server runs, and commit while it is stopped. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isSound, start } from './process.ts'
import { countCommits, dataFolder, eventually, git, type Organization } from './server.ts'

t.setTimeout(0)

async function outside(t: Test) {
  const dataDir = dataFolder(t)
  const run = await start(t, dataDir)
  const acme: Organization = await run.server.organization()
  const { server } = run
  const web = await server.project(acme.key, 'web')
  await server.must('PUT', `${web}/bundles/en/common`, {
    key: acme.key,
    body: { title: 'Title', nav: { home: 'Home' } },
  })
  await server.must('PUT', `${web}/bundles/de/common`, { key: acme.key, body: { title: 'Titel' } })
  await server.must('PUT', `${web}/bundles/de/other`, { key: acme.key, body: { x: 'X' } })
  const repository = server.repository(acme.id)
  // The commits first: otherwise the last one may follow a clean status of the one before.
  const clean = () => eventually(() => countCommits(repository) >= 4 && git(repository, 'status', '--porcelain') === '')
  if (!(await clean())) t.fail(`the work tree is not clean: ${git(repository, 'status', '--porcelain')}`)
  const read = async (place: string) => (await server.get(`${web}/bundles/${place}`, acme.key)).json
  const file = (place: string) => join(repository, 'web/locales', `${place}.json`)
  return { run, server, acme, web, repository, read, file, clean }
}

t.test('commits an external edit', async t => {
  const { repository, read, file, clean, server, web, acme } = await outside(t)
  const before = countCommits(repository)
  writeFileSync(file('en/common'), '{"title":"Edited","zebra":"Z","nav":{"home":"Home"}}')
  t.ok(await eventually(async () => (await read('en/common'))?.title === 'Edited'), 'the edit is served')
  t.strictSame(await read('en/common'), { title: 'Edited', zebra: 'Z', nav: { home: 'Home' } })
  t.ok(await clean(), 'the work tree is clean again')
  t.equal(
    readFileSync(file('en/common'), 'utf8'),
    '{\n  "nav": {\n    "home": "Home"\n  },\n  "title": "Edited",\n  "zebra": "Z"\n}\n',
    'canonical',
  )
  t.equal(countCommits(repository), before + 1, 'one commit')
  t.match(git(repository, 'log', '-1', '--format=%s'), /external edit/i, 'that says so')
  await server.must('PUT', `${web}/bundles/en/common/title`, { key: acme.key, body: { value: 'Back' } })
  t.ok(await eventually(() => readFileSync(file('en/common'), 'utf8').includes('Back')), 'later writes work')
  isSound(t, repository, 'afterwards')
})

t.test('adds a language when a person adds its folder', async t => {
  const { repository, read, clean, server, web, acme } = await outside(t)
  mkdirSync(join(repository, 'web/locales/fr'), { recursive: true })
  writeFileSync(join(repository, 'web/locales/fr/common.json'), '{\n  "title": "Titre"\n}\n')
  t.ok(await eventually(async () => (await read('fr/common'))?.title === 'Titre'), 'it is served')
  t.ok((await server.get(web, acme.key)).json.languages.includes('fr'), 'in the manifest')
  t.ok(await clean(), 'and committed')
})

t.test('commits the deletion of a file', async t => {
  const { repository, read, clean, file, server, web, acme } = await outside(t)
  rmSync(file('de/other'))
  t.ok(await eventually(async () => Object.keys((await read('de/other')) ?? {}).length === 0), 'its keys are gone')
  t.ok(await clean(), 'and committed')
  t.equal((await server.get(`${web}/bundles/de?namespace=other`, acme.key)).status, 404)
  t.strictSame(await read('de/common'), { title: 'Titel' }, 'its neighbour stays')
  git(repository, 'log', '-1')
})

t.test('reports an invalid file and leaves it unchanged', async t => {
  const { repository, read, file, server, web, acme } = await outside(t)
  const rival = await server.organization('Rita')
  const broken = [
    '{"title": "unfin',
    '{"title": 5}',
    '{"title":"{n, plural, one {x} other {y}}"}',
    '[]',
    '{"a":{"b":"x"},"a.b":"y"}',
  ]
  for (const text of broken) {
    const before = countCommits(repository)
    writeFileSync(file('de/common'), text)
    const reported = async () => (await server.get('/api/health', acme.key)).text.includes('de/common')
    t.ok(await eventually(reported), `${text}: /api/health names the file`)
    t.notMatch((await server.get('/api/health')).text, /de\/common|web\//, 'strangers do not see the path')
    t.notMatch(
      (await server.get('/api/health', rival.key)).text,
      /de\/common|web\//,
      'another organization does not see the path',
    )
    t.strictSame(await read('de/common'), { title: 'Titel' }, 'the last good one is served')
    t.equal(readFileSync(file('de/common'), 'utf8'), text, 'the file is unchanged')
    t.equal(countCommits(repository), before, 'no commit')
    writeFileSync(file('de/common'), '{\n  "title": "Titel"\n}\n')
    t.ok(await eventually(async () => !(await reported())), 'the repaired file is not reported')
  }
  await server.must('PUT', `${web}/bundles/de/common/more`, { key: acme.key, body: { value: 'x' } })
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'the work tree is clean')
})

t.test('fails a git commit of a person while the server runs, with the message of git', async t => {
  const { repository, server, web, acme } = await outside(t)
  const head = git(repository, 'rev-parse', 'HEAD')
  t.throws(
    () =>
      git(repository, '-c', 'user.name=x', '-c', 'user.email=x@example.com', 'commit', '--allow-empty', '-m', 'race'),
    /lock/,
    'the branch is locked',
  )
  t.equal(git(repository, 'rev-parse', 'HEAD'), head)
  await server.must('PUT', `${web}/bundles/en/common/k`, { key: acme.key, body: { value: 'x' } })
})

t.test('reads commits and edits from while it was stopped', async t => {
  const { run, repository, file, acme, web } = await outside(t)
  run.child.kill('SIGTERM')
  await run.exit
  const as = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com']
  writeFileSync(file('en/common'), '{"title":"By commit"}')
  git(repository, 'add', '-A')
  git(repository, ...as, 'commit', '-q', '-m', 'by hand')
  writeFileSync(file('de/common'), '{"title":"By edit"}')
  const again = await start(t, run.server.dataDir)
  const read = async (place: string) => (await again.server.get(`${web}/bundles/${place}`, acme.key)).json
  t.ok(await eventually(async () => (await read('en/common'))?.title === 'By commit'), 'the commit')
  t.ok(await eventually(async () => (await read('de/common'))?.title === 'By edit'), 'the edit')
  t.ok(await eventually(() => git(repository, 'status', '--porcelain') === ''), 'clean')
  t.match(git(repository, 'log', '--format=%s'), /by hand/, 'the history has the commit')
  isSound(t, repository, 'afterwards')
})
