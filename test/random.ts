/**
 * Random numbers of tests. The first use in a process prints the seed; `RANDOM_SEED` repeats the numbers of that run.
 * Races repeat only as far as their timing does.
 */

let state: number | undefined

/** Returns the next number in [0, 1), by the generator mulberry32. */
export function random(): number {
  state ??= seed()
  state = (state + 0x6d2b79f5) | 0
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

function seed(): number {
  const given = Number(process.env.RANDOM_SEED ?? Math.trunc(Math.random() * 2 ** 31))
  console.log(`# random numbers by RANDOM_SEED=${given}`)
  return given
}
