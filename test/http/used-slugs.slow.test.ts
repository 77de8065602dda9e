/** A project with the slug of a deleted one inherits neither its releases nor its limited tokens. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite, { type Database } from 'better-sqlite3'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { must, noGit } from './git-client.ts'
import { openScene, type Scene, startServer } from './server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
})

const path = (slug: string) => `/api/projects/${slug}`

/** Creates a project with a text and the releases v1 and v2, then deletes v2. @returns functions over the project */
async function used(slug: string, text = 'old') {
  const { server, acme, admin } = scene
  const { key } = acme
  await server.project(key, slug)
  const put = (value: string) => server.must('PUT', `${path(slug)}/bundles/en/common/title`, { key, body: { value } })
  const release = (name: string) => server.must('POST', `${path(slug)}/releases`, { key, body: { name } })
  await put(text)
  const { revision } = (await release('v1')).json
  await release('v2')
  await server.must('DELETE', `${path(slug)}/releases/v2`, { key })
  const mint = async (...projects: string[]): Promise<{ id: string; key: string }> =>
    (await server.must('POST', '/api/tokens', { as: admin, body: { name: slug, scope: 'read', projects } })).json
  const names = async () =>
    (await server.must('GET', `${path(slug)}/releases`, { key })).json.releases.map(
      ({ name }: { name: string }) => name,
    )
  const remove = () => server.must('DELETE', path(slug), { key })
  return { put, release, revision: String(revision), mint, names, remove }
}

const reads = async (slug: string, key: string) => (await scene.server.get(path(slug), key)).status
const projectsOf = async (id: string) => {
  const { tokens } = (await scene.server.must('GET', '/api/tokens', { as: scene.admin })).json
  return tokens.find((token: { id: string }) => token.id === id)?.projects
}

/** Asserts that a new project has nothing of the former one with its slug. */
async function isNew(t: Test, slug: string, old: Awaited<ReturnType<typeof used>>) {
  const { server, acme } = scene
  t.strictSame(await old.names(), [], 'no release of the old project is listed')
  for (const name of ['v1', 'v2']) {
    t.equal((await server.get(`${path(slug)}/releases/${name}`, acme.key)).status, 404, `${name} is not found`)
    t.equal((await server.get(`${path(slug)}/bundles/en/common?at=${name}`, acme.key)).status, 404, `nor as ?at=`)
  }
  await old.put('new')
  for (const name of ['v1', 'v2']) t.not((await old.release(name)).json.revision, old.revision, `${name} is free`)
  t.strictSame(await old.names(), ['v2', 'v1'])
  const read = await server.get(`${path(slug)}/bundles/en/common?at=v1`, acme.key)
  t.strictSame(read.json, { title: 'new' })
}

t.test('lists no release and accepts no limited token of the deleted project', async t => {
  const { server, acme, admin, reader } = scene
  const old = await used('web')
  await server.project(acme.key, 'docs')
  const [one, two] = [await old.mint('web'), await old.mint('docs', 'web')]
  t.strictSame([await reads('web', one.key), await reads('web', two.key)], [200, 200])

  t.equal((await server.call('POST', '/api/projects', { key: acme.key, body: body('WEB') })).status, 409)
  t.equal((await server.call('POST', '/api/projects', { key: acme.key, body: body('web') })).status, 409)
  t.strictSame(await old.names(), ['v1'], 'a refused creation changes nothing')
  t.strictSame([await reads('web', one.key), await reads('web', two.key)], [200, 200])

  await old.remove()
  await server.must('POST', '/api/projects', { as: admin, body: body('web') })
  t.equal(await reads('web', one.key), 401, 'a token limited to this project is revoked')
  t.equal(await reads('web', two.key), 404)
  t.equal(await reads('docs', two.key), 200, 'a token with other projects still reads those')
  t.equal(await projectsOf(one.id), undefined)
  t.strictSame(await projectsOf(two.id), ['docs'])
  t.equal(await reads('web', reader), 200, 'a token of all projects reaches it')
  const { entries } = (await server.must('GET', '/api/audit', { as: acme.owner })).json
  const revoked = entries.filter(({ what }: { what: string }) => what === 'token-revoked')
  t.match(revoked, [{ what: 'token-revoked', about: { id: one.id }, who: { id: admin.user.id } }])
  await isNew(t, 'web', old)

  await old.remove()
  await server.project(acme.key, 'web')
  t.strictSame(await old.names(), [], 'no release of the second project')
  await old.put('third')
  await old.release('v1')
})

t.test('allows a write token to create the project, and names the token in the audit trail', async t => {
  const { server, acme } = scene
  const old = await used('by-token')
  const { id } = await old.mint('by-token')
  await old.remove()
  await server.project(acme.key, 'by-token')
  const { entries } = (await server.must('GET', '/api/audit', { as: acme.owner })).json
  t.match(entries[0], { what: 'token-revoked', about: { id }, who: { email: /^token\+/ } })
})

t.test('hides releases when the new slug differs only in case', async t => {
  const { server, acme } = scene
  const old = await used('Case')
  await old.remove()
  await server.project(acme.key, 'case')
  const releases = `${path('case')}/releases`
  t.strictSame((await server.must('GET', releases, { key: acme.key })).json.releases, [])
  for (const name of ['v1', 'V2']) await server.must('POST', releases, { key: acme.key, body: { name } })
})

