/**
 * A cluster over PostgreSQL with Patroni and etcd. `CLUSTER_KILLS=12` kills 12 random parts, twice with the documented
 * settings and then with the defaults of Patroni. It prints the time without writes. Too long for every day.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { noPostgres } from '../cluster/postgres.ts'
import { disagreements } from './cluster/check.ts'
import { Clients, type Told, type Writer } from './cluster/clients.ts'
import { noNginx, startNginx } from './cluster/nginx.ts'
import { type ClusterNode, clusterNode } from './cluster/nodes.ts'
import { type Host, noPatroni, Patroni, type Timing } from './cluster/patroni.ts'
import { mostErrorsInARow, Scene } from './cluster/scene.ts'
import { chooser } from './lanes.ts'

const KILLS = Number(process.env.CLUSTER_KILLS ?? 0)
const skip = (KILLS === 0 && 'CLUSTER_KILLS=12 runs it') || noPostgres() || noPatroni()
/** The settings of docs/cluster.md, and the defaults of Patroni. */
const TIMINGS: Record<'advised' | 'default', Timing> = {
  advised: { ttl: 20, loop_wait: 2, retry_timeout: 5 },
  default: { ttl: 30, loop_wait: 10, retry_timeout: 10 },
}
const HEALED_MS = 180_000

t.test('agrees with every answer after kills of three nodes over PostgreSQL with Patroni', { skip }, async t => {
  t.setTimeout(400_000 + KILLS * 300_000)
  const scene = await Scene.over(t, async network => {
    const patroni = await Patroni.start(network, TIMINGS.advised)
    t.teardown(() => patroni.close())
    const early = await clusterNode(network, patroni, `${t.testdirName}/n0`, 'n0')
    await t.rejects(early.start(), /synchronous_mode_strict/, 'one without a synchronous standby is refused')
    await patroni.configure({ synchronous_mode: true, synchronous_mode_strict: true })
    t.ok(await patroni.settles(HEALED_MS), 'a standby becomes synchronous')
    return patroni
  })
  const { clients } = scene
  t.ok(await scene.goesOn(), 'all of them write')

  await t.test('fails no request during a rolling upgrade behind nginx', { skip: noNginx }, t => upgrade(t, scene))
  await t.test(`${KILLS} kills`, { timeout: 0 }, t => kills(t, scene))

  await clients.stop()
  const counts = clients.writers.map(({ acknowledged }) => acknowledged)
  t.comment(`acknowledged: ${counts.join(', ')}; reads: ${clients.reads}, ${clients.staleReads} of them marked stale`)
  t.strictSame(await disagreements(scene.nodes, clients), [], 'the nodes agree')
})

/** Restarts each node in turn while clients send requests to nginx, which does not know of it. */
async function upgrade(t: Test, scene: Scene<Patroni>): Promise<void> {
  const [first] = scene.nodes as [ClusterNode]
  const port = await startNginx(
    t,
    scene.nodes.map(({ base }) => base.replace('http://', '')),
  )
  const balancer = { name: 'nginx', base: `http://127.0.0.1:${port}` } as ClusterNode
  const bolt = await first.server.organization()
  await first.server.project(bolt.key, 'web')
  const clients = new Clients(bolt, () => [balancer])
  clients.mishap = 'upgrade'
  clients.start({ writers: 6, readers: 3, member: await first.server.join(bolt, 'Bob', 'member') })
  await pause(1000)
  for (const node of scene.nodes) {
    scene.known.delete(node)
    await node.stop()
    await scene.start(node)
  }
  await pause(1000)
  await scene.engines.run("update cluster_setting set value = value::int + 1 where name = 'schema'")
  scene.known.delete(first)
  await first.stop()
  await t.rejects(first.start(), /belong to a newer Parlance/, 'an older one does not start on newer tables')
  await scene.engines.run("update cluster_setting set value = value::int - 1 where name = 'schema'")
  await scene.start(first)
  await pause(1000)
  await clients.stop()
  const told = clients.since(0)
  const waits = told.filter(({ status, text }) => status === 503 && !/not known yet whether it was/.test(text))
  const failed = told.filter(one => one.status !== 200 && !waits.includes(one))
  t.comment(`${told.length} writes and ${clients.reads} reads; ${waits.length} writes were asked to retry`)
  t.strictSame(failed, [], 'no request failed')
  t.strictSame(await disagreements(scene.nodes, clients), [], 'the nodes agree with the answers')
}

