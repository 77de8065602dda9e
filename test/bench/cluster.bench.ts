/**
 * Measures a cluster of three nodes over three PostgreSQL beside the engine's own commits and beside a server with a
 * folder; exits with 1 when a limit is missed.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { noPostgres } from '../cluster/postgres.ts'
import { disagreements } from '../long/cluster/check.ts'
import { Engines } from '../long/cluster/engines.ts'
import { ClusterNode } from '../long/cluster/nodes.ts'
import { Scene } from '../long/cluster/scene.ts'
import { alternate, load, median, QUICK, ROUND_MS, ROUNDS, request, scratch, UNIQUE } from './harness.ts'
import { resourceOf } from './parlance.ts'
import { bounded, compared, report } from './report.ts'

const WRITERS = 64
const BUNDLE = '/api/projects/web/bundles/en/n0'
/** Of a namespace of 20 KB. */
const KEYS = 225
const REST_MS = QUICK ? 2000 : 5000
const FAILOVERS = QUICK ? 1 : 3
/** Of reads: their goal is as near as what the machine does besides moves a single one. */
const READ_ROUNDS = QUICK ? 12 : 27
/** Until the code of all is compiled. */
const WARMING = 6

const missing = noPostgres()
if (missing) {
  console.log(`cluster: left out, ${missing}`)
  process.exit()
}

const putBy = (key: string) =>
  request(`${BUNDLE}/section0.item1001`, { 'x-api-key': key }, { method: 'PUT', body: `{"value":"Changed ${UNIQUE}"}` })

const folder = scratch()
const [started, begun] = [performance.now(), await openScene()]
const { scene, ends } = begun
const { clients, engines, network, nodes } = scene
const { key } = clients.organization
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
await alone.server.must('PUT', BUNDLE, { key: acme.key, body: resourceOf(KEYS) })

async function openScene() {
  const ends: (() => unknown)[] = []
  const scene = await Scene.over(
    { testdir: () => join(folder, 'scene'), teardown: end => void ends.unshift(end as () => unknown) },
    network => Engines.start(network),
    // A faked clock is slower.
    { writers: 0, readers: 0, accounts: false, apart: 0 },
  )
  const { key } = scene.clients.organization
  const [{ server }] = scene.nodes as [ClusterNode]
  await server.must('PUT', BUNDLE, { key, body: resourceOf(KEYS) })
  return { scene, put: putBy(key), ends }
}

async function writesPerSecond({ base }: ClusterNode, put: string, connections: number): Promise<number> {
  const { statuses, seconds } = await load(new URL(base), [put], { connections })
  const { 200: right = 0, ...wrong } = statuses
  if (Object.keys(wrong).length > 0) throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return right / seconds
}

/** Writes of one client, and the engine's own commits of equally many bytes, one after the other. */
async function writesBeside({ scene, put }: typeof begun) {
  const perSecond = (connections: number) => writesPerSecond(scene.node(0), put, connections)
  const engine = await connect(scene)
  // As of servers that have been at work for some seconds: their code is compiled.
  for (let round = 0; round < 6; round++) await perSecond(WRITERS)
  await perSecond(1)
  const { rows } = await engine.query('select avg(octet_length(frame))::int as bytes from record')
  const frame = Buffer.alloc(rows[0].bytes, 'x')
  await engine.query('create table measured (frame bytea)')
  const commitsPerSecond = async () => {
    const from = performance.now()
    let commits = 0
    for (; performance.now() - from < ROUND_MS; commits++)
      await engine.query('insert into measured values ($1)', [frame])
    return (commits * 1000) / (performance.now() - from)
  }
  const [single = [], commits = []] = await alternate([() => perSecond(1), commitsPerSecond])
  await engine.end()
  return { single, commits }
}

async function connect({ engines, network }: typeof scene): Promise<pg.Client> {
  for (const { address } of engines.machines) {
    const client = new pg.Client(`postgres://parlance@${address}:${network.ports.postgres}/parlance`)
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as standby')
    if (!rows[0].standby) return client
    await client.end()
  }
  throw new Error('there is no primary')
}

const keyOf = (node: ClusterNode) => (node === alone ? acme.key : key)

/** What servers do at rest, in microseconds of a processor for each millisecond, round by round. */
async function atRest(servers: readonly ClusterNode[]): Promise<Map<ClusterNode, number[]>> {
  const taken = new Map<ClusterNode, number[]>(servers.map(server => [server, []]))
  for (let round = 0; round < ROUNDS; round++) {
    const before = servers.map(({ server }) => server.cpu)
    await pause(REST_MS)
    for (const [at, server] of servers.entries()) taken.get(server)!.push((server.server.cpu - before[at]!) / REST_MS)
  }
  return taken
}

/** Processor time of a read, without that of the server at rest: other processes stretch the round. */
async function read(node: ClusterNode): Promise<number> {
  const asked = [request(BUNDLE, { 'x-api-key': keyOf(node) })]
  const [from, before] = [performance.now(), node.server.cpu]
  const { statuses } = await load(new URL(node.base), asked)
  const spent = node.server.cpu - before - median(resting.get(node)!) * (performance.now() - from)
  const { 200: right = 0, ...wrong } = statuses
  if (Object.keys(wrong).length > 0) throw new Error(`answers by status: ${JSON.stringify(statuses)}`)
  return spent / right
}

/** Reads of all servers at once, so that other load on the machine meets all alike. */
async function reads(servers: readonly ClusterNode[]): Promise<number[][]> {
  const taken: number[][] = servers.map(() => [])
  for (let round = 0; round < READ_ROUNDS; round++) {
    // The first one changes.
    const order = round % 2 ? servers.toReversed() : servers
    const times = await Promise.all(order.map(server => read(server)))
    if (round >= WARMING) for (const [at, server] of order.entries()) taken[servers.indexOf(server)]!.push(times[at]!)
  }
  return taken
}

const { single, commits } = await writesBeside(begun)
// A server with reads alone reads faster: V8 optimizes its code for them.
for (const server of [alone, ...nodes.slice(1)])
  for (let round = 0; round < 2 * ROUNDS; round++) await writesPerSecond(server, putBy(keyOf(server)), WRITERS)
// Every node seals its writes within a second, and tasks of once a minute have run.
await pause(Math.max(3000, started + 70_000 - performance.now()))
const resting = await atRest([alone, ...nodes])
const [alike = [], ...three] = await reads([alone, ...nodes])

const back: number[] = []
clients.start({ writers: 8, readers: 2 })
await scene.goesOn()
for (let round = 0; round < FAILOVERS; round++) {
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
/** Reads a second of a processor that does nothing else. */
const ofOneCore = (microseconds: number) => 1_000_000 / microseconds
const slowest = three.reduce((one, other) => (median(other) > median(one) ? other : one))
process.exitCode = report('cluster', 'Three nodes over a primary and two standbys.', [
  compared('acknowledged write, 1 client / commit of the engine', times(single), times(commits), {
    unit: 'ms',
    limit: 3,
    atMost: true,
  }),
  compared(
    'reads a second, three nodes on a core each, the slowest three times / a server with a folder',
    slowest.map(taken => 3 * ofOneCore(taken)),
    alike.map(ofOneCore),
    { unit: '/s', limit: 2.7 },
  ),
  bounded('a standby promoted: every client has written again', back, 5, 's'),
])
