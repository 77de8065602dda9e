/** Estimates from its bytes alone how long JSON occupies a thread. Names, texts and segments cost most. */

/**
 * Work of a byte, by its value. Measured on Node 24: a name or text costs 2.4 µs beside its bytes, a segment of a
 * dotted key as much, an empty object or array 1 µs. A megabyte of work is some 20 ms.
 */
const WEIGHTS = new Uint8Array(256).fill(1)
for (const [sign, weight] of Object.entries({ '"': 48, '.': 96, '{': 48, '[': 48, ',': 16 })) {
  WEIGHTS[sign.charCodeAt(0)] = weight
}

/** Counting stops here: far above any bound that is compared with. */
const MOST_WORK = 2 ** 22

const known = new WeakMap<Uint8Array, number>()

/** The work of reading a file or body of JSON, in bytes of prose; not counted beyond four million. */
export function workOf(bytes: Uint8Array): number {
  if (bytes.length >= MOST_WORK) return MOST_WORK
  let work = known.get(bytes)
  if (work !== undefined) return work
  work = 0
  for (let at = 0; at < bytes.length && work < MOST_WORK; at++) work += WEIGHTS[bytes[at]!]!
  known.set(bytes, work)
  return work
}

/** The work of all bytes in a value, such as a task. */
export const workIn = (value: unknown): number => bytesIn(value).reduce((sum, bytes) => sum + workOf(bytes), 0)

/** All bytes in a value, at any depth. */
export function bytesIn(value: unknown, found: Uint8Array[] = []): Uint8Array[] {
  if (value instanceof Uint8Array) found.push(value)
  else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) bytesIn(part, found)
  return found
}