/** Kills, each over before the next comes: every kind as often as every other. */
async function kills(t: Test, scene: Scene<Patroni>): Promise<void> {
  const choose = chooser(Date.now() & 0xffff)
  const { engines, network, nodes, clients } = scene
  const after = async (host: Host) => {
    await pause(1000 * choose(30))
    engines.startAll(host)
  }
  const cutOff = (host: Host, from: readonly ClusterNode[]) => {
    const databases = engines.hosts.filter(other => other !== host)
    for (const { machine } of [...databases, ...from]) network.cut(host.machine, machine)
  }
  const mended = async () => {
    await pause(1000 * choose(30))
    network.mend()
  }
  /** Each says what is to be done when writes are back. */
  const kinds: Record<string, () => Promise<() => unknown>> = {
    'a node': async () => {
      const node = nodes[choose(nodes.length)]!
      await scene.kill(node)
      return () => scene.start(node)
    },
    'the primary’s PostgreSQL': async () => {
      engines.killPostgres(await engines.having('leader'))
      return () => {}
    },
    'the primary’s PostgreSQL and Patroni': async () => {
      const host = await engines.having('leader')
      await engines.killPatroni(host)
      engines.killPostgres(host)
      return () => after(host)
    },
    'the primary’s Patroni': async () => {
      const host = await engines.having('leader')
      await engines.killPatroni(host)
      return async () => {
        // Long enough for a promotion, while this PostgreSQL still acts as the primary.
        await pause(2000 * TIMINGS.default.loop_wait)
        await after(host)
      }
    },
    'the primary’s machine': async () => {
      const host = await engines.having('leader')
      await engines.killAll(host)
      return () => after(host)
    },
    'the synchronous standby’s machine': async () => {
      const host = await engines.having('sync_standby')
      await engines.killAll(host)
      return () => after(host)
    },
    'the primary’s links to the other databases': async () => {
      cutOff(await engines.having('leader'), [])
      return mended
    },
    'all of the primary’s links': async () => {
      cutOff(await engines.having('leader'), nodes)
      return mended
    },
    'a node’s link to the primary': async () => {
      const { machine } = await engines.having('leader')
      network.cut(nodes[choose(nodes.length)]!.machine, machine)
      // Who asks that node cannot write until it is mended.
      await mended()
      return () => {}
    },
  }
  const names = Object.keys(kinds)
  let deck: string[] = []
  for (let round = 0; round < KILLS; round++) {
    if (deck.length === 0) deck = [...names]
    const timing = Math.floor(round / names.length) % 2 === 0 ? 'advised' : 'default'
    await engines.configure(TIMINGS[timing])
    // Patroni reads them when it next looks.
    if (round % names.length === 0) await pause(TIMINGS.default.loop_wait * 1000)
    const [kind = ''] = deck.splice(choose(deck.length), 1)
    clients.mishap = `${round}: ${kind}`
    const from = performance.now()
    const mend = await kinds[kind]!()
    t.ok(await scene.goesOn(HEALED_MS), `${clients.mishap}, ${timing}: writes are back`)
    await mend()
    if (!(await engines.settles(HEALED_MS))) t.fail(`Patroni does not settle: ${engines.log()}`)
    t.ok(await scene.goesOn(HEALED_MS), 'all is mended')
    const silent = await scene.silent(HEALED_MS)
    t.strictSame(
      silent.map(({ name }) => name),
      [],
      'every node writes',
    )
    for (const { name, server } of silent) t.comment(`${name}: ${server.output().slice(-10_000)}`)
    t.comment(tell(clients.writers, from))
    if (round % names.length === names.length - 1)
      t.strictSame(await clients.atRest(() => disagreements(nodes, clients)), [], 'the nodes agree')
    t.strictSame(clients.surprises.splice(0), [], 'no client received a wrong answer')
    // What is not needed any more; there may be hundreds of rounds.
    for (const { told } of clients.writers) told.length = 0
  }
}

/** What a kill meant for each of the writers. */
function tell(writers: readonly Writer[], from: number): string {
  const told = writers.map(writer => writer.told.filter(({ at }) => at >= from))
  const all = told.flat().sort((a, b) => a.at - b.at)
  const done = [from, ...all.filter(({ status }) => status === 200).map(({ at }) => at)]
  const longest = Math.max(...done.slice(1).map((at, before) => at - done[before]!))
  const count = (is: (one: Told) => boolean) => all.filter(is).length
  const doubtful = count(({ text }) => /not known yet whether it was/.test(text))
  const refused = count(({ status }) => status === 503) - doubtful
  const broken = count(({ status }) => status === 'refused' || status === 'unheard')
  const row = mostErrorsInARow(told)
  return `no write for ${(longest / 1000).toFixed(1)} s; 503: ${refused}, in doubt: ${doubtful}, broken: ${broken}; at most ${row} in a row for one client`
}
