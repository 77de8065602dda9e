/** Nodes on PostgreSQL: waiting for a node, its removal, and the rights of a removed node. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { ClusterNode } from '../../src/cluster/cluster-node.ts'
import { LEASE_MS } from '../../src/cluster/lease.ts'
import { ACCOUNTS } from '../../src/cluster/stream-positions.ts'
import { eventually } from '../eventually.ts'
import { startNode } from './nodes.ts'
import { noPostgres, type Postgres, startPostgres } from './postgres.ts'

const entry = (id: string) => ({ id, head: `head of ${id}`, frame: Buffer.from(id) })

t.test('nodes', { skip: noPostgres() }, async t => {
  const postgres: Postgres = await startPostgres(t)

  await t.test('no node waits for a process that is gone, and it is removed', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    await one.log.append('org', 0, entry('a'))
    t.equal((await one.node.announcer.peers()).length, 1)
    other.freeze()
    await new Promise<void>(resolve => other.server.close(() => resolve()).closeAllConnections())
    const from = performance.now()
    await one.log.append('org', 1, entry('b'))
    t.ok(performance.now() - from < LEASE_MS, 'less than a lease')
    t.equal((await one.node.announcer.peers()).length, 0)
  })

  await t.test(
    'a silent one is waited for until its lease is over, and cannot write until it has joined again',
    async t => {
      const url = await postgres.database()
      const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
      other.freeze()
      await one.log.append('org', 0, entry('a'))
      t.equal(other.node.lease.isValid, false, 'when the answer leaves it has no lease')
      t.strictSame(await one.node.announcer.peers(), [])
      await t.rejects(other.log.append('org', 1, entry('b')), { code: 'unavailable', data: { retryAfter: 1 } })
      t.equal((await one.log.read('org', 0)).length, 1, 'nothing was written')
      const from = performance.now()
      await one.log.append('org', 1, entry('c'))
      t.ok(performance.now() - from < LEASE_MS, 'the next one waits for no node')
    },
  )

  await t.test('one that no other node reaches, but that renews its lease, answers with nothing old', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    let heard = 0
    other.log.follow('org', position => (heard = position.announced))
    other.deafen()
    let old = 0
    let number = 0
    for (const from = performance.now(); performance.now() - from < 4 * LEASE_MS; await pause(20)) {
      await one.log.append('org', number, entry(`${number}`))
      number++
      if (other.node.lease.isValid && heard < number) old++
    }
    t.equal(old, 0, `of ${number} acknowledged entries`)
  })

  await t.test('a node that was removed by mistake joins again, by another name, with all missed entries', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    const heard: number[] = []
    other.log.follow('org', position => heard.push(position.committed))
    const settled: string[] = []
    other.node.settleWith(async () => void settled.push('settled'))
    const { id } = other.node
    await one.node.announcer.evict(id)
    await one.log.append('org', 0, entry('a'))
    t.ok(await eventually(() => other.node.id !== id && other.node.lease.isValid))
    t.equal(heard.at(-1), 1)
    t.strictSame(settled, ['settled'], 'writes of before have failed by then')
    await other.log.append('org', 1, entry('b'))
    t.strictSame(
      (await one.node.announcer.peers()).map(({ id }) => id),
      [other.node.id],
    )
  })

  await t.test('one that joins while others write knows each entry before anybody can read it', async t => {
    const url = await postgres.database()
    const one = await startNode(t, url, 'one')
    let number = 0
    let isOver = false
    const writing = (async () => {
      for (; !isOver; number++) await one.log.append('org', number, entry(`${number}`))
    })()
    let newcomer: { node: ClusterNode; heard: number } | undefined
    let old = 0
    let seen = 0
    const reading = (async () => {
      while (!isOver) {
        const after = Math.max(0, number - 5)
        const { length } = await one.log.read('org', after)
        if (!newcomer?.node.lease.isValid) continue
        seen++
        if (newcomer.heard < after + length) old++
      }
    })()
    for (let member = 0; member < 16; member++) {
      const joined = await startNode(t, url, `${member}`, (log, node) => {
        const heard = { node, heard: 0 }
        log.follow('org', position => (heard.heard = position.announced))
        newcomer = heard
      })
      await pause(20)
      newcomer = undefined
      await joined.close()
    }
    isOver = true
    await Promise.all([writing, reading])
    t.strictSame([old, seen > 20], [0, true])
  })

  await t.test('a turn goes on when another node joins in it', async t => {
    const url = await postgres.database()
    const one = await startNode(t, url, 'one')
    await one.log.append('org', 0, entry('a'))
    const turn = await one.log.turn('org')
    let heard = 0
    await startNode(t, url, 'other', log => log.follow('org', position => (heard = position.announced)))
    await turn.append(1, entry('b'))
    t.equal(heard, 2)
    await turn.release()
    await one.log.append('org', 2, entry('c'))
    t.equal((await one.log.read('org', 0)).length, 3)
  })

  await t.test('accounts: a node says that it has heard when it knows them', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    const events: string[] = []
    other.node.positions.follow(ACCOUNTS, async ({ committed: there }) => {
      await pause(50)
      events.push(`known ${there}`)
    })
    await one.node.announcer.untilReplicated(ACCOUNTS, 7)
    events.push('told')
    t.strictSame(events, ['known 7', 'told'])
    t.ok(other.node.lease.isValid)
  })

  await t.test('a connection that is lost in the middle', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    const cut = async () => {
      const text = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'parlance log'`
      await other.engine.query('lease', text)
    }
    await one.log.append('org', 0, entry('a'))
    // The row is held by another: the append waits for it when its connection goes.
    const turn = await other.log.turn('org')
    const waiting = one.log.append('org', 1, entry('b'))
    await eventually(async () => {
      const text = `select 1 from pg_stat_activity where wait_event_type = 'Lock'`
      return (await other.engine.query('lease', text)).length > 0
    })
    await cut()
    await turn.release()
    await waiting
    const ids = (await one.log.read('org', 0)).map(({ id }) => id)
    t.strictSame(ids, ['a', 'b'], 'it is found out that nothing was written, and it is written')
  })

  await t.test('a turn lasts as long as its node is alive, and no longer', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    await one.log.append('org', 0, entry('a'))
    const long = await one.log.turn('org')
    await pause(6000)
    await long.append(1, entry('b'))
    await long.release()
    const stopped = await one.log.turn('org')
    const from = performance.now()
    one.freeze()
    const next = await other.log.turn('org')
    t.ok(performance.now() - from < 6000, 'a turn of a node that stands still is over sooner than that')
    await next.append(2, entry('c'))
    await next.release()
    await t.rejects(stopped.append(2, entry('d')))
    await stopped.release()
    const ids = (await other.log.read('org', 0)).map(({ id }) => id)
    t.strictSame(ids, ['a', 'b', 'c'])
  })

  await t.test('the database goes away and comes back', async t => {
    const url = await postgres.database()
    const one = await startNode(t, url, 'one')
    await one.log.append('org', 0, entry('a'))
    await postgres.kill()
    await t.rejects(one.log.append('org', 1, entry('b')), { code: 'unavailable' })
    t.ok(await eventually(() => !one.node.lease.isValid && one.node.isFailing))
    t.equal(await one.node.fresh(), false)
    await postgres.start()
    t.ok(await eventually(() => one.node.lease.isValid), 'it renews its lease by itself')
    const present = await one.log.read('org', 0)
    await one.log.append('org', present.length, entry('c'))
    t.equal((await one.log.read('org', 0)).at(-1)?.id, 'c')
  })

  await t.test('the log is shortened to what every member holds', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    for (const [seq, id] of ['a', 'b', 'c'].entries()) await one.log.append('org', seq, entry(id))
    await one.log.append('org', 3, { ...entry('tag'), head: 'head of c' })
    one.log.sealed('org', 4)
    await one.sealed.write()
    t.equal(await one.sealed.trim(), 0, 'the other one has nothing yet')
    other.log.sealed('org', 2)
    await other.sealed.write()
    t.equal(await one.sealed.trim(), 2)
    t.strictSame(
      (await one.log.read('org', 2)).map(({ id }) => id),
      ['c', 'tag'],
    )
    await t.rejects(one.log.read('org', 0), { code: 'unavailable', message: /reseed org/ })
    t.equal(await one.log.find('org', 'head of b'), 2)
    t.equal(await one.log.find('org', 'head of a'), undefined)
    t.equal(await one.log.find('org', null), undefined)
    other.log.sealed('org', 4)
    await other.sealed.write()
    t.equal(await one.sealed.trim(), 1, 'the tags of the last commit stay')
    t.equal(await one.log.find('org', 'head of c'), 3)
    t.strictSame(
      (await one.log.read('org', 3)).map(({ id }) => id),
      ['tag'],
    )
  })

  await t.test('the log is shortened to what the backup holds, though more is always left to push', async t => {
    const url = await postgres.database()
    const one = await startNode(t, url, 'one', undefined, true)
    await startNode(t, url, 'other', undefined, true)
    // The other one has sealed all.
    await one.engine.query('log', `insert into sealed values ('org', 'other', 9)`)
    const ages: number[] = []
    for (const [seq, id] of ['a', 'b', 'c', 'd'].entries()) {
      await one.log.append('org', seq, entry(id))
      one.log.sealed('org', seq + 1)
      await one.sealed.backedUp((_, milliseconds) => ages.push(milliseconds) < 0)
    }
    await one.sealed.write()
    t.equal(await one.sealed.trim(), 0)
    t.ok(ages.length === 6 && ages[3]! > ages[4]! && ages[4]! > ages[5]!, String(ages))
    let looks = 0
    await one.sealed.backedUp(() => ++looks <= 2)
    t.equal(await one.sealed.trim(), 2, 'of four looks the backup has what there was at the second')
  })
})
