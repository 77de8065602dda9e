/**
 * A cluster under failures: three PostgreSQL (a primary and two standbys, one of them synchronous), three nodes with
 * clocks three minutes apart, and clients at any node. Reads must contain every earlier acknowledged write, and revoked
 * tokens must fail. At the end, histories are compared with the acknowledgements.
 * `CLUSTER_KILLS=50` adds 50 random mishaps.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { balance } from '../../src/demo/balance.ts'
import { noPostgres } from '../cluster/postgres.ts'
import { must } from '../http/git-client.ts'
import { newFolder } from '../new-folder.ts'
import { disagreements } from './cluster/check.ts'
import { ask, isStale, PROJECT } from './cluster/clients.ts'
import { noLinks } from './cluster/network.ts'
import type { ClusterNode } from './cluster/nodes.ts'
import { mostErrorsInARow, Scene } from './cluster/scene.ts'
import { chooser } from './lanes.ts'

/** Milliseconds until an answer that waited for a slow database. */
const LATE_MS = 2000
const KILLS = Number(process.env.CLUSTER_KILLS ?? 0)
t.test(
  'serves clients correctly through the failures of three nodes over three PostgreSQL',
  { skip: noPostgres() },
  async t => {
    t.setTimeout(0)
    const scene = await Scene.open(t)
    const { clients, engines, network } = scene
    const { id, key } = clients.organization
    const [one, two, three] = scene.nodes as [ClusterNode, ClusterNode, ClusterNode]
    const read = (node: ClusterNode) => ask(node, 'GET', `${PROJECT}/bundles/en/marks`, { 'x-api-key': key })
    const write = (node: ClusterNode, mark: string) =>
      ask(node, 'PUT', `${PROJECT}/bundles/en/marks/mark`, { 'x-api-key': key }, { value: mark })
    // Retries as clients do while the answer asks for it.
    const untilDone = async (attempt: () => ReturnType<typeof ask>) => {
      for (let answer = await attempt(), tries = 1; ; answer = await attempt(), tries++) {
        if (answer.status !== 503 || tries === 100) return answer
        await pause(200)
      }
    }
    const mishap = (name: string, run: (t: Test) => Promise<void>, skip: string | false = false) => {
      clients.mishap = name
      return t.test(name, { skip }, run)
    }
    t.ok(await scene.goesOn(), 'all of them write')

    await mishap('a clone with requests at different nodes', async t => {
      const balancer = balance(scene.nodes.map(({ base }) => base)).listen(0, '127.0.0.1')
      await once(balancer, 'listening')
      t.teardown(() => balancer.close())
      const { port } = balancer.address() as AddressInfo
      for (let at = 0; at < scene.nodes.length; at++) {
        t.equal((await untilDone(() => write(scene.node(at), `clone ${at}`))).status, 200)
        const clone = newFolder(t)
        await must(['clone', '-q', `http://x:${key}@127.0.0.1:${port}/api/translations.git`, clone])
        t.match(await must(['-C', clone, 'show', 'HEAD:web/locales/en/marks.json']), `clone ${at}`)
      }
    })

    await mishap('a node is killed, and comes back after the others have written', async t => {
      const told = await scene.during(2000, () => scene.kill(two))
      t.ok(await scene.goesOn(), 'the others go on')
      // A busy machine may let the database answer late, which no kill causes.
      const caused = told.filter(({ status, milliseconds }) => status !== 503 || milliseconds < LATE_MS)
      const most = mostErrorsInARow(clients.writers.map(({ told: all }) => all.filter(one => caused.includes(one))))
      const errors = told.filter(({ status }) => status !== 200)
      t.ok(most <= 1, `no client saw more than one error: ${JSON.stringify(errors)}`)
      await scene.start(two)
      t.ok(await scene.goesOn(), 'all three write')
    })

    await mishap('the primary is killed, and a standby promoted', async t => {
      const dead = await engines.killPrimary()
      await pause(500)
      await engines.promote()
      const from = performance.now()
      t.ok(await scene.goesOn(), 'writes are back')
      t.comment(`each client writes again ${Math.round(performance.now() - from)} ms after the promotion`)
      await engines.rejoin(dead)
    })

    await mishap('a node stands still for five seconds', async t => {
      t.equal((await untilDone(() => write(one, 'before'))).status, 200)
      scene.known.delete(three)
      three.server.signal('SIGSTOP')
      // Waits in the node's queue until it goes on.
      const waiting = Promise.all([read(three), read(three)])
      // Some of the clients wait there, too.
      t.equal((await untilDone(() => write(one, 'while it stood still'))).status, 200, 'the others write without it')
      await pause(3000)
      three.server.signal('SIGCONT')
      for (const answer of [...(await waiting), await read(three), await read(three)]) {
        const isNew = answer.status === 200 && answer.text.includes('while it stood still')
        t.ok(isNew || answer.status === 503 || isStale(answer), `not old: ${answer.status} ${answer.text}`)
      }
      // Before it has joined again there is nothing that it could read on.
      t.equal((await untilDone(() => write(three, 'again'))).status, 200, 'it writes again')
      scene.known.add(three)
      t.ok(await scene.goesOn(), 'and so do all')
    })

    await mishap('the engine is away for some seconds', async t => {
      const go = engines.freeze()
      const from = performance.now()
      t.teardown(go)
      await pause(3000)
      for (const node of scene.nodes) {
        const answer = await read(node)
        t.equal(answer.status, 200, `${node.name} goes on reading: ${answer.text}`)
        t.ok(isStale(answer), `${node.name} says that it may be old`)
        const refused = await write(node, 'nobody writes now')
        t.equal(refused.status, 503, `${node.name} writes nothing`)
        t.ok(Number(refused.headers['retry-after']) >= 1, `${node.name} says when to come again`)
      }
      // What PostgreSQL had before is acknowledged when all leases are over.
      const begunSince = clients.since(from).filter(({ at, milliseconds }) => at - milliseconds > from)
      const done = begunSince.filter(({ status }) => status === 200)
      t.strictSame(done, [], 'nothing is acknowledged')
      go()
      t.ok(await scene.goesOn(), 'writes are back')
      t.strictSame(await unfresh(read, scene.nodes), [], 'no answer says any more that it may be old')
    })

    await mishap(
      'links are cut and slowed',
      async t => {
        for (const machine of engines.machines) network.cut(one.machine, machine)
        t.teardown(() => network.mend())
        await pause(3000)
        scene.known.delete(one)
        t.ok(await scene.goesOn(), 'the other nodes write without the node that lacks the engine')
        t.equal((await write(one, 'cut off')).status, 503, 'it writes nothing')
        t.ok(isStale(await read(one)), 'what it answers is marked')
        network.mend()
        t.strictSame(await unfresh(read, [one]), [], 'it is back by itself')
        scene.known.add(one)

        for (const other of [one, three]) network.cut(two.machine, other.machine)
        t.ok(await scene.writes(5), 'nodes that do not hear each other write, if slowly')
        network.mend()
        t.ok(await scene.goesOn())

        network.slow(three.machine)
        t.ok(await scene.goesOn(), 'a slow link slows writes')
        network.mend()
      },
      noLinks,
    )

    await mishap(
      'a machine loses power: its connections are not refused',
      async t => {
        for (const { machine } of [...scene.nodes.filter(node => node !== three), ...engines.machines].map(x =>
          'machine' in x ? x : { machine: x },
        ))
          network.cut(three.machine, machine)
        t.teardown(() => network.mend())
        await scene.kill(three)
        t.ok(await scene.goesOn(), 'the others write without it')
        network.mend()
        await scene.start(three)
        t.ok(await scene.goesOn())
      },
      noLinks,
    )

    await mishap('a node joins with an empty folder', async t => {
      t.equal((await untilDone(() => write(two, 'before it came'))).status, 200)
      const four = await scene.join('n4')
      t.match((await untilDone(() => read(four))).text, 'before it came')
      t.ok(await scene.goesOn())
      t.equal((await untilDone(() => write(four, 'by the new one'))).status, 200)
      for (const node of scene.nodes) t.match((await untilDone(() => read(node))).text, 'by the new one', node.name)
    })

    await mishap('each node is restarted in turn, as for an upgrade', async t => {
      const told = await scene.during(0, async () => {
        for (const node of scene.nodes) {
          scene.known.delete(node)
          await node.stop()
          await scene.start(node)
        }
      })
      const failed = told.filter(({ status, text }) => status !== 200 && !(status === 503 && !/doubt/.test(text)))
      t.strictSame(failed, [], 'no request failed except those asked to retry')
    })

    if (KILLS > 0)
      await t.test(`serves clients correctly through ${KILLS} random mishaps`, { timeout: 0 }, () => mishaps(scene))

    await clients.stop()
    const counts = clients.writers.map(({ acknowledged }) => acknowledged)
    t.comment(
      `acknowledged: ${counts.join(', ')}; reads: ${clients.reads}, ${clients.staleReads} of them marked stale, ${clients.overlaps} before a write that others saw`,
    )
    t.strictSame(await disagreements(scene.nodes, clients), [], `the nodes agree about ${id}`)
    for (const { name, server } of scene.nodes) {
      const failed = server.output().match(/^.*"status":500.*$/gm) ?? []
      t.strictSame(failed, [], `${name} never failed to answer`)
    }
  },
)

