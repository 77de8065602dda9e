/** A slug that is used again in a cluster: what its deleted project had is gone on every node. */
import t from 'tap'
import { noPostgres, startPostgres } from './postgres.ts'
import { startServers } from './servers.ts'

t.test('a project deleted on one node and created on another', { skip: noPostgres() }, async t => {
  const { servers } = await startServers(t, await startPostgres(t), 2)
  const [one, two] = servers as [(typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization()
  const { key } = acme
  await one.project(key, 'docs')
  const releases = '/api/projects/web/releases'
  let revision = ''
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const) {
    const web = await from.project(key, 'web')
    const names = (server: typeof one) =>
      server.must('GET', releases, { key }).then(({ json }) => json.releases.map(({ name }: { name: string }) => name))
    t.strictSame(await names(from), [])
    const before = revision
    for (const name of ['v1', 'v2']) {
      const made = await from.must('POST', releases, { key, body: { name } })
      t.not(made.json.revision, before, `${name} is free`)
      revision = made.json.revision
    }
    await to.must('DELETE', `${releases}/v2`, { key })
    const [only, also] = [
      await from.mint(acme.owner, 'only', 'read', ['web']),
      await to.mint(acme.owner, 'also', 'read', ['docs', 'web']),
    ]
    const statuses = async (path: string, token: string) =>
      Promise.all(servers.map(async server => (await server.get(path, token)).status))
    t.strictSame([await statuses(web, only.key), await statuses(web, also.key)].flat(), [200, 200, 200, 200])
    await from.must('DELETE', web, { key })
    await to.project(key, 'web')
    t.strictSame([await statuses(web, only.key), await statuses(web, also.key)].flat(), [401, 401, 404, 404])
    t.strictSame(await statuses('/api/projects/docs', also.key), [200, 200])
    for (const server of servers) t.strictSame(await names(server), [])
    await to.must('DELETE', web, { key })
  }
  const refs = servers.map(async server => {
    await server.newest(acme.id)
    return server.git(acme.id, 'for-each-ref', '--format=%(refname) %(objectname)', 'refs/tags', 'refs/parlance')
  })
  const [first, second] = await Promise.all(refs)
  t.equal(first, second, 'all nodes have the same refs')
  t.equal(first?.trim().split('\n').length, 4)
})
