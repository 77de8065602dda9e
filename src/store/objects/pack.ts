/** Builds git packs (gitformat-pack) in memory, and knows how the entries of a pack are encoded. */
import { createHash, type Hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Failure } from '../../bundle/errors.ts'
import { applyDelta, makeDelta } from './delta.ts'
import type { GitObject, ObjectType } from './objects.ts'
import { type IndexEntry, renderIndex } from './pack-index.ts'

const TYPE_NUMBERS: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }
const OFS_DELTA = 6
const PACK_VERSION = 2
const PACK_HEADER = 12
const CHECKSUM = 20
/** What an entry has beside its content, at most: type and size (8 bytes), distance of the base (8), a stored block's frame (11). */
const ENTRY_FRAME = 27
/** So many bytes of a pack are hashed at a time: large strides are cheaper, and this one takes a fraction of a millisecond. */
const HASH_AT_ONCE = 256 * 1024
/** A reader applies a whole chain to get at one object; git's own limit is 50. */
const MAX_DEPTH = 40
/** Up to this many bytes are not deflated: starting zlib takes 21 us, as much as everything else about a commit together. */
const STORED_LIMIT = 512
const DEFLATE = { level: 1 }
/** Up to this many bytes are deflated at once: handing them to a thread costs more than it takes off the event loop. */
const AT_ONCE_LIMIT = 4096
/** How long `finishAsync` keeps the event loop at a time, in milliseconds. */
const SLICE_MS = 4

const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflate)

/** A finished pack: `name` is `pack-<40 hex digits>`, the stem of both files. */
export interface FinishedPack {
  name: string
  pack: Buffer
  index: Buffer
}

/** An object as the builder holds it: whole, or as a delta against one that was added before it. */
interface Held {
  id: string
  type: ObjectType
  bytes: Buffer
  base: Held | undefined
  depth: number
}

/** An earlier object to write one as a delta against: its content, or what {@link makeDelta} has made of the two already. */
export type Base = { id: string; bytes: Buffer } | { id: string; delta: Buffer }

/**
 * Collects objects in memory and makes one self-contained pack of them.
 *
 * `add` makes the delta (some microseconds, and it lets the builder hold 100 bytes in place of a whole bundle); compressing,
 * which costs twenty times as much, waits for the end, so that no writer waits for it. `finish` compresses in one go;
 * `finishAsync` gives the same bytes, deflates in zlib's threads and lets the event loop go on every few milliseconds.
 * The pack is a function of the objects and the order they were added in.
 */
export class PackBuilder {
  /** How many of its objects, from the first on, count for {@link commits}: all, unless whoever builds it says otherwise. */
  confirmed = Number.POSITIVE_INFINITY
  readonly #held = new Map<string, Held>()
  #bytes = 0
  #finished = false

  /** How many objects it holds. */
  get count(): number {
    return this.#held.size
  }

  /** How many bytes of memory the contents take: whole objects and deltas. */
  get bytes(): number {
    return this.#bytes
  }

  has(id: string): boolean {
    return this.#held.has(id)
  }

  /** The ids of its confirmed commits that begin with `prefix`. */
  commits(prefix: string): string[] {
    const found: string[] = []
    let position = 0
    for (const [id, { type }] of this.#held) {
      if (position++ >= this.confirmed) break
      if (type === 'commit' && id.startsWith(prefix)) found.push(id)
    }
    return found
  }

  /** The object, put together anew when it is held as a delta: keep it rather than ask twice. Works after `finish`, too. */
  get(id: string): GitObject | undefined {
    const held = this.#held.get(id)
    if (held === undefined) return undefined
    const deltas: Buffer[] = []
    let whole = held
    while (whole.base !== undefined) {
      deltas.push(whole.bytes)
      whole = whole.base
    }
    return { type: held.type, bytes: deltas.reduceRight((base, delta) => applyDelta(base, delta), whole.bytes) }
  }

