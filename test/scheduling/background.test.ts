import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Failure } from '../../src/bundle/errors.ts'
import { Background } from '../../src/scheduling/background.ts'
import { eventually } from '../contract/server.ts'

/** A background with a recorded log. */
function open(t: Test) {
  const lines: { data: Record<string, unknown>; msg: string }[] = []
  const log = (data: object, msg: string) => void lines.push({ data: data as Record<string, unknown>, msg })
  const background = new Background({ info: log, warn: log, error: log })
  t.teardown(() => background.close())
  return { background, lines }
}

/** A promise and what settles it. */
function gate() {
  let resolve = () => {}
  const promise = new Promise<void>(settle => {
    resolve = settle
  })
  return { promise, resolve }
}

t.test('logs, reports and retries a failing task until it works', async t => {
  const { background, lines } = open(t)
  let runs = 0
  const task = background.group('acme').task({
    name: 'looking',
    retry: [1, 4],
    run: async () => {
      if (++runs < 5) throw new Error(`no number ${runs}`)
    },
  })
  await t.rejects(task.now(), /no number 1/)
  t.same(background.problems(), [
    { organization: 'acme', name: 'looking', error: "It failed; the server's log says why." },
  ])
  t.ok(await eventually(() => runs === 5 && background.problems().length === 0))
  t.match(
    lines,
    [
      { data: { organization: 'acme', retryMs: 1 }, msg: 'looking failed' },
      { data: { organization: 'acme' }, msg: 'looking works again' },
    ],
    'each cause is logged once',
  )
  t.equal(lines.length, 2)
})

t.test('reports the sentence of a Failure', async t => {
  const { background } = open(t)
  const task = background.task({ name: 'x', run: () => Promise.reject(new Failure('no-space', 'The disk is full.')) })
  await t.rejects(task.now())
  t.match(background.problems(), [{ organization: undefined, error: 'The disk is full.' }])
})

t.test('catches a synchronous throw for every kind of start', async t => {
  const { background } = open(t)
  let runs = 0
  const run = () => {
    runs++
    throw new Error('at once')
  }
  background.task({ name: 'x', run }).in(0)
  background.once('y', run)
  t.ok(await eventually(() => runs === 2 && background.problems().length === 1))
})

t.test('never runs twice at once, and starts one run afterwards for all requests meanwhile', async t => {
  const { background } = open(t)
  const gates = [gate(), gate(), gate()]
  let begun = 0
  const task = background.task({ name: 'x', run: () => gates[begun++]!.promise })
  const first = task.now()
  t.equal(task.join(), first)
  const [second, third] = [task.now(), task.now()]
  t.equal(second, third)
  t.equal(begun, 1)
  gates[0]!.resolve()
  await first
  t.ok(await eventually(() => begun === 2))
  gates[1]!.resolve()
  await second
  t.equal(begun, 2)
  t.notOk(task.running)
})

t.test('uses the last requested time, and delays the retry of a failure', async t => {
  const { background } = open(t)
  let runs = 0
  let fails = false
  const run = () => {
    runs++
    if (fails) throw new Error('no')
  }
  const task = background.task({ name: 'x', retry: [60_000, 60_000], run })
  task.in(0)
  task.in(60_000)
  // No event reports that a timer does not fire.
  await pause(30)
  t.equal(runs, 0, 'put off')
  task.in(0)
  t.ok(await eventually(() => runs === 1))
  fails = true
  await t.rejects(task.now())
  task.in(0)
  // No event reports that a retry is not due.
  await pause(30)
  t.equal(runs, 2, 'not before its time')
  fails = false
  await task.now()
  t.equal(runs, 3, 'unless a caller waits for it')
  task.in(0)
  t.ok(await eventually(() => runs === 4))
})

t.test('repeats a task at its interval, or at the interval that the task returns', async t => {
  const { background } = open(t)
  let [often, once, seldom] = [0, 0, 0]
  background.task({ name: 'x', every: 1, run: () => void often++ }).in(0)
  background.task({ name: 'y', run: () => 60_000 * ++once }).in(0)
  // What a task counts is no time.
  background.task({ name: 'z', every: 60_000, run: () => ++seldom }).in(0)
  t.ok(await eventually(() => often > 5))
  t.strictSame([once, seldom], [1, 1])
})

t.test('cancels waiting tasks and aborts running ones when it closes', async t => {
  const { background, lines } = open(t)
  const group = background.group('acme')
  let [runs, ended] = [0, false]
  const slow = group.task({
    name: 'x',
    run: async signal => {
      runs++
      await pause(60_000, undefined, { signal }).catch(() => {})
      await pause(20)
      ended = true
    },
  })
  slow.in(0)
  const waiting = group.task({ name: 'y', run: () => runs++ })
  t.ok(await eventually(() => runs === 1))
  const after = slow.now()
  waiting.in(20)
  await Promise.all([background.close(), t.rejects(after, { name: 'AbortError' })])
  t.ok(ended)
  await t.rejects(slow.now(), { name: 'AbortError' })
  group.once('z', () => runs++)
  background
    .group()
    .task({ name: 'z', run: () => runs++ })
    .in(0)
  // No event reports that a closed background starts nothing: the timers above were due by now.
  await pause(40)
  t.equal(runs, 1)
  t.same(lines, [])
})
