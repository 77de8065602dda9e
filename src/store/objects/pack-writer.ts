/** Builds a pack (gitformat-pack) and its index in memory, entry by entry. */
import { createHash, type Hash } from 'node:crypto'
import zlib from 'node:zlib'
import type { ObjectType } from './object.ts'
import { ENTRY_FRAME, writeBaseDistance, writeEntryHeader, writeStored } from './pack-entry.ts'
import { type IndexEntry, renderIndex } from './pack-index.ts'

const TYPE_NUMBERS: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }
const OFS_DELTA = 6
const PACK_VERSION = 2
const PACK_HEADER = 12
const CHECKSUM = 20
/** Bytes of a pack hashed at a time: a fraction of a millisecond. */
const HASH_AT_ONCE = 256 * 1024

/** A finished pack: `name` is `pack-<40 hex digits>`, the stem of both files. */
export interface FinishedPack {
  name: string
  pack: Buffer
  index: Buffer
}

/** An object of a pack: whole, or as a delta against an earlier one. */
export interface PackedObject {
  id: string
  type: ObjectType
  bytes: Buffer
  base: PackedObject | undefined
  depth: number
}

export class PackWriter {
  #bytes: Buffer
  #length = 0
  #hashed = 0
  readonly #index: IndexEntry[] = []
  readonly #offsets = new Map<PackedObject, number>()
  readonly #hash: Hash = createHash('sha1')

  /** @param contents bytes of the objects and deltas: with the entries' frames mostly room enough */
  constructor(count: number, contents: number) {
    this.#bytes = Buffer.allocUnsafe(PACK_HEADER + CHECKSUM + contents + count * ENTRY_FRAME)
    this.#bytes.write('PACK', 'latin1')
    this.#bytes.writeUInt32BE(PACK_VERSION, 4)
    this.#length = this.#bytes.writeUInt32BE(count, 8)
  }

  /** @param held its base was appended before @param compressed its content as a zlib stream; `false`: stored raw */
  append(held: PackedObject, compressed: Buffer | false): void {
    const offset = this.#length
    this.#reserve((compressed || held.bytes).length + ENTRY_FRAME)
    this.#length = this.#entry(held, compressed)
    const crc = zlib.crc32(this.#bytes.subarray(offset, this.#length))
    this.#offsets.set(held, offset)
    this.#index.push({ id: held.id, offset, crc })
    if (this.#length - this.#hashed > HASH_AT_ONCE) this.#hashUp()
  }

  /** Nothing can be appended any more. @param pause awaited between steps of a fraction of a millisecond */
  async end(pause: () => Promise<void>): Promise<FinishedPack> {
    this.#hashUp()
    this.#reserve(CHECKSUM)
    const checksum = this.#hash.digest()
    checksum.copy(this.#bytes, this.#length)
    const index = await renderIndex(this.#index, checksum, pause)
    const pack = this.#bytes.subarray(0, this.#length + CHECKSUM)
    return { name: `pack-${checksum.toString('hex')}`, pack, index }
  }

  #entry({ type, bytes, base }: PackedObject, compressed: Buffer | false): number {
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
