import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../contract/server.ts'
import { openScene, startServer } from './server.ts'

t.test('reports ok, and only the number of problems to strangers', async t => {
  const { server, acme, other, member } = await openScene(t)
  await server.project(acme.key, 'web')
  const ask = async (key?: string) => (await server.get('/api/health', key)).json
  t.strictSame(await ask(), { status: 'ok', problems: 0 })
  t.strictSame(await ask('not a token'), { status: 'ok', problems: 0 })
  t.strictSame(await ask(acme.key), { status: 'ok', problems: 0, files: [] })

  await server.commits(acme.id)
  const folder = join(server.repository(acme.id), 'web/locales/en')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'broken.json'), '{')
  t.ok(await eventually(async () => (await ask()).status === 'degraded'))
  t.strictSame(await ask(), { status: 'degraded', problems: 1 }, 'a stranger learns the number')
  t.strictSame((await ask(other.key)).files, [], 'another organization learns the number')
  t.match(await ask(acme.key), { files: [{ path: 'web/locales/en/broken.json', error: String }] })
  await server.project(acme.key, 'shop')
  for (const [projects, files] of [
    [['web'], [{ path: 'web/locales/en/broken.json' }]],
    [['shop'], []],
  ] as const) {
    const { key } = await server.mint(acme.owner, 'some', 'read', [...projects])
    t.match((await ask(key)).files, files, `a token of ${projects}`)
    t.equal((await ask(key)).files.length, files.length)
  }
  t.match((await server.call('GET', '/api/health', { as: member })).json.files, [{ path: /broken/ }])

  const reply = await server.call('HEAD', '/api/health')
  t.equal(reply.status, 200)
  t.equal(reply.headers['cache-control'], 'no-store')
})

t.test('reports a file that broke while the server was stopped, before any read or write', async t => {
  const dataDir = t.testdir()
  const first = await startServer(t, { dataDir })
  const { id, key } = await first.organization('Ann')
  await first.project(key, 'web')
  await first.put('/api/projects/web/bundles/en/common', key, { a: 'x' })
  await first.close()
  writeFileSync(join(first.repository(id), 'web/locales/en/common.json'), '{')

  const server = await startServer(t, { dataDir })
  t.strictSame(
    (await server.get('/api/health')).json,
    { status: 'ok', problems: 0 },
    'a stranger opens no organization',
  )
  const ask = async () => (await server.get('/api/health', key)).json
  t.ok(await eventually(async () => (await ask()).status === 'degraded'))
  t.match(await ask(), { problems: 1, files: [{ path: 'web/locales/en/common.json', error: String }] })
})

t.test('returns 503 while the disk cannot be written, and stays alive', async t => {
  const { server, acme } = await openScene(t)
  await server.project(acme.key, 'web')
  await server.put('/api/projects/web/bundles/en/common', acme.key, { a: 'x' })
  const organizations = join(server.dataDir, 'organizations')
  await server.sealed(acme.id)
  // The git process that updates the index after a quiet while would recreate the folder.
  t.ok(await eventually(() => server.git(acme.id, 'diff', '--cached', '--name-only') === ''))
  renameSync(organizations, `${organizations}-away`)
  t.ok(await eventually(async () => (await server.get('/api/health')).status === 503))
  const reply = await server.get('/api/health', acme.key)
  t.equal(reply.status, 503)
  // A scan of the work tree may have missed its folder by now, which is a separate problem.
  const { problems, ...rest } = reply.json
  t.type(problems, 'number')
  t.strictSame(rest, { error: 'The server cannot write to its disk; its log says why.', status: 'failing' })
  t.equal(reply.headers['cache-control'], 'no-store')
  t.equal((await server.call('HEAD', '/api/health')).status, 503)
  t.strictSame((await server.get('/api/health/live')).json, { status: 'ok' })
  // On a busy machine that git process may run even later and recreate the folder.
  rmSync(organizations, { recursive: true, force: true })
  renameSync(`${organizations}-away`, organizations)
  t.ok(await eventually(async () => (await server.get('/api/health')).status === 200))
})
