/** What a SharedLog must do, tried on each of them. */
import type { Test } from 'tap'
import { Failure } from '../../src/bundle/errors.ts'
import type { ClusterLog, LogEntry, NewEntry, StreamPosition } from '../../src/cluster/cluster-log.ts'
import { Overtaken } from '../../src/store/write/shared-log.ts'
import { eventually } from '../eventually.ts'

const entry = (id: string, head: string | null = `head of ${id}`): NewEntry => ({
  id,
  head,
  frame: Buffer.from(`frame of ${id}`),
})

/** A log gives some at a time. */
async function readAll(log: ClusterLog, stream: string, after: number): Promise<LogEntry[]> {
  const some = await log.read(stream, after)
  return some.length === 0 ? [] : [...some, ...(await readAll(log, stream, some.at(-1)!.seq))]
}

/** @param logs two nodes' views of one log, empty */
export async function logContract(t: Test, [one, other]: readonly [ClusterLog, ClusterLog]): Promise<void> {
  await t.test('entries are read by every node, in order, as they were written', async t => {
    await one.append('order', 0, entry('a'))
    await other.append('order', 1, entry('b'))
    await one.append('order', 2, entry('c', 'head of b'))
    const all = [
      { seq: 1, ...entry('a') },
      { seq: 2, ...entry('b') },
      { seq: 3, ...entry('c', 'head of b'), isLast: true },
    ]
    for (const log of [one, other]) t.strictSame(await readAll(log, 'order', 0), all)
    t.strictSame(await readAll(other, 'order', 2), all.slice(2))
    t.strictSame(await readAll(other, 'order', 3), [])
    t.strictSame(await readAll(other, 'nothing', 0), [])
  })

  await t.test('a place is given once', async t => {
    await one.append('place', 0, entry('a'))
    for (const after of [0, 5]) await t.rejects(other.append('place', after, entry('x')), Overtaken, `after ${after}`)
    const ends = await Promise.allSettled([one, other, one].map((log, n) => log.append('place', 1, entry(`race ${n}`))))
    t.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
    for (const end of ends) if (end.status === 'rejected') t.type(end.reason, Overtaken)
    t.equal((await readAll(one, 'place', 0)).length, 2)
    const first = await Promise.allSettled([one, other].map((log, n) => log.append('race', 0, entry(`first ${n}`))))
    t.strictSame(first.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  await t.test('a repository is found by where its branch is', async t => {
    t.equal(await one.find('find', null), 0, 'an unknown stream')
    await one.append('find', 0, entry('a', null))
    await one.append('find', 1, entry('b', 'B'))
    await one.append('find', 2, entry('c', 'B'))
    await one.append('find', 3, entry('d', 'D'))
    t.equal(await other.find('find', null), 0)
    t.equal(await other.find('find', 'B'), 2, 'tags after it are read again')
    t.equal(await other.find('find', 'D'), 4)
    t.equal(await other.find('find', 'other'), undefined)
  })

  await t.test('every node has heard before an entry is there, and soon that it is', async t => {
    const heard: [number, number] = [0, 0]
    const there: [number, number] = [0, 0]
    const early: [number[], number[]] = [[], []]
    const ends = [one, other].map((log, n) =>
      log.follow('hear', position => {
        heard[n] = position.announced
        there[n] = position.committed
        if (position.committed < position.announced) early[n]!.push(position.announced)
      }),
    )
    await one.append('hear', 0, entry('a'))
    t.strictSame(heard, [1, 1])
    await other.append('hear', 1, entry('b'))
    t.strictSame(heard, [2, 2])
    t.ok(await eventually(() => there.every(seq => seq === 2)), String(there))
    for (const seqs of early) t.strictSame([...new Set(seqs)], [1, 2], 'of each it heard before it was there')
    const late: StreamPosition[] = []
    ends.push(other.follow('hear', position => late.push(position)))
    t.strictSame(late, [{ announced: 2, committed: 2 }], 'at once')
    for (const end of ends) end()
    await one.append('hear', 2, entry('c'))
    t.strictSame([heard, late.length], [[2, 2], 1])
  })

  await t.test('what is refused was heard of, and does no harm', async t => {
    await one.append('refused', 0, entry('a'))
    const heard: StreamPosition[] = []
    const end = other.follow('refused', position => heard.push(position))
    await t.rejects(one.append('refused', 5, entry('x')), Overtaken)
    t.strictSame(await readAll(other, 'refused', 1), [])
    await other.append('refused', 1, entry('b'))
    t.equal((await readAll(one, 'refused', 0)).length, 2)
    end()
  })

  await t.test('others wait for a turn, which is not overtaken', async t => {
    await one.append('turn', 0, entry('a'))
    const turn = await one.turn('turn')
    const events: string[] = []
    const waiting = other.append('turn', 1, entry('other')).then(
      () => events.push('other'),
      error => events.push(error.name),
    )
    await turn.append(1, entry('b'))
    events.push('turn')
    await turn.release()
    await waiting
    t.ok(events.includes('turn') && events.includes('Overtaken'), String(events))
    t.strictSame(
      (await readAll(other, 'turn', 0)).map(({ id }) => id),
      ['a', 'b'],
    )
    const unused = await other.turn('turn')
    await unused.release()
    await one.append('turn', 2, entry('c'))
    const held = await other.turn('turn')
    await t.rejects(held.append(1, entry('x')), Overtaken, 'for who has not read all')
    await held.release()
    await one.append('turn', 3, entry('d'))
    const empty = await other.turn('turn of none')
    await empty.append(0, entry('a'))
    await empty.release()
    t.equal((await readAll(one, 'turn of none', 0)).length, 1)
  })

  await t.test('much is read in parts', async t => {
    const frame = Buffer.alloc(3 * 1024 * 1024, 'x')
    for (let seq = 0; seq < 4; seq++) await one.append('much', seq, { id: `${seq}`, head: null, frame })
    let read = 0
    while (read < 4) {
      const entries = await answered(() => other.read('much', read))
      t.ok(entries.length > 0)
      for (const entry of entries) t.ok(entry.seq === ++read && entry.frame.equals(frame) && !entry.isLast === read < 4)
    }
  })

  await t.test('a removed stream accepts no entry and is not found', async t => {
    await one.append('gone', 0, entry('a'))
    await other.remove('gone')
    for (const after of [0, 1]) {
      const error: unknown = await one.append('gone', after, entry('b')).catch((error: unknown) => error)
      t.ok(error instanceof Overtaken || (error instanceof Failure && error.code === 'not-found'), `after ${after}`)
    }
    await t.rejects(one.find('gone', null), { code: 'not-found' })
    await t.rejects(one.turn('gone'), { code: 'not-found' })
  })
}

/** Asks again while the database answers too late, as callers do: three megabytes on a busy machine. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'unavailable' || tries === 10) throw error
    }
  }
}
