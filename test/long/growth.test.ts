import t from 'tap'
import { growth } from './growth.ts'

/** The same numbers from -1 to 1 in every run. */
function noise(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 30 - 1
}

t.test('finds no growth in noise, and growth within noise', async t => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = noise(seed)
    const flat = Array.from({ length: 40 }, () => 100 + 20 * random())
    t.ok(Math.abs(growth(flat)) < 0.2, `seed ${seed}: noise of a fifth: ${growth(flat)}`)
    const rising = flat.map((value, at) => value + at)
    t.ok(growth(rising) > 0.2, `seed ${seed}: a hundredth more each time: ${growth(rising)}`)
  }
})

t.test('ignores single values', async t => {
  t.equal(growth([100, 100, 100, 100, 100, 100, 100, 900]), 0, 'a spike at the end')
  t.ok(growth([900, 100, 110, 120, 130, 140, 150, 160]) > 0.3, 'a spike at the beginning')
  t.equal(growth([]), 0)
  t.equal(growth([5]), 0)
})
