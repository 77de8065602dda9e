/** Collects objects in memory, as deltas where that pays, and packs them for git. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { joinBytes } from '../../scheduling/join-bytes.ts'
import { slices } from '../../scheduling/slices.ts'
import { applyDeltas, createDelta } from './delta.ts'
import type { GitObject, ObjectType } from './object.ts'
import { baseDistance, entryHeader, stored } from './pack-entry.ts'
import { type IndexEntry, renderIndex } from './pack-index.ts'

const TYPE_NUMBERS: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 }
const OFS_DELTA = 6
const PACK_VERSION = 2
const CHECKSUM = 20
/** Bytes of a pack hashed at a time: a fraction of a millisecond. */
const HASH_AT_ONCE = 256 * 1024

/** Reading one object applies its whole chain; git's own limit is 50. */
const MAX_DEPTH = 40
/** Bytes that are not worth deflating: zlib starts in 21 us, as long as all else about a commit lasts. */
const STORED_LIMIT = 512
const DEFLATE = { level: 1 }
/** Bytes deflated at once: below this, a thread costs more than it saves the event loop. */
const AT_ONCE_LIMIT = 4096
/** Longest turn of `finish` on the event loop, in milliseconds. */
const SLICE_MS = 2

const deflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflate)

/** A finished pack: `name` is `pack-<40 hex digits>`, the stem of both files. */
export interface FinishedPack {
  name: string
  pack: Buffer
  index: Buffer
}

/** An object of a pack: whole, or as a delta against an earlier one. */
interface PackedObject {
  id: string
  type: ObjectType
  bytes: Buffer
  base: PackedObject | undefined
  depth: number
}

/** An earlier object to write a delta against: its content, or the delta itself. */
export type DeltaBase = { id: string; bytes: Buffer } | { id: string; delta: Buffer }

/**
 * Collects objects in memory for one self-contained pack. The pack depends on the objects and their order alone.
 * `add` computes the delta in microseconds and holds 100 bytes in place of a bundle. Compressing costs twenty times as
 * much. `finish` does it last, in zlib's threads and in slices, so that no writer waits.
 */
export class PackBuilder {
  readonly #held = new Map<string, PackedObject>()
  #bytes = 0
  #finished = false

  get count(): number {
    return this.#held.size
  }

  get bytes(): number {
    return this.#bytes
  }

  has(id: string): boolean {
    return this.#held.has(id)
  }

  /** The object; one held as a delta is put together at each call. Works after `finish`, too. */
  get(id: string): GitObject | undefined {
    const held = this.#held.get(id)
    if (held === undefined) return undefined
    const deltas: Buffer[] = []
    let whole = held
    while (whole.base !== undefined) {
      deltas.push(whole.bytes)
      whole = whole.base
    }
    return { type: held.type, bytes: applyDeltas(whole.bytes, deltas) }
  }

  /**
   * Adds an object, unless it is there already.
   * @param id what `hashObject` gives for `type` and `bytes`; not computed again
   * @param bytes held, not copied: must not change afterwards
   * @param base for a delta; used when it is in this pack, of the same type, below fewer than 40 deltas, and saves half
   * @throws Error after `finish`: what came later would be in no pack
   */
  add(type: ObjectType, id: string, bytes: Buffer, base?: DeltaBase): void {
    if (this.#finished) throw new Error(`Object ${id} comes too late for a finished pack.`)
    if (this.#held.has(id)) return
    const held = asDelta(type, id, bytes, base, base && this.#held.get(base.id)) ?? whole(type, id, bytes)
    this.#held.set(id, held)
    this.#bytes += held.bytes.length
  }

  truncate(count: number): void {
    if (this.#finished) throw new Error('A finished pack cannot be shortened.')
    for (const held of [...this.#held.values()].slice(count)) {
      this.#held.delete(held.id)
      this.#bytes -= held.bytes.length
    }
  }

  /** Compresses everything: about 0.1 ms for each whole object of 20 KB. */
  async finish(): Promise<FinishedPack> {
    this.#finished = true
    const pause = slices(SLICE_MS)
    const header = Buffer.from('PACK\0\0\0\0\0\0\0\0', 'latin1')
    header.writeUInt32BE(PACK_VERSION, 4)
    header.writeUInt32BE(this.#held.size, 8)
    const parts = [header]
    const offsets = new Map<PackedObject, number>()
    const entries: IndexEntry[] = []
    let offset = header.length
    for (const held of this.#held.values()) {
      const { id, type, bytes, base } = held
      const head = entryHeader(base ? OFS_DELTA : TYPE_NUMBERS[type], bytes.length)
      const content = await compress(bytes)
      const entry = Buffer.concat(base ? [head, baseDistance(offset - offsets.get(base)!), content] : [head, content])
      parts.push(entry)
      offsets.set(held, offset)
      entries.push({ id, offset, crc: zlib.crc32(entry) })
      offset += entry.length
      await pause()
    }
    const pack = await joinBytes([...parts, Buffer.alloc(CHECKSUM)], { pause })
    const hash = createHash('sha1')
    for (let at = 0; at < offset; at += HASH_AT_ONCE) {
      hash.update(pack.subarray(at, Math.min(offset, at + HASH_AT_ONCE)))
      await pause()
    }
    const checksum = hash.digest()
    checksum.copy(pack, offset)
    return { name: `pack-${checksum.toString('hex')}`, pack, index: await renderIndex(entries, checksum, pause) }
  }
}

/** One at a time: the journal's fdatasync needs zlib's few threads, too, and writers wait for it. */
function compress(bytes: Buffer): Buffer | Promise<Buffer> {
  if (bytes.length > AT_ONCE_LIMIT) return deflate(bytes, DEFLATE)
  return bytes.length > STORED_LIMIT ? zlib.deflateSync(bytes, DEFLATE) : stored(bytes)
}

function whole(type: ObjectType, id: string, bytes: Buffer): PackedObject {
  return { id, type, bytes, base: undefined, depth: 0 }
}

function asDelta(
  type: ObjectType,
  id: string,
  bytes: Buffer,
  base: DeltaBase | undefined,
  heldBase: PackedObject | undefined,
): PackedObject | undefined {
  if (base === undefined || heldBase === undefined) return undefined
  if (heldBase.type !== type || heldBase.depth >= MAX_DEPTH) return undefined
  const delta = 'delta' in base ? base.delta : createDelta(base.bytes, bytes, bytes.length / 2)
  // An empty object stays whole, too: git would reject its delta.
  if (delta === undefined || delta.length > bytes.length / 2) return undefined
  return { id, type, bytes: delta, base: heldBase, depth: heldBase.depth + 1 }
}
