/** Copies of bytes in slices: new memory costs up to 5 ms a megabyte on some systems. */
import { slices } from './slices.ts'

/** Bytes that are copied without a pause. */
const AT_ONCE = 256 * 1024

/**
 * The parts one after the other.
 * @param before bytes that the caller fills
 * @param pause of a larger work that this is part of
 * @param own whether no other Buffer shares the memory: that costs small ones more
 */
export async function joinBytes(
  parts: readonly Uint8Array[],
  { before = 0, pause = slices(), own = false } = {},
): Promise<Buffer> {
  const length = parts.reduce((length, part) => length + part.length, before)
  const joined = own ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length)
  let end = before
  for (const part of parts) {
    for (let at = 0; at < part.length; at += AT_ONCE) {
      joined.set(part.subarray(at, at + AT_ONCE), end + at)
      await pause()
    }
    end += part.length
  }
  return joined
}
