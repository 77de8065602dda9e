/** The encoding of a pack's entries (gitformat-pack): written into a buffer, read byte by byte. */
import { Failure } from '../../bundle/errors.ts'

/** Most bytes beside an entry's content: type and size 8, base distance 8, a stored block's frame 11. */
export const ENTRY_FRAME = 27

/** Type and size: four bits of the size in the first byte, seven in each next, lowest first. @returns its end */
export function writeEntryHeader(pack: Buffer, start: number, type: number, size: number): number {
  let at = start
  let byte = (type << 4) | (size & 0x0f)
  for (let rest = Math.floor(size / 0x10); rest > 0; rest = Math.floor(rest / 0x80)) {
    pack[at++] = byte | 0x80
    byte = rest & 0x7f
  }
  pack[at++] = byte
  return at
}

/** The rest of a size by `writeEntryHeader`, in units of 16. @throws Failure `unavailable` past 2^49 */
export function readEntrySize(next: () => number): number {
  let size = 0
  for (let weight = 1; weight <= 2 ** 42; weight *= 0x80) {
    const byte = next()
    size += (byte & 0x7f) * weight
    if (byte < 0x80) return size
  }
  throw new Failure('unavailable', 'A pack entry states an impossible size.')
}

/** A base's distance before its delta: seven bits a byte, highest first, each next from one. @returns its end */
export function writeBaseDistance(pack: Buffer, start: number, distance: number): number {
  let at = start
  for (let rest = distance; rest >= 0x80; rest = Math.floor(rest / 0x80) - 1) at++
  const end = at + 1
  for (let rest = distance, more = 0; at >= start; rest = Math.floor(rest / 0x80) - 1, more = 0x80) {
    pack[at--] = more | (rest & 0x7f)
  }
  return end
}

/** Reads what `writeBaseDistance` wrote. @throws Failure `unavailable` past 2^53 */
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

/** A zlib stream (RFC 1950) of one stored block (RFC 1951, 3.2.4): up to 65,535 raw bytes. @returns its end */
export function writeStored(pack: Buffer, start: number, bytes: Buffer): number {
  const { length } = bytes
  pack.writeUInt16BE(0x7801, start)
  pack[start + 2] = 1
  pack.writeUInt16LE(length, start + 3)
  pack.writeUInt16LE(length ^ 0xffff, start + 5)
  bytes.copy(pack, start + 7)
  return pack.writeUInt32BE(adler32(bytes), start + 7 + length)
}

/** The `size` bytes of a stream by `writeStored`; undefined for any other. Saves a reader zlib's 21 us. */
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
