/** Git's delta format: copies from another text, and inserts (gitformat-pack, "Deltified representation"). */
import { Failure } from '../../bundle/errors.ts'

/** Git's writer never copies more in one instruction; old readers know no larger size. */
const MAX_COPY = 0x10000
const MAX_INSERT = 127
/** Most bytes of a size up to 2^53, and of a copy instruction. */
const SIZE_BYTES = 8
const COPY_BYTES = 7
/** Bytes; far above any file of ours, and allocatable in any runtime. */
const MAX_RESULT = 2 ** 30

/**
 * The delta that turns `base` into `target`: copies the common prefix and suffix, inserts what is between.
 * A changed key of a bundle or entry of a tree is just that. Comparing costs microseconds, a search for moved blocks
 * milliseconds. Git rejects a delta to an empty target (under four bytes): write such an object whole.
 * @param most bytes to insert; a delta with more is undefined, and not built
 */
export function createDelta(base: Buffer, target: Buffer, most: number): Buffer | undefined {
  const prefix = commonPrefix(base, target)
  const suffix = commonSuffix(base, target, Math.min(base.length, target.length) - prefix)
  const end = target.length - suffix
  if (end - prefix > most) return undefined
  const copies = Math.ceil(prefix / MAX_COPY) + Math.ceil(suffix / MAX_COPY)
  const inserts = Math.ceil((end - prefix) / MAX_INSERT)
  const delta = Buffer.allocUnsafe(2 * SIZE_BYTES + copies * COPY_BYTES + inserts + (end - prefix))
  let at = writeSize(delta, 0, base.length)
  at = writeSize(delta, at, target.length)
  at = writeCopies(delta, at, 0, prefix)
  for (let from = prefix; from < end; from += MAX_INSERT) {
    const length = Math.min(MAX_INSERT, end - from)
    delta[at++] = length
    target.copy(delta, at, from, from + length)
    at += length
  }
  at = writeCopies(delta, at, base.length - suffix, suffix)
  return delta.subarray(0, at)
}

/** Memory for a chain's intermediate texts. Without it, a chain of 40 is ten times slower: 10 ms at 200 KB. */
const rooms: Buffer[] = []
/** Bytes; larger texts are rare enough to be allocated. */
const MAX_ROOM = 256 * 1024

/**
 * Applies a chain of deltas to `base`; the result has its own memory unless there is no delta.
 * @param deltas the last to be applied first
 * @throws Failure as {@link applyDelta} does
 */
export function applyDeltas(base: Buffer, deltas: readonly Buffer[]): Buffer {
  return deltas.reduceRight((result, delta, at) => {
    return applyDelta(result, delta, at === 0 ? Buffer.allocUnsafe : size => roomFor(size, at % 2))
  }, base)
}

function roomFor(size: number, which: number): Buffer {
  if (size > MAX_ROOM) return Buffer.allocUnsafe(size)
  const room = rooms[which]
  if (room === undefined || room.length < size) rooms[which] = Buffer.allocUnsafeSlow(Math.min(MAX_ROOM, size * 2))
  return rooms[which]!.subarray(0, size)
}

/**
 * Applies one delta.
 * @param room memory for the result, apart from the base's
 * @throws Failure `unavailable` when the delta is malformed or belongs to another base
 */
export function applyDelta(base: Buffer, delta: Buffer, room: (size: number) => Buffer = Buffer.allocUnsafe): Buffer {
  let at = 0
  const next = (): number => {
    const byte = delta[at++]
    if (byte === undefined) throw malformed('ends in the middle of an instruction')
    return byte
  }
  const baseSize = readSize(next)
  const targetSize = readSize(next)
  if (baseSize !== base.length) throw malformed(`belongs to a base of ${baseSize} bytes, not ${base.length}`)
  if (targetSize > MAX_RESULT) throw malformed(`says its result has ${targetSize} bytes`)
  const target = room(targetSize)
  let filled = 0
  while (at < delta.length) {
    const instruction = next()
    let from: number
    let length: number
    let source: Uint8Array
    if (instruction & 0x80) {
      source = base
      from = readLittleEndian(next, instruction & 0x0f)
      length = readLittleEndian(next, (instruction >> 4) & 0x07) || 0x10000
    } else {
      if (instruction === 0) throw malformed('holds the reserved instruction 0')
      source = delta
      from = at
      length = instruction
      at += length
    }
    if (from + length > source.length) throw malformed('reads past the end of its source')
    if (filled + length > targetSize) throw malformed('gives more bytes than it says')
    target.set(source.subarray(from, from + length), filled)
    filled += length
  }
  if (filled !== targetSize) throw malformed('gives fewer bytes than it says')
  return target
}

function malformed(why: string): Failure {
  return new Failure('unavailable', `A git delta ${why}.`)
}

/** Sizes are groups of seven bits, the lowest first. Arithmetic, since shifts wrap at 32 bits. */
function writeSize(delta: Buffer, start: number, size: number): number {
  let at = start
  let rest = size
  while (rest > 0x7f) {
    delta[at++] = 0x80 | (rest & 0x7f)
    rest = Math.floor(rest / 0x80)
  }
  delta[at++] = rest
  return at
}

function readSize(next: () => number): number {
  let size = 0
  for (let weight = 1; weight <= 2 ** 49; weight *= 0x80) {
    const byte = next()
    size += (byte & 0x7f) * weight
    if (byte < 0x80) return size
  }
  throw malformed('states an impossible size')
}

/** A copy omits the zero bytes of offset and size; the instruction's bits say which follow. */
function writeCopies(delta: Buffer, start: number, from: number, length: number): number {
  let at = start
  for (let done = 0; done < length; done += MAX_COPY) {
    const offset = from + done
    const size = Math.min(length - done, MAX_COPY)
    const instruction = at++
    let present = 0x80
    for (let i = 0; i < 4; i++) {
      const byte = (offset >>> (8 * i)) & 0xff
      if (byte === 0) continue
      present |= 0x01 << i
      delta[at++] = byte
    }
    // The full 0x10000 is written as size 0, without any byte.
    for (let i = 0; i < 2; i++) {
      const byte = (size >>> (8 * i)) & 0xff
      if (byte === 0) continue
      present |= 0x10 << i
      delta[at++] = byte
    }
    delta[instruction] = present
  }
  return at
}

function readLittleEndian(next: () => number, present: number): number {
  let value = 0
  for (let weight = 1, bits = present; bits !== 0; bits >>= 1, weight *= 0x100) {
    if (bits & 1) value += next() * weight
  }
  return value
}

// Compares memory natively in large strides, then byte by byte: a delta costs a few microseconds.
const STRIDES = [4096, 256]

function commonPrefix(a: Buffer, b: Buffer): number {
  const limit = Math.min(a.length, b.length)
  let same = 0
  for (const stride of STRIDES) {
    while (same + stride <= limit && equalAt(a, same, b, same, stride)) same += stride
  }
  while (same < limit && a[same] === b[same]) same++
  return same
}

/** The length of two texts' common end, at most `limit`. */
function commonSuffix(a: Buffer, b: Buffer, limit: number): number {
  let same = 0
  for (const stride of STRIDES) {
    while (same + stride <= limit && equalAt(a, a.length - same - stride, b, b.length - same - stride, stride)) {
      same += stride
    }
  }
  while (same < limit && a[a.length - same - 1] === b[b.length - same - 1]) same++
  return same
}

function equalAt(a: Buffer, atA: number, b: Buffer, atB: number, length: number): boolean {
  // By offsets: two views per stride would cost as much as comparing it.
  return a.compare(b, atB, atB + length, atA, atA + length) === 0
}
