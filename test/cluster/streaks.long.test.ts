/** A node announces a streak of entries once, and no node denies what another may show. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { random } from '../random.ts'
import { startNode, type TestNode } from './nodes.ts'
import { noPostgres, startPostgres } from './postgres.ts'

const entry = (id: number) => ({ id: `${id}`, head: `head of ${id}`, frame: Buffer.from(`${id}`) })

/** Puts something before what a node does with each request. */
function before(node: TestNode, act: () => unknown): void {
  const [handle] = node.server.listeners('request')
  node.server.removeAllListeners('request').on('request', async (request, response) => {
    await act()
    handle!(request, response)
  })
}

t.test('streaks', { skip: noPostgres() }, async t => {
  const postgres = await startPostgres(t)

  await t.test('of most of its entries the others hear nothing before they are there', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    let requests = 0
    before(other, () => requests++)
    let last = { announced: 0, committed: 0 }
    other.log.follow('org', position => (last = position))
    for (let seq = 0; seq < 300; seq++) await one.log.append('org', seq, entry(seq))
    t.ok(requests < 300, `${requests} requests`)
    t.ok(await eventually(() => last.announced === 300), 'in the end it knows that no more come')
    t.equal(last.committed, 300)
  })

  await t.test('every node has heard of an entry before it can be read', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    // In another order than they were sent.
    before(other, () => pause(random() < 0.5 ? 0 : 40 * random()))
    let heard = 0
    let windows = 0
    other.log.follow('org', position => {
      heard = position.announced
      if (heard === Number.POSITIVE_INFINITY) windows++
    })
    let number = 0
    let isOver = false
    let denied = 0
    const reading = (async () => {
      while (!isOver) {
        const after = Math.max(0, number - 5)
        const { length } = await one.log.read('org', after)
        if (heard < after + length) denied++
      }
    })()
    for (let streak = 0; streak < 60; streak++) {
      for (const end = number + 1 + (streak % 7); number < end; number++) {
        await one.log.append('org', number, entry(number))
        if (heard < number + 1) denied++
      }
      // About when the end of a streak is announced.
      await pause(60 * random())
    }
    isOver = true
    await reading
    t.equal(denied, 0, `of ${number} entries`)
    t.ok(windows > 0)
  })

  await t.test('a streak that ends while an entry is being written ends with that one', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    let heard = 0
    other.log.follow('org', position => (heard = position.announced))
    let number = 0
    while (heard < Number.POSITIVE_INFINITY) await one.log.append('org', number, entry(number++))
    const turn = await other.log.turn('org')
    const writing = one.log.append('org', number, entry(number))
    t.ok(await eventually(() => heard < Number.POSITIVE_INFINITY))
    t.equal(heard, number + 1)
    await turn.release()
    await writing
  })

  await t.test('one that dies in a streak is looked after until it is out', async t => {
    const url = await postgres.database()
    const [one, other] = [await startNode(t, url, 'one'), await startNode(t, url, 'other')]
    let heard = 0
    other.log.follow('org', position => {
      heard = position.announced
      // Nothing more is heard of it.
      if (heard === Number.POSITIVE_INFINITY) other.deafen()
    })
    let number = 0
    while (heard < Number.POSITIVE_INFINITY) await one.log.append('org', number, entry(number++))
    await pause(1000)
    t.equal(heard, Number.POSITIVE_INFINITY, 'it may still write')
    await other.node.announcer.evict(one.node.id)
    t.ok(await eventually(() => heard === number), `what it has written is known: ${heard} of ${number}`)
  })
})