t.test('preserves releases and tokens when the project is restored or its deletion is undone', async t => {
  const { server, acme } = scene
  const old = await used('kept')
  const { key } = await old.mint('kept')
  for (const way of ['restore', 'revert']) {
    await old.remove()
    t.equal(await reads('kept', key), 404)
    const history = await server.must('GET', `${path('kept')}/history?limit=1`, { key: acme.key })
    const body = way === 'restore' ? { at: old.revision } : { revision: history.json.revisions[0].revision }
    await server.must('POST', `${path('kept')}/${way}`, { key: acme.key, body })
    t.equal(await reads('kept', key), 200, way)
    t.strictSame(await old.names(), ['v1'], way)
    const taken = await server.call('POST', `${path('kept')}/releases`, { key: acme.key, body: { name: 'v2' } })
    t.equal(taken.status, 409, 'the name of a deleted release stays reserved')
  }
})

t.test('lists no job of machine translation of the deleted project', async t => {
  const { server, acme } = scene
  const old = await used('jobs')
  const record = {
    ...{ request: { machine: 'DeepL', languages: ['de'] }, by: { id: 'u1', name: 'Ann' }, planned: { de: 1 } },
    counts: { done: 1, written: 0, suggested: 0, fromMemory: 0, refusedCount: 1 },
    ...{ doneNow: 0, amount: 0, unitParts: 1, unit: 'characters', revisions: [], ended: ['de'] },
    refused: [{ language: 'de', namespace: 'common', key: 'title', faults: [] }],
  }
  edit(server, database => {
    database
      .prepare('insert into machine_job values (?, ?, ?, 1, 2, ?, null, ?)')
      .run('job1', acme.id, 'jobs', 'done', JSON.stringify(record))
    database.prepare('insert into machine_answer values (?, ?, ?, ?)').run('job1/de/refused', 'job1', 'de', '[]')
  })
  t.equal((await server.get(`${path('jobs')}/jobs/job1`, acme.key)).status, 200)
  await old.remove()
  await server.project(acme.key, 'jobs')
  t.strictSame((await server.must('GET', `${path('jobs')}/jobs`, { key: acme.key })).json, { jobs: [] })
  t.equal((await server.get(`${path('jobs')}/jobs/job1`, acme.key)).status, 404)
})

t.test('ends a stream when its token no longer reaches the project', async t => {
  const { server, acme } = scene
  const old = await used('heard')
  await server.project(acme.key, 'beside')
  const { id, key } = await old.mint('beside', 'heard')
  const stream = await fetch(`${server.base}${path('heard')}/events`, { headers: { 'x-api-key': key } })
  t.equal(stream.status, 200)
  // As if the project were deleted and recreated before the server checks the stream.
  edit(server, database => database.prepare('update api_token set projects = ? where id = ?').run('["beside"]', id))
  t.notMatch(await stream.text(), 'event: change')
})

t.test('completes an interrupted creation with the next one', { skip: noGit }, async t => {
  const { server, acme } = scene
  const old = await used('cut')
  for (const name of ['v3', 'v4']) await old.release(name)
  const { key } = await old.mint('cut')
  const ref = (...argv: string[]) => server.git(acme.id, ...argv).trim()
  const [v1, v3] = ['v1', 'v3'].map(name => ref('rev-parse', `refs/tags/cut/${name}`)) as [string, string]
  await old.remove()
  // The first tag is moved, the second one about to be.
  for (const [id, name] of [
    [v1, 'v1'],
    [v3, 'v3'],
  ])
    ref('update-ref', `refs/parlance/released/cut/${id}/${name}`, id!)
  ref('tag', '-d', 'cut/v1')
  await server.project(acme.key, 'cut')
  t.equal(await reads('cut', key), 401)
  await isNew(t, 'cut', old)
  t.match(ref('for-each-ref', '--format=%(refname)', 'refs/parlance/released/cut').split('\n'), { length: 4 })
})

t.test('preserves the releases and revokes limited tokens when an external edit restores the project', async t => {
  const { server, acme } = scene
  const { key } = acme
  const old = await used('moved')
  await server.project(key, 'other')
  const [one, two] = [await old.mint('moved'), await old.mint('moved', 'other')]
  const folder = join(server.repository(acme.id), 'moved')
  const file = readFileSync(join(folder, 'project.json'))
  await old.remove()
  // The work tree is written after the seal.
  await server.sealed(acme.id)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'project.json'), file)
  t.ok(await eventually(async () => (await reads('moved', key)) === 200))
  t.strictSame(
    [await reads('moved', one.key), await reads('moved', two.key), await reads('other', two.key)],
    [401, 404, 200],
  )
  t.strictSame(await old.names(), ['v1'])
  const { entries } = (await server.must('GET', '/api/audit', { as: acme.owner })).json
  t.match(entries[0], { what: 'token-revoked', about: { id: one.id }, by: 'operator' })
})

t.test('revokes limited tokens when commits restore the project while no server runs', { skip: noGit }, async t => {
  scene = await openScene(t)
  const { acme, server } = scene
  const old = await used('web')
  await server.project(acme.key, 'docs')
  const [one, two] = [await old.mint('web'), await old.mint('docs', 'web')]
  await old.remove()
  await server.sealed(acme.id)
  await server.close()
  const folder = server.repository(acme.id)
  await must(['-C', folder, 'checkout', '-q', 'main^', '--', 'web'])
  await must(['-C', folder, '-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', 'commit', '-qm', 'return'])
  scene = { ...scene, server: await startServer(t, { dataDir: server.dataDir }) }
  t.equal(await reads('web', acme.key), 200)
  t.strictSame(
    [await reads('web', one.key), await reads('web', two.key), await reads('docs', two.key)],
    [401, 404, 200],
  )
})

/** Changes the database of accounts without the server. */
function edit({ dataDir }: Scene['server'], change: (database: Database) => unknown): void {
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
  change(database)
  database.close()
}

const body = (slug: string) => ({ slug, name: slug, sourceLanguage: 'en' })
