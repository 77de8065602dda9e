/** Measures a cluster of three nodes over three PostgreSQL beside the engine's own commits and beside a server with a folder; exits with 1 when a limit is missed. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { noPostgres } from '../cluster/postgres.ts'
import { disagreements } from '../long/cluster/check.ts'
import { ClusterNode } from '../long/cluster/nodes.ts'
import { mostErrorsInARow, Scene } from '../long/cluster/scene.ts'
import { alternate, cpuPerRequest, load, QUICK, ROUND_MS, request, scratch, UNIQUE } from './harness.ts'
import { resourceOf } from './parlance.ts'
import { bounded, compared, type Row, report } from './report.ts'

const WRITERS = 64
/** Of a namespace of 20 KB. */
const KEYS = 225
const FAILOVERS = QUICK ? 1 : 3
/** Of reads: their goal is as near as what the machine does besides moves a single one. */
const READ_ROUNDS = QUICK ? 7 : 23

const missing = noPostgres()
if (missing) {
  console.log(`cluster: left out, ${missing}`)
  process.exit()
}

const folder = scratch()
const ends: (() => unknown)[] = []
const scene = await Scene.open(
  { testdir: () => join(folder, 'nodes'), teardown: end => void ends.unshift(end as () => unknown) },
  { writers: 0, readers: 0, accounts: false },
)
const { clients, engines, network, nodes } = scene
const { key } = clients.organization
const [one] = nodes as [ClusterNode]
const url = new URL(one.base)
const alone = new ClusterNode(
  await network.machine('alone'),
  join(folder, 'alone'),
  network.ports.node,
  { NODE_URL: '' },
  [],
)
await alone.start()
ends.unshift(() => alone.kill())
const acme = await alone.server.organization()
await alone.server.project(acme.key, 'web')
for (const [node, token] of [
  [one, key],
  [alone, acme.key],
] as const)
  await node.server.must('PUT', '/api/projects/web/bundles/en/n0', { key: token, body: resourceOf(KEYS) })

const put = request(
  '/api/projects/web/bundles/en/n0/section0.item1001',
  { 'x-api-key': key },
  { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` },
)

async function perSecond(connections: number): Promise<number> {
  const { statuses, seconds } = await load(url, [put], { connections })
  const { 200: right = 0, ...wrong } = statuses
  if (Object.keys(wrong).length > 0) throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return right / seconds
}

/** The engine's own commits, one after the other, of as many bytes as a write's entry in the log has. */
const engine = await connect()
// As of servers that have been at work for some seconds: their code is compiled.
for (let round = 0; round < 6; round++) await perSecond(WRITERS)
await perSecond(1)
const { rows } = await engine.query('select avg(octet_length(frame))::int as bytes from record')
const frame = Buffer.alloc(rows[0].bytes, 'x')
await engine.query('create table measured (frame bytea)')
async function commitsPerSecond(): Promise<number> {
  const from = performance.now()
  let commits = 0
  for (; performance.now() - from < ROUND_MS; commits++) await engine.query('insert into measured values ($1)', [frame])
  return (commits * 1000) / (performance.now() - from)
}

async function connect(): Promise<pg.Client> {
  for (const { address } of engines.machines) {
    const client = new pg.Client(`postgres://parlance@${address}:${network.ports.postgres}/parlance`)
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as standby')
    if (!rows[0].standby) return client
    await client.end()
  }
  throw new Error('there is no primary')
}

const read = (node: ClusterNode, token: string) => {
  const { server } = node
  const asked = [request('/api/projects/web/bundles/en/n0', { 'x-api-key': token })]
  return cpuPerRequest({ url: new URL(node.base), cpu: () => server.cpu }, asked, 200)
}

// At rest: what is written is still put into git a second later, on every node.
await pause(3000)
const [ours, theirs]: [number[], number[]] = [[], []]
for (let round = 0; round < READ_ROUNDS; round++) {
  // At once: what else the machine does meets both alike, however short it is.
  const [a, b] = await Promise.all([read(one, key), read(alone, acme.key)])
  // The code of both is compiled by then.
  if (round < 2) continue
  ours.push(a)
  theirs.push(b)
}
const [single = [], commits = [], many = []] = await alternate([
  () => perSecond(1),
  commitsPerSecond,
  () => perSecond(WRITERS),
])
await engine.end()

const errors: number[] = []
const back: number[] = []
clients.start({ writers: 8, readers: 2 })
await scene.goesOn()
for (let round = 0; round < FAILOVERS; round++) {
  const node = scene.node(round % nodes.length)
  const told = new Set(await scene.during(1000, () => scene.kill(node)))
  errors.push(mostErrorsInARow(clients.writers.map(writer => writer.told.filter(one => told.has(one)))))
  await scene.start(node)
  await scene.goesOn()
  const dead = await engines.killPrimary()
  await engines.promote()
  const from = performance.now()
  await scene.goesOn()
  back.push((performance.now() - from) / 1000)
  await engines.rejoin(dead)
  await pause(500)
}
await clients.stop()
const wrong = await disagreements(nodes, clients)
if (wrong.length > 0) throw new Error(wrong.join('\n'))
for (const end of ends) await end()

const times = (rates: readonly number[]) => rates.map(rate => 1000 / rate)
const results: Row[] = [
  compared('acknowledged write, 1 client / commit of the engine', times(single), times(commits), {
    unit: 'ms',
    limit: 3,
    atMost: true,
  }),
  compared(`writes of ${WRITERS} clients / serial commits of the engine`, many, commits, { unit: '/s', limit: 4 }),
  compared('processor time of a read, a node / with a folder', ours, theirs, { unit: 'µs', limit: 1.05, atMost: true }),
  bounded('a node killed: errors that a client sees', errors, 1, ''),
  bounded('a standby promoted: every client has written again', back, 5, 's'),
]
process.exitCode = report(
  'cluster',
  'Three nodes over a primary and two standbys, one of which has each commit.',
  results,
)