  /**
   * Adds an object; one that is there already is left as it is.
   * @param id what `hashObject` gives for `type` and `bytes`; not computed again
   * @param bytes kept and not copied: must not change afterwards
   * @param base an object to write it as a delta against. Taken when it is in this pack, has the same type, stands at the end of
   *   fewer than 40 deltas and saves at least half
   * @throws Error after `finish` or `finishAsync`: what came later would be in no pack
   */
  add(type: ObjectType, id: string, bytes: Buffer, base?: Base): void {
    if (this.#finished) throw new Error(`Object ${id} comes too late for a finished pack.`)
    if (this.#held.has(id)) return
    const held = asDelta(type, id, bytes, base, base && this.#held.get(base.id)) ?? whole(type, id, bytes)
    this.#held.set(id, held)
    this.#bytes += held.bytes.length
  }

  /** Drops what was added after it held `count` objects. */
  truncate(count: number): void {
    if (this.#finished) throw new Error('A finished pack cannot be shortened.')
    for (const held of [...this.#held.values()].slice(count)) {
      this.#held.delete(held.id)
      this.#bytes -= held.bytes.length
    }
  }

  /** Compresses everything at once: about 0.1 ms for each whole object of 20 KB. */
  finish(): FinishedPack {
    this.#finished = true
    const writer = new PackWriter(this.#held.size, this.#bytes)
    for (const held of this.#held.values()) writer.append(held, deflated(held) && deflateNow(held.bytes))
    return writer.end()
  }

  /** The same as `finish`, without holding up the event loop. */
  async finishAsync(): Promise<FinishedPack> {
    this.#finished = true
    const writer = new PackWriter(this.#held.size, this.#bytes)
    let sliceEnd = performance.now() + SLICE_MS
    for (const held of this.#held.values()) {
      if (held.bytes.length <= AT_ONCE_LIMIT) writer.append(held, deflated(held) && deflateNow(held.bytes))
      // One at a time: the journal's fdatasync runs in the same few threads, and writers wait for that.
      else writer.append(held, await deflate(held.bytes, DEFLATE))
      if (performance.now() < sliceEnd) continue
      await setImmediate()
      sliceEnd = performance.now() + SLICE_MS
    }
    return writer.end()
  }
}

function whole(type: ObjectType, id: string, bytes: Buffer): Held {
  return { id, type, bytes, base: undefined, depth: 0 }
}

function asDelta(
  type: ObjectType,
  id: string,
  bytes: Buffer,
  base: Base | undefined,
  heldBase: Held | undefined,
): Held | undefined {
  if (base === undefined || heldBase === undefined) return undefined
  if (heldBase.type !== type || heldBase.depth >= MAX_DEPTH) return undefined
  const delta = 'delta' in base ? base.delta : makeDelta(base.bytes, bytes)
  // This also keeps an empty object whole, whose delta git would reject.
  if (delta.length > bytes.length / 2) return undefined
  return { id, type, bytes: delta, base: heldBase, depth: heldBase.depth + 1 }
}

function deflated(held: Held): boolean {
  return held.bytes.length > STORED_LIMIT
}

function deflateNow(bytes: Buffer): Buffer {
  return zlib.deflateSync(bytes, DEFLATE)
}

/** Puts the entries one behind the other. */
class PackWriter {
  #bytes: Buffer
  #length = 0
  #hashed = 0
  readonly #index: IndexEntry[] = []
  readonly #offsets = new Map<Held, number>()
  readonly #hash: Hash = createHash('sha1')

  /** @param contents how many bytes the objects and deltas have; few packs take more room than that and their entries' frames */
  constructor(count: number, contents: number) {
    this.#bytes = Buffer.allocUnsafe(PACK_HEADER + CHECKSUM + contents + count * ENTRY_FRAME)
    this.#bytes.write('PACK', 'latin1')
    this.#bytes.writeUInt32BE(PACK_VERSION, 4)
    this.#length = this.#bytes.writeUInt32BE(count, 8)
  }

  /** @param compressed the content as a zlib stream; without it the content is stored as it is */
  append(held: Held, compressed: Buffer | false): void {
    const offset = this.#length
    this.#reserve((compressed || held.bytes).length + ENTRY_FRAME)
    this.#length = this.#entry(held, compressed)
    const crc = zlib.crc32(this.#bytes.subarray(offset, this.#length))
    this.#offsets.set(held, offset)
    this.#index.push({ id: held.id, offset, crc })
    if (this.#length - this.#hashed > HASH_AT_ONCE) this.#hashUp()
  }

  end(): FinishedPack {
    this.#hashUp()
    this.#reserve(CHECKSUM)
    const checksum = this.#hash.digest()
    checksum.copy(this.#bytes, this.#length)
    return {
      name: `pack-${checksum.toString('hex')}`,
      pack: this.#bytes.subarray(0, this.#length + CHECKSUM),
      index: renderIndex(this.#index, checksum),
    }
  }

  /** @returns where the entry ends */
  #entry({ type, bytes, base }: Held, compressed: Buffer | false): number {
    let at = writeEntryHeader(this.#bytes, this.#length, base ? OFS_DELTA : TYPE_NUMBERS[type], bytes.length)
    if (base) at = writeBaseDistance(this.#bytes, at, this.#length - this.#offsets.get(base)!)
    return compressed ? at + compressed.copy(this.#bytes, at) : writeStored(this.#bytes, at, bytes)
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2 + more)
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
  }

  #hashUp(): void {
    this.#hash.update(this.#bytes.subarray(this.#hashed, this.#length))
    this.#hashed = this.#length
  }
}

/** Type and size: four bits of the size in the first byte, seven in each further one, the lowest first. Gives its end. */
function writeEntryHeader(pack: Buffer, start: number, type: number, size: number): number {
  let at = start
  let byte = (type << 4) | (size & 0x0f)
  for (let rest = Math.floor(size / 0x10); rest > 0; rest = Math.floor(rest / 0x80)) {
    pack[at++] = byte | 0x80
    byte = rest & 0x7f
  }
  pack[at++] = byte
  return at
}

/** What `writeEntryHeader` wrote of a size behind the first byte, to be taken times 16. Throws Failure `unavailable` past 2^49. */
export function readEntrySize(next: () => number): number {
  let size = 0
  for (let weight = 1; weight <= 2 ** 42; weight *= 0x80) {
    const byte = next()
    size += (byte & 0x7f) * weight
    if (byte < 0x80) return size
  }
  throw new Failure('unavailable', 'A pack entry states an impossible size.')
}

/** How far before its delta a base begins: seven bits a byte, the highest first, each further byte counting from one. Gives its end. */
function writeBaseDistance(pack: Buffer, start: number, distance: number): number {
  let at = start
  for (let rest = distance; rest >= 0x80; rest = Math.floor(rest / 0x80) - 1) at++
  const end = at + 1
  for (let rest = distance, more = 0; at >= start; rest = Math.floor(rest / 0x80) - 1, more = 0x80) {
    pack[at--] = more | (rest & 0x7f)
  }
  return end
}

/** What `writeBaseDistance` wrote. Throws Failure `unavailable` past 2^53. */
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

/** A zlib stream (RFC 1950) of a single stored block (RFC 1951, 3.2.4): the bytes as they are, up to 65,535 of them. Gives its end. */
function writeStored(pack: Buffer, start: number, bytes: Buffer): number {
  const { length } = bytes
  pack.writeUInt16BE(0x7801, start)
  pack[start + 2] = 1
  pack.writeUInt16LE(length, start + 3)
  pack.writeUInt16LE(length ^ 0xffff, start + 5)
  bytes.copy(pack, start + 7)
  return pack.writeUInt32BE(adler32(bytes), start + 7 + length)
}

/** What a stream made by `writeStored` holds, provided it is `size` bytes; undefined for any other stream. Saves a reader zlib's 21 us. */
export function unstored(stream: Buffer, size: number): Buffer | undefined {
  if (stream.length < size + 11 || stream.readUInt16BE(0) !== 0x7801 || stream[2] !== 1) return undefined
  if (stream.readUInt16LE(3) !== size || stream.readUInt16LE(5) !== (size ^ 0xffff)) return undefined
  const bytes = Buffer.from(stream.subarray(7, 7 + size))
  return stream.readUInt32BE(7 + size) === adler32(bytes) ? bytes : undefined
}

/**
 * The check at the end of a zlib stream (RFC 1950, 9), for the at most 65,535 bytes of a stored block: so few that both sums
 * are exact without a division at every byte.
 */
function adler32(bytes: Uint8Array): number {
  let low = 1
  let high = 0
  for (const byte of bytes) {
    low += byte
    high += low
  }
  return (high % 65521) * 0x10000 + (low % 65521)
}
