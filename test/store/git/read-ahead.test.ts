import t from 'tap'
import { readAhead } from '../../../src/store/git/history-page.ts'

async function* numbers(count: number, seen: number[]) {
  try {
    for (let n = 0; n < count; n++) yield n
  } finally {
    seen.push(-1)
  }
}

t.test('everything in order, so many begun at most', async t => {
  for (const depth of [1, 2, 7, 100]) {
    const begun: number[] = []
    const given: number[] = []
    let most = 0
    for await (const [n, double] of readAhead(
      numbers(20, []),
      n => begun.push(n) && 2 * n,
      () => depth,
    )) {
      most = Math.max(most, begun.length - given.length)
      t.equal(double, 2 * n)
      given.push(n)
    }
    t.strictSame(
      given,
      Array.from({ length: 20 }, (_, n) => n),
    )
    t.equal(most, Math.min(depth, 20))
  }
})

t.test('the source ends when its reader stops, and its failure is passed on', async t => {
  const seen: number[] = []
  for await (const [n] of readAhead(
    numbers(20, seen),
    n => n,
    () => 3,
  ))
    if (n === 4) break
  t.strictSame(seen, [-1])
  const failing = readAhead(
    numbers(3, []),
    n => {
      if (n === 2) throw new Error('two')
    },
    () => 2,
  )
  await t.rejects(async () => {
    for await (const _ of failing);
  }, /two/)
})
