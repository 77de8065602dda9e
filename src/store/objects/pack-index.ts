/** Pack indexes, version 2 (gitformat-pack, "Version 2 pack-*.idx files"): where each object stands in a pack. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { Failure } from '../../bundle/errors.ts'

const MAGIC = 0xff744f63
const VERSION = 2
const FAN_OUT_AT = 8
const IDS_AT = FAN_OUT_AT + 256 * 4
const TRAILER = 40
const ID_BYTES = 20
/** Offsets from 2 GiB on do not fit 31 bits: this bit points to a table of 64-bit ones. */
const LARGE = 0x80000000
/** Ids searched by one read; a wider range is first halved by probing single ids. */
const WINDOW = 64
const CHECKED_AT_ONCE = 256 * 1024

/**
 * Closes one of few files in a thread, in place of `fs.closeSync`: the system needed 100 ms to free removed packs.
 * Descriptors pile up until the turn's end.
 */
export function closeInThread(descriptor: number): void {
  // Nothing was written that could be lost.
  fs.close(descriptor, () => {})
}

export interface IndexEntry {
  id: string
  /** CRC-32 of the entry's bytes in the pack, header included */
  crc: number
  /** where the entry begins in the pack */
  offset: number
}

/** The index of a pack that holds `entries` and ends in the SHA-1 `packChecksum`. @param pause awaited between steps */
export async function renderIndex(
  entries: readonly IndexEntry[],
  packChecksum: Buffer,
  pause: () => Promise<void>,
): Promise<Buffer> {
  const buckets: IndexEntry[][] = Array.from({ length: 256 }, () => [])
  let largeCount = 0
  for (const entry of entries) {
    buckets[Number.parseInt(entry.id.slice(0, 2), 16)]!.push(entry)
    if (entry.offset >= LARGE) largeCount++
  }
  const crcsAt = IDS_AT + entries.length * ID_BYTES
  const offsetsAt = crcsAt + entries.length * 4
  const largeAt = offsetsAt + entries.length * 4
  const trailerAt = largeAt + largeCount * 8
  const bytes = Buffer.alloc(trailerAt + TRAILER)
  bytes.writeUInt32BE(MAGIC, 0)
  bytes.writeUInt32BE(VERSION, 4)
  let [count, large] = [0, 0]
  for (const [first, bucket] of buckets.entries()) {
    await pause()
    bucket.sort((a, b) => (a.id < b.id ? -1 : 1))
    for (const { id, crc, offset } of bucket) {
      bytes.write(id, IDS_AT + count * ID_BYTES, 'hex')
      bytes.writeUInt32BE(crc, crcsAt + count * 4)
      bytes.writeUInt32BE(offset >= LARGE ? LARGE + large : offset, offsetsAt + count * 4)
      if (offset >= LARGE) bytes.writeBigUInt64BE(BigInt(offset), largeAt + large++ * 8)
      count++
    }
    bytes.writeUInt32BE(count, FAN_OUT_AT + first * 4)
  }
  packChecksum.copy(bytes, trailerAt)
  const sum = createHash('sha1').update(bytes.subarray(0, trailerAt + ID_BYTES))
  sum.digest().copy(bytes, trailerAt + ID_BYTES)
  return bytes
}

/**
 * An index file, searched on the disk: memory holds only its fan-out table (1 KiB).
 * Everything throws Failure `unavailable`, naming the file, when the index is damaged or unreadable.
 */
export class PackIndex {
  readonly count: number
  readonly packChecksum: Buffer
  readonly #file: string
  readonly #fd: number
  readonly #fanOut = Buffer.allocUnsafe(256 * 4)
  readonly #window = Buffer.allocUnsafe(WINDOW * ID_BYTES)
  readonly #largeCount: number