/** Wrong answers of nodes, or answers still marked as stale after the time for it. */
async function unfresh(
  read: (node: ClusterNode) => ReturnType<typeof ask>,
  nodes: readonly ClusterNode[],
): Promise<string[]> {
  for (let looks = 0; ; looks++) {
    const answers = await Promise.all(nodes.map(async node => ({ node, answer: await read(node) })))
    const wrong = answers.filter(({ answer }) => answer.status !== 200 || isStale(answer))
    if (wrong.length === 0 || looks === 100)
      return wrong.map(
        ({ node, answer: { status, headers, text } }) => `${node.name}: ${status} ${JSON.stringify(headers)} ${text}`,
      )
    await pause(100)
  }
}

/** Random mishaps, one after the other. */
async function mishaps(scene: Scene): Promise<void> {
  const choose = chooser(Date.now() & 0xffff)
  const { engines, network, known, nodes } = scene
  const some = () => nodes[choose(nodes.length)]!
  const all = [
    async () => {
      const node = some()
      await scene.kill(node)
      await pause(choose(3000))
      await scene.start(node)
    },
    async () => {
      const dead = await engines.killPrimary()
      await pause(choose(3000))
      await engines.promote()
      await engines.rejoin(dead)
    },
    async () => {
      const { server } = some()
      server.signal('SIGSTOP')
      await pause(choose(5000))
      server.signal('SIGCONT')
    },
    async () => {
      const go = engines.freeze()
      await pause(choose(6000))
      go()
    },
    async () => {
      if (noLinks) return
      const node = some()
      for (const machine of [...engines.machines, ...nodes.map(({ machine }) => machine)])
        if (machine !== node.machine && choose(2) === 0) network.cut(node.machine, machine)
      await pause(choose(5000))
      network.mend()
    },
    async () => {
      if (noLinks) return
      network.slow(some().machine)
      await pause(choose(3000))
      network.mend()
    },
  ]
  for (let at = 0; at < KILLS; at++) {
    await all[choose(all.length)]!()
    if (known.size !== nodes.length) throw new Error('a node is missing')
    if (!(await scene.goesOn())) throw new Error(`no write after mishap ${at}`)
  }
}
