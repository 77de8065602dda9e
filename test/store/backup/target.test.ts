import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { Background } from '../../../src/scheduling/background.ts'
import { FairSlots } from '../../../src/scheduling/fair-slots.ts'
import type { TargetDelays } from '../../../src/store/backup/delays.ts'
import { BackupTarget, type TargetOutcome } from '../../../src/store/backup/target.ts'
import { eventually } from '../../contract/server.ts'

const DELAYS: TargetDelays = { settle: 40, latest: 400, firstRetry: 40, lastRetry: 160, push: 60_000, grace: 5_000 }
const DONE: TargetOutcome = { state: 'done', refs: new Map(), surprising: false }
const AWAY: TargetOutcome = { state: 'failed', reason: 'unreachable', sentence: 'It is away.', words: 'git: away' }

/** A target with pushes that end as `outcome` says at the moment, and the times of their starts. */
class Scene {
  began: number[] = []
  said: string[] = []
  outcome: (signal: AbortSignal) => Promise<TargetOutcome> = async () => DONE
  copy: BackupTarget

  constructor(options: { delays?: Partial<TargetDelays>; slots?: FairSlots } = {}) {
    const say = (_data: object, text: string) => void this.said.push(text)
    this.copy = new BackupTarget({
      id: 'acme',
      delays: { ...DELAYS, ...options.delays },
      slots: options.slots ?? new FairSlots(2, Number.POSITIVE_INFINITY),
      background: new Background({ warn() {}, info: say, error: say }),
      log: { info: say, warn: say, error: say },
      push: signal => {
        this.began.push(performance.now())
        return this.outcome(signal)
      },
    })
    t.teardown(() => this.copy.end(0))
  }
}

t.test('changes that come together are pushed together, once they have settled', async t => {
  const { copy, began } = new Scene()
  t.match(copy.status, { state: 'ok', lag: 0, lastSuccess: null })
  const start = performance.now()
  let [last, longest] = [start, 0]
  for (let i = 0; i < 10; i++) {
    copy.changed()
    await pause(5)
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }
  if (longest >= DELAYS.settle) return t.comment(`they did not come together: ${longest} ms lay between two`)
  t.equal(copy.status.state, 'pending')
  t.ok(copy.status.lag > 0 && copy.status.lag < 60)
  t.ok(await eventually(() => copy.status.state === 'ok'))
  t.equal(began.length, 1)
  t.ok(began[0]! - start >= DELAYS.settle)
  t.equal(copy.status.lag, 0)
})

t.test('steady writing does not put it off for ever', async t => {
  const { copy, began } = new Scene({ delays: { settle: 5_000, latest: 150 } })
  const start = performance.now()
  while (began.length === 0 && performance.now() - start < 4_000) {
    copy.changed()
    await pause(2)
  }
  t.equal(began.length, 1, 'before it settled')
  t.ok(began[0]! - start >= 149)
})

t.test('a change counts from now, however long the thread pauses between two looks at the clock', async t => {
  const { copy } = new Scene({ delays: { settle: 5_000 } })
  const { now } = Date
  let looks = 0
  Date.now = () => now() + 5_000 * looks++
  try {
    copy.changed()
  } finally {
    Date.now = now
  }
  t.ok(copy.status.lag < 1, `${copy.status.lag} s`)
})

t.test('what changes during a push is pushed after it, and counts as not pushed until then', async t => {
  const scene = new Scene()
  const { copy, began } = scene
  let finish = () => {}
  scene.outcome = () => new Promise(resolve => (finish = () => resolve(DONE)))
  copy.changed()
  t.ok(await eventually(() => began.length === 1))
  await pause(30)
  t.ok(copy.status.lag >= 0.03, 'what is under way is not there yet')
  copy.changed()
  finish()
  await pause(1)
  t.equal(copy.status.state, 'pending')
  t.ok(await eventually(() => began.length === 2))
  finish()
  t.ok(await eventually(() => copy.status.state === 'ok'))
  await pause(100)
  t.equal(began.length, 2)
})

t.test('a failure is tried again, each time later, however much changes meanwhile', async t => {
  const scene = new Scene({ delays: { settle: 1 } })
  const { copy, began, said } = scene
  scene.outcome = async () => AWAY
  const start = performance.now()
  copy.changed()
  const writing = setInterval(() => copy.changed(), 2)
  t.ok(await eventually(() => began.length >= 6))
  clearInterval(writing)
  const gaps = began.slice(1).map((at, index) => at - began[index]!)
  // 40, 80, 160, 160, 160 milliseconds, each by a quarter less at the least.
  for (const [index, least] of [30, 60, 120, 120, 120].entries())
    t.ok(gaps[index]! >= least - 1, `${gaps[index]} after ${least}`)
  t.match(copy.status, { state: 'failing', error: 'It is away.', lastSuccess: null })
  t.ok(copy.status.lag * 1000 >= began[5]! - start - 50, 'the lag grows from the first change')
  t.equal(copy.failed, began.length)
  t.strictSame(said, ['It is away.'], 'told once')
  t.equal(copy.troubled(60_000), false)
  t.equal(copy.troubled(100), true)
  scene.outcome = async () => DONE
  t.ok(await eventually(() => copy.status.state === 'ok'))
  t.equal(copy.troubled(0), false)
  t.match(said, ['It is away.', 'the backup works again'])
})

