/** The encoding of a pack's entries (gitformat-pack). */
import { Failure } from '../../bundle/errors.ts'

/** An entry's type and size: four bits of the size in the first byte, seven in each next, lowest first. */
export function entryHeader(type: number, size: number): Buffer {
  const bytes: number[] = []
  let byte = (type << 4) | (size & 0x0f)
  for (let rest = Math.floor(size / 0x10); rest > 0; rest = Math.floor(rest / 0x80)) {
    bytes.push(byte | 0x80)
    byte = rest & 0x7f
  }
  return Buffer.from([...bytes, byte])
}

/** The rest of a size by `entryHeader`, in units of 16. @throws Failure `unavailable` past 2^49 */
export function readEntrySize(next: () => number): number {
  let size = 0
  for (let weight = 1; weight <= 2 ** 42; weight *= 0x80) {
    const byte = next()
    size += (byte & 0x7f) * weight
    if (byte < 0x80) return size
  }
  throw new Failure('unavailable', 'A pack entry states an impossible size.')
}

/** A base's distance before its delta: seven bits a byte, highest first, each next from one. */
export function baseDistance(distance: number): Buffer {
  const bytes = [distance & 0x7f]
  for (let rest = Math.floor(distance / 0x80) - 1; rest >= 0; rest = Math.floor(rest / 0x80) - 1) {
    bytes.unshift(0x80 | (rest & 0x7f))
  }
  return Buffer.from(bytes)
}

/** Reads what `baseDistance` wrote. @throws Failure `unavailable` past 2^53 */
export function readBaseDistance(next: () => number): number {
  let byte = next()
  let distance = byte & 0x7f
  while (byte & 0x80) {
    byte = next()
    distance = (distance + 1) * 0x80 + (byte & 0x7f)
    if (distance > Number.MAX_SAFE_INTEGER) throw new Failure('unavailable', 'A pack entry names an impossible base.')
  }
  return distance
}

/** A zlib stream (RFC 1950) of one stored block (RFC 1951, 3.2.4): up to 65,535 raw bytes. */
export function stored(bytes: Buffer): Buffer {
  const { length } = bytes
  const stream = Buffer.allocUnsafe(length + 11)
  stream.writeUInt16BE(0x7801)
  stream[2] = 1
  stream.writeUInt16LE(length, 3)
  stream.writeUInt16LE(length ^ 0xffff, 5)
  bytes.copy(stream, 7)
  stream.writeUInt32BE(adler32(bytes), length + 7)
  return stream
}

/** The `size` bytes of a stream by `stored`; undefined for any other. Saves a reader zlib's 21 us. */
export function unstored(stream: Buffer, size: number): Buffer | undefined {
  if (stream.length < size + 11 || stream.readUInt16BE(0) !== 0x7801 || stream[2] !== 1) return undefined
  if (stream.readUInt16LE(3) !== size || stream.readUInt16LE(5) !== (size ^ 0xffff)) return undefined
  const bytes = Buffer.from(stream.subarray(7, 7 + size))
  return stream.readUInt32BE(7 + size) === adler32(bytes) ? bytes : undefined
}

/** A zlib stream's checksum (RFC 1950, 9) for at most 65,535 bytes: both sums stay exact without dividing each time. */
function adler32(bytes: Uint8Array): number {
  let low = 1
  let high = 0
  for (const byte of bytes) {
    low += byte
    high += low
  }
  return (high % 65521) * 0x10000 + (low % 65521)
}
