/** Servers that are nodes of one: what is written at one is read at each, at once, and after any of them is gone. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import t from 'tap'
import type { ClusterOverview } from '../../src/cluster/overview.ts'
import { readConfig } from '../../src/config.ts'
import { reseed, status } from '../../src/operator/cluster.ts'
import { CommandReport } from '../../src/operator/report.ts'
import { eventually } from '../eventually.ts'
import { EventClient } from '../http/event-client.ts'
import { noPostgres, startPostgres } from './postgres.ts'
import { startOne, startServers } from './servers.ts'

t.test('three nodes', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t, 'max_connections=100')
  const { servers, database } = await startServers(t, postgres, 3)
  const [one, two, three] = servers as [(typeof servers)[0], (typeof servers)[0], (typeof servers)[0]]
  const acme = await one.organization()
  const web = await one.project(acme.key, 'web')
  const path = `${web}/bundles/en/common`

  await t.test('what one has acknowledged, each answers with', async t => {
    for (const [n, server] of [one, two, three, one].entries()) {
      const written = await server.put(path, acme.key, { count: `${n}` })
      t.ok(written.status < 300, written.text)
      for (const other of servers) t.same((await other.get(path, acme.key)).json, { count: `${n}` })
    }
  })

  await t.test('what is written at one is heard at another', async t => {
    const client = await new EventClient(two.base, '/api/events', { 'x-api-key': acme.key }).opened()
    t.teardown(() => client.close())
    await one.must('PUT', `${path}/heard`, { key: acme.key, body: { value: 'there' } })
    const [event] = await client.reaches(1)
    t.equal(event!.id, await one.newest(acme.id))
  })

  await t.test('writes of all of them at once', async t => {
    const writes = Array.from({ length: 30 }, (_, n) =>
      servers[n % 3]!.put(`${path}/key${n}`, acme.key, { value: `${n}` }),
    )
    const wrong = (await Promise.all(writes)).filter(({ status }) => status >= 300)
    t.strictSame(
      wrong.map(({ text }) => text),
      [],
    )
    const heads = await Promise.all(servers.map(server => server.newest(acme.id)))
    t.equal(new Set(heads).size, 1, 'the same commits')
    for (const server of servers) t.equal((await server.get(`${path}/key29`, acme.key)).status, 200)
    t.equal(await one.commits(acme.id), await three.commits(acme.id))
  })

  await t.test('a push to two nodes is applied once, or again after another write', async t => {
    const push = (server: typeof one, value: string, message: string) =>
      server.post(`${web}/push`, acme.key, { bundles: { en: { counts: { n: value } } }, message })
    const subjects = async () => one.git(acme.id, 'log', '--format=%s', 'main').split('\n')
    const times = async (message: string) => {
      await Promise.all(servers.map(server => server.sealed(acme.id)))
      return (await subjects()).filter(subject => subject === message).length
    }
    const answers = await Promise.all(servers.map(server => push(server, '1', 'counts 1')))
    t.strictSame(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
    t.equal(answers.filter(({ json }) => json.unchanged === 1).length, 2)
    t.equal(await times('counts 1'), 1, 'no change, no commit')
    await push(two, '2', 'counts 2')
    t.match((await push(one, '1', 'counts 1')).json, { unchanged: 0 })
    t.equal(await times('counts 1'), 2, 'what was given up and comes late is a change again')
  })

  await t.test('a clone with requests to different nodes, and releases from another node', async t => {
    const body = { name: 'first' }
    t.equal((await two.post(`${web}/releases`, acme.key, body)).status, 201)
    t.equal((await three.get(`${web}/releases/first`, acme.key)).status, 200)
    const { alternate } = await import('./alternate.ts')
    const front = await alternate(
      t,
      servers.map(({ base }) => base),
    )
    const folder = join(t.testdir(), 'clone')
    const address = new URL('/api/translations.git', front)
    address.username = 'token'
    address.password = acme.key
    const git = async (...args: string[]) => (await promisify(execFile)('git', args)).stdout
    await git('clone', '-q', address.href, folder)
    t.equal((await git('-C', folder, 'rev-parse', 'HEAD')).trim(), await one.newest(acme.id))
    t.match(await git('-C', folder, 'tag'), 'first')
  })

  await t.test('strangers learn nothing of the nodes, an owner all', async t => {
    const health = await one.call('GET', '/api/health', { as: acme.owner })
    t.equal(health.json.cluster.nodes.length, 3)
    t.match(health.json.cluster, { engine: 'ok', fresh: true, leaseAge: Number, lag: 0 })
    t.equal((await two.get('/api/health')).json.cluster, undefined)
    t.equal((await two.get('/api/health', acme.key)).json.cluster, undefined)
    const metrics = (await three.get('/metrics')).text
    for (const line of ['nodes 3', 'engine_up 1', 'fresh 1', 'lag_entries 0'])
      t.match(metrics, `parlance_cluster_${line}\n`)
    t.match(metrics, /^parlance_cluster_lease_age_seconds [\d.e-]+$/m)
    t.equal((await one.call('POST', '/cluster/heard', { body: 'x 1' })).status, 404)
    t.equal((await one.get(`/cluster/repositories/${acme.id}`)).status, 404)
  })

  await t.test('a new node fills itself', async t => {
    const late = await startOne(t, database, join(t.testdir(), 'late'))
    t.equal((await late.get(`${path}/key29`, acme.key)).status, 200)
    t.equal(await late.newest(acme.id), await one.newest(acme.id))
    await late.close()
    t.ok(
      await eventually(
        async () => (await one.call('GET', '/api/health', { as: acme.owner })).json.cluster.nodes.length === 3,
      ),
    )
  })

  await t.test('an older node does not start on the tables of a newer one', async t => {
    const client = new pg.Client(database)
    await client.connect()
    const raise = (by: number) =>
      client.query(`update cluster_setting set value = value::int + ${by} where name = 'schema'`)
    await raise(1)
    await t.rejects(startOne(t, database, join(t.testdir(), 'older')), /belong to a newer Parlance/)
    await raise(-1)
    await client.end()
  })

  await t.test('a stopped node stops no other', async t => {
    await three.close()
    t.ok((await one.put(path, acme.key, { after: 'three' })).status < 300)
    t.match((await two.get(path, acme.key)).json, { after: 'three' })
  })

  await t.test('a repository with an external commit is fetched again by reseed', async t => {
    const config = readConfig({ CLUSTER: database, NODE_URL: three.base, DATA_DIR: three.dataDir })
    const terminal = { env: {}, out: () => {}, err: () => {}, input: process.stdin, stop: new AbortController().signal }
    const call = {
      config,
      options: {},
      operands: [acme.slug],
      report: new CommandReport(terminal as never, true),
      terminal,
    }
    const overview = (await status(call as never)).json as ClusterOverview
    t.equal(overview.nodes.length, 2)
    t.ok(overview.members.length >= 3)
    const folder = three.repository(acme.id)
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', folder, ...args])
    await git(
      '-c',
      'user.name=Ann',
      '-c',
      'user.email=ann@example.com',
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'by hand',
    )
    const first = await startOne(t, database, three.dataDir)
    const refused = await first.get(path, acme.key)
    t.equal(refused.status, 503)
    t.match(refused.json.error, /cluster reseed/)
    await t.rejects(reseed(call as never), { code: 'unavailable' }, 'not beside a server')
    await first.close()
    const { json } = await reseed(call as never)
    t.ok(existsSync((json as { aside: string }).aside))
    const again = await startOne(t, database, three.dataDir)
    t.match((await again.get(path, acme.key)).json, { after: 'three' })
    t.equal(await again.newest(acme.id), await one.newest(acme.id))
    await again.close()
  })

  await t.test('an organization deleted at one is gone at all', async t => {
    const other = await one.organization('Otto')
    await one.project(other.key, 'web')
    t.equal((await two.get('/api/projects', other.key)).status, 200)
    await two.must('POST', '/api/auth/organization/delete', {
      as: other.owner,
      body: { organizationId: other.id },
      headers: { origin: two.origin },
    })
    t.equal((await one.get('/api/projects', other.key)).status, 401)
    t.ok(await eventually(() => !existsSync(one.repository(other.id)) && !existsSync(two.repository(other.id))))
  })

  await t.test('without the database reads go on, marked; writes are refused at once', async t => {
    // It has joined, and has nothing open.
    const four = await startOne(t, database, three.dataDir)
    t.equal((await four.get('/api/auth/ok')).status, 200)
    const five = await startOne(t, database, join(t.testdir(), 'five'), { READS_WITHOUT_ENGINE: '3' })
    t.equal((await five.get(path, acme.key)).status, 200)
    await postgres.kill()
    const isStale = async (node: typeof one) => (await node.get(path, acme.key)).headers['parlance-stale'] !== undefined
    for (const node of [one, four]) t.ok(await eventually(() => isStale(node)))
    t.match((await one.get(path, acme.key)).json, { after: 'three' })
    const asked = performance.now()
    const refused = await one.put(path, acme.key, { never: 'written' })
    t.equal(refused.status, 503)
    t.ok(performance.now() - asked < 1000, 'it waits for nothing')
    t.ok(refused.headers['retry-after'])
    const health = await one.call('GET', '/api/health', { as: acme.owner })
    t.match(health, { status: 503, json: { status: 'failing', cluster: { engine: 'away', fresh: false } } })
    const since = () =>
      one.call('GET', '/api/health', { as: acme.owner }).then(({ json }) => json.cluster.nodes[0].seen)
    const first = await since()
    t.ok(await eventually(async () => (await since()) > first + 1), 'the time since a node was seen grows')
    for (const at of [path, `${path}/after`, '/api/projects']) {
      const old = await four.get(at, acme.key)
      t.equal(old.status, 200, JSON.stringify(old.json))
      t.ok(old.headers['parlance-stale'], at)
    }
    const isOver = async () => (await five.get(path, acme.key)).status === 503
    t.ok(await eventually(isOver), 'reads end when READS_WITHOUT_ENGINE is over')
    t.ok((await five.get(path, acme.key)).headers['retry-after'])
    await postgres.start()
    t.ok(await eventually(async () => (await one.put(path, acme.key, { back: 'again' })).status < 300))
    for (const node of [two, four, five]) {
      t.ok(await eventually(async () => (await node.get(path, acme.key)).status === 200 && !(await isStale(node))))
      t.match((await node.get(path, acme.key)).json, { back: 'again' })
    }
    t.ok((await four.put(path, acme.key, { after: 'all' })).status < 300)
    t.match((await one.get(path, acme.key)).json, { after: 'all' })
  })
})

t.test('no read is refused when the database goes while writes are under way', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t, 'max_connections=100')
  const { servers, database } = await startServers(t, postgres, 3)
  const acme = await servers[0]!.organization()
  const path = `${await servers[0]!.project(acme.key, 'web')}/bundles/en/common`
  await servers[0]!.put(path, acme.key, { first: 'there' })
  // A node that never opened the organization has nothing to answer with.
  for (const server of servers) t.equal((await server.get(path, acme.key)).status, 200)
  const brief = await startOne(t, database, join(t.testdir(), 'brief'), { READS_WITHOUT_ENGINE: '2' })
  const cookie = { cookie: acme.owner.cookie }
  const stream = await new EventClient(brief.base, '/api/events', cookie).opened()
  t.teardown(() => stream.close())

  for (let round = 0; round < 4; round++) {
    let isOver = false
    let answered = 0
    const refusals = new Set<string>()
    const lasting = servers.flatMap((server, n) => [
      async () => {
        for (let at = 0; !isOver; at++) await server.put(`${path}/key${n}`, acme.key, { value: `${round} ${at}` })
      },
      async () => {
        while (!isOver) {
          const { status, json } = await server.get(path, acme.key)
          if (status === 200) answered++
          else refusals.add(`${status} ${JSON.stringify(json)}`)
        }
      },
    ])
    const running = lasting.map(work => work())
    t.ok(await eventually(() => answered > 100))
    await postgres.kill()
    const isStale = async (server: (typeof servers)[0]) =>
      (await server.get(path, acme.key)).headers['parlance-stale'] !== undefined
    for (const server of servers) t.ok(await eventually(() => isStale(server)))
    isOver = true
    await Promise.all(running)
    t.strictSame([...refusals], [], `round ${round}: every read was answered`)
    if (round === 0) {
      t.ok(await eventually(() => stream.ended !== undefined), 'a stream ends with READS_WITHOUT_ENGINE')
      const health = await brief.call('GET', '/api/health', { as: acme.owner })
      t.match(health, { status: 503, json: { status: 'failing' } })
      t.equal(health.json.cluster, undefined, 'and a session counts no longer')
    }
    await postgres.start()
    for (const server of servers)
      t.ok(await eventually(async () => (await server.put(path, acme.key, {})).status === 200))
  }
})

t.test('the folder of one server becomes that of a node, and the others fetch it', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)
  const { servers, database } = await startServers(t, postgres, 1)
  const [one] = servers as [(typeof servers)[0]]
  const acme = await one.organization()
  const web = await one.project(acme.key, 'web')
  await one.put(`${web}/bundles/en/common`, acme.key, { a: 'of before' })
  const head = await one.newest(acme.id)
  await one.close()
  const client = new pg.Client(database)
  await client.connect()
  await client.query(`delete from record; delete from sealed; delete from stream where id = '${acme.id}'`)
  await client.end()
  const again = await startOne(t, database, one.dataDir)
  const other = await startOne(t, database, join(t.testdir(), 'other'))
  t.match((await other.get(`${web}/bundles/en/common`, acme.key)).json, { a: 'of before' })
  t.ok((await other.put(`${web}/bundles/en/common`, acme.key, { a: 'of now' })).status < 300)
  t.match((await again.get(`${web}/bundles/en/common`, acme.key)).json, { a: 'of now' })
  t.match(again.git(acme.id, 'log', '--format=%H'), head)
})
