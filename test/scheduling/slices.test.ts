import t from 'tap'
import { slices } from '../../src/scheduling/slices.ts'
import { inSlices } from '../../src/scheduling/steps.ts'

/** Works that were on in the present turn, and the most that were in any. */
const turn = { on: new Set<number>(), most: 0 }
let going = true
const look = () => {
  turn.most = Math.max(turn.most, turn.on.size)
  turn.on.clear()
  if (going) setImmediate(look)
}

const busy = (milliseconds: number) => {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

t.test('runs one of many long works in each turn', async t => {
  const steps: number[] = []
  const asked = async (work: number) => {
    const pause = slices(1)
    for (let at = 0; at < 5; at++) {
      busy(1)
      await pause()
      turn.on.add(work)
      steps.push(work)
    }
  }
  function* given(work: number) {
    for (let at = 0; at < 3; at++) {
      if (at > 0) turn.on.add(work)
      busy(9)
      yield undefined
    }
  }
  const all = Promise.all([0, 1, 2, 3].map(asked).concat([4, 5].map(work => inSlices(given(work)))))
  setImmediate(look)
  await all
  going = false
  t.equal(turn.most, 1)
  t.strictSame(steps.slice(0, 8), [0, 1, 2, 3, 0, 1, 2, 3], 'by turns')
})

t.test('limits works that begin in one turn to the time of one', async t => {
  const WORKS = 8
  let steps = 0
  const all = Promise.all(
    Array.from({ length: WORKS }, async () => {
      const pause = slices()
      for (let at = 0; at < 6; at++) {
        busy(1)
        steps++
        await pause()
      }
    }),
  )
  const first = await new Promise<number>(resolve => setImmediate(() => resolve(steps)))
  t.equal(first, WORKS, 'a step of each')
  await all
})

t.test('rests as the caller wants between slices, and counts the work without the rests', async t => {
  let rests = 0
  const pause = slices(2, async () => {
    rests++
    busy(20)
  })
  for (let at = 0; at < 40; at++) {
    busy(0.5)
    await pause()
  }
  t.ok(rests >= 5, `${rests} rests`)
  t.ok(rests < 40, 'steps within a slice follow each other')
  const before = pause.worked()
  t.ok(before >= 20, `${before} ms of work`)
  busy(5)
  t.ok(pause.worked() >= before + 5, 'the slice that has not ended counts as well')
})