  /** Opens the index; an ENOENT passes through, since a repack may have removed it. */
  constructor(file: string) {
    this.#file = file
    this.#fd = fs.openSync(file, 'r')
    try {
      const head = this.#read(Buffer.allocUnsafe(FAN_OUT_AT), 0)
      if (head.readUInt32BE(0) !== MAGIC || head.readUInt32BE(4) !== VERSION) {
        throw this.#damaged('is not of version 2; run git index-pack on its pack')
      }
      this.#read(this.#fanOut, FAN_OUT_AT)
      this.count = this.#upTo(255)
      for (let first = 1; first < 256; first++) {
        if (this.#upTo(first) < this.#upTo(first - 1)) throw this.#damaged('has a fan-out that does not rise')
      }
      const size = fs.fstatSync(this.#fd).size
      this.#largeCount = (size - IDS_AT - TRAILER - this.count * 28) / 8
      if (!Number.isInteger(this.#largeCount) || this.#largeCount < 0 || this.#largeCount > this.count) {
        throw this.#damaged('has a size that does not fit the number of its objects')
      }
      this.packChecksum = this.#read(Buffer.allocUnsafe(20), size - TRAILER)
    } catch (error) {
      fs.closeSync(this.#fd)
      throw error
    }
  }

  /** The object's offset in the pack, if the pack holds it. @param id its 20 bytes */
  find(id: Buffer): number | undefined {
    const first = id[0]!
    let low = first === 0 ? 0 : this.#upTo(first - 1)
    let high = this.#upTo(first)
    while (high - low > WINDOW) {
      const middle = (low + high) >>> 1
      const order = this.#ids(middle, middle + 1).compare(id)
      if (order === 0) return this.#offset(middle)
      if (order < 0) low = middle + 1
      else high = middle
    }
    if (low === high) return undefined
    const ids = this.#ids(low, high)
    for (let at = 0; at < ids.length; at += ID_BYTES) {
      if (id.compare(ids, at, at + ID_BYTES) === 0) return this.#offset(low + at / ID_BYTES)
    }
    return undefined
  }

  /** Compares the whole file with the SHA-1 at its end. @throws Failure `unavailable` when they differ */
  check(): void {
    const end = fs.fstatSync(this.#fd).size - ID_BYTES
    const hash = createHash('sha1')
    const part = Buffer.allocUnsafe(CHECKED_AT_ONCE)
    for (let at = 0; at < end; at += part.length) {
      hash.update(this.#read(part.subarray(0, Math.min(part.length, end - at)), at))
    }
    const sum = this.#read(Buffer.allocUnsafe(ID_BYTES), end)
    if (!hash.digest().equals(sum)) throw this.#damaged('does not match its own checksum')
  }

  close(close = fs.closeSync): void {
    close(this.#fd)
  }

  #upTo(firstByte: number): number {
    return this.#fanOut.readUInt32BE(firstByte * 4)
  }

  #ids(from: number, to: number): Buffer {
    return this.#read(this.#window.subarray(0, (to - from) * ID_BYTES), IDS_AT + from * ID_BYTES)
  }

  #offset(position: number): number {
    const offsetsAt = IDS_AT + this.count * (ID_BYTES + 4)
    const offset = this.#read(Buffer.allocUnsafe(4), offsetsAt + position * 4).readUInt32BE(0)
    if (offset < LARGE) return offset
    const row = offset - LARGE
    if (row >= this.#largeCount) throw this.#damaged('points past its table of large offsets')
    const large = this.#read(Buffer.allocUnsafe(8), offsetsAt + this.count * 4 + row * 8).readBigUInt64BE(0)
    if (large > BigInt(Number.MAX_SAFE_INTEGER)) throw this.#damaged('holds an impossible offset')
    return Number(large)
  }

  #read(into: Buffer, at: number): Buffer {
    if (at < 0 || fs.readSync(this.#fd, into, 0, into.length, at) !== into.length) throw this.#damaged('ends too early')
    return into
  }

  #damaged(why: string): Failure {
    return new Failure('unavailable', `The git pack index ${path.basename(this.#file)} ${why}.`, { file: this.#file })
  }
}