t.test('a diverged remote is trouble at once, and is looked at again', async t => {
  const scene = new Scene()
  scene.outcome = async () => ({ state: 'diverged', sentence: 'Someone was there.', words: '' })
  scene.copy.changed()
  t.ok(await eventually(() => scene.began.length >= 2))
  t.match(scene.copy.status, { state: 'diverged', error: 'Someone was there.' })
  t.equal(scene.copy.troubled(60_000), true)
  scene.outcome = async () => DONE
  t.ok(await eventually(() => scene.copy.status.state === 'ok'))
})

t.test('every throw is a failure; only a Failure has its sentence reported', async t => {
  const scene = new Scene()
  scene.outcome = () => Promise.reject(new Error('ENOENT /srv/secret'))
  scene.copy.changed()
  t.ok(await eventually(() => scene.copy.status.state === 'failing'))
  t.equal(scene.copy.status.error, "The backup failed; the server's log says why.")
  scene.outcome = () => Promise.reject(new Failure('unavailable', 'The repository is away.'))
  t.ok(await eventually(() => scene.copy.status.error === 'The repository is away.'))
  t.ok(await eventually(() => scene.began.length > 5))
  t.strictSame(scene.said, ['a backup failed', 'a backup failed'], 'each is logged once')
})

t.test('a push that lasts too long is ended, and gets more time', async t => {
  const scene = new Scene({ delays: { push: 5, firstRetry: 1, lastRetry: 1 } })
  // A timer begins with the turn of its thread, so that on a busy machine it ends early by any clock.
  const limits: number[] = []
  const { timeout } = AbortSignal
  t.teardown(() => {
    AbortSignal.timeout = timeout
  })
  AbortSignal.timeout = milliseconds => {
    // The targets of other tests have the usual one.
    if (milliseconds < DELAYS.push) limits.push(milliseconds)
    return timeout.call(AbortSignal, milliseconds)
  }
  let ended = 0
  scene.outcome = async signal => {
    if (!signal.aborted) await once(signal, 'abort')
    ended++
    return { state: 'failed', reason: 'slow', sentence: 'Too slow.', words: '' }
  }
  scene.copy.changed()
  t.ok(await eventually(() => ended >= 9))
  t.strictSame(limits.slice(0, 9), [5, 10, 20, ...Array(6).fill(40)], 'but not for ever')
  t.match(scene.copy.status, { state: 'failing', error: 'Too slow.' })
})

t.test('no more push at once than there are slots', async t => {
  const slots = new FairSlots(2, Number.POSITIVE_INFINITY)
  let now = 0
  let most = 0
  const scenes = Array.from({ length: 12 }, () => new Scene({ slots }))
  for (const scene of scenes) {
    scene.outcome = async () => {
      most = Math.max(most, ++now)
      await pause(10)
      now--
      return DONE
    }
    scene.copy.changed()
  }
  t.ok(await eventually(() => scenes.every(({ copy }) => copy.status.state === 'ok')))
  t.equal(most, 2)
})

t.test('at the end a push has a moment; then it is ended, and has not failed', async t => {
  const quick = new Scene()
  quick.outcome = async () => {
    await pause(80)
    return DONE
  }
  quick.copy.changed()
  t.ok(await eventually(() => quick.began.length === 1))
  await quick.copy.end()
  t.equal(quick.copy.status.state, 'ok')

  const slow = new Scene()
  slow.outcome = signal =>
    new Promise(resolve => {
      signal.addEventListener('abort', () => resolve({ state: 'failed', reason: 'slow', sentence: 'x', words: '' }))
    })
  slow.copy.changed()
  t.ok(await eventually(() => slow.began.length === 1))
  await slow.copy.end(20)
  t.match(slow.copy.status, { state: 'pending', error: undefined })
  t.equal(slow.copy.failed, 0)
  slow.copy.changed()
  await slow.copy.pushNow()
  await pause(100)
  t.equal(slow.began.length, 1, 'nothing more begins')

  const waiting = new Scene()
  waiting.copy.changed()
  await waiting.copy.end()
  await pause(100)
  t.equal(waiting.began.length, 0)
})

t.test('a caller may say how old a change is', async t => {
  const scene = new Scene()
  scene.outcome = async () => AWAY
  scene.copy.changed(Date.now() - 3_600_000)
  t.ok(await eventually(() => scene.copy.status.state === 'failing'))
  t.ok(scene.copy.status.lag >= 3600 && scene.copy.status.lag < 3700, String(scene.copy.status.lag))
  scene.copy.changed()
  t.ok(scene.copy.status.lag >= 3600, 'the oldest counts')
  scene.outcome = async () => DONE
  t.ok(await eventually(() => scene.copy.status.lag === 0))
})
