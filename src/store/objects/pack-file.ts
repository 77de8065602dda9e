/** Git packs on the disk (gitformat-pack), read by position. */
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'
import { Failure } from '../../bundle/errors.ts'
import { codeOf } from '../disk.ts'
import { applyDeltas } from './delta.ts'
import type { GitObject, ObjectType } from './object.ts'
import { readBaseDistance, readEntrySize, unstored } from './pack-entry.ts'
import { PackIndex } from './pack-index.ts'

/** Git's chains have at most 4,095 deltas; a longer one is a ring. */
const MAX_CHAIN = 4095
/** One read brings an entry's header and mostly all of a small entry. */
const HEAD_BYTES = 4096
const PACK_HEADER = 12
const CHECKSUM = 20
/** Deflate's best ratio: an entry that claims more is damaged and not worth its memory. */
const MAX_INFLATION = 1032

const TYPES: Record<number, ObjectType> = { 1: 'commit', 2: 'tree', 3: 'blob', 4: 'tag' }
const OFS_DELTA = 6
const REF_DELTA = 7

/** A pack's entry: a whole object, or a delta and its base's offset in the same pack. */
type PackEntry = { type: ObjectType; bytes: Buffer } | { type: 'delta'; bytes: Buffer; base: number }

/** An entry's header: `base` is a delta's base's offset, `at` the header's length. */
interface EntryHeader {
  type: ObjectType | 'delta'
  base: number
  size: number
  at: number
  /** The entry's first bytes; overwritten by the next read. */
  head: Buffer
}

/** An open pack with its index. Everything throws Failure `unavailable` for damage. */
export class PackFile {
  readonly index: PackIndex
  readonly #name: string
  readonly #fd: number
  /** Where the entries end and the checksum begins. */
  readonly #end: number
  readonly #head = Buffer.allocUnsafe(HEAD_BYTES)

  constructor(stem: string) {
    this.#name = `${path.basename(stem)}.pack`
    this.index = new PackIndex(`${stem}.idx`)
    try {
      this.#fd = fs.openSync(`${stem}.pack`, 'r')
    } catch (error) {
      this.index.close()
      throw error
    }
    try {
      this.#end = fs.fstatSync(this.#fd).size - CHECKSUM
      const header = this.#read(Buffer.allocUnsafe(PACK_HEADER), 0)
      const version = header.readUInt32BE(4)
      if (header.toString('latin1', 0, 4) !== 'PACK' || version < 2 || version > 3)
        throw this.#damaged('is no pack of version 2 or 3')
      const checksum = this.#read(Buffer.allocUnsafe(CHECKSUM), this.#end)
      if (header.readUInt32BE(8) !== this.index.count || !checksum.equals(this.index.packChecksum)) {
        throw this.#damaged('does not belong to its index')
      }
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** @param close {@link closeInThread}, say */
  close(close = fs.closeSync): void {
    this.index.close(close)
    close(this.#fd)
  }

  object(offset: number): GitObject {
    const deltas: Buffer[] = []
    let entry = this.#entry(offset)
    while (entry.type === 'delta') {
      if (deltas.push(entry.bytes) > MAX_CHAIN) throw this.#damaged(`holds an endless chain of deltas at ${offset}`)
      entry = this.#entry(entry.base)
    }
    return { type: entry.type, bytes: applyDeltas(entry.bytes, deltas) }
  }

  #entry(offset: number): PackEntry {
    const { type, base, size, at, head } = this.#header(offset)
    const bytes = this.#inflate(offset + at, size, head.subarray(at))
    return type === 'delta' ? { type, base, bytes } : { type, bytes }
  }

  #header(offset: number): EntryHeader {
    if (offset < PACK_HEADER || offset >= this.#end) throw this.#damaged(`has no room for an entry at ${offset}`)
    const head = this.#read(this.#head.subarray(0, Math.min(HEAD_BYTES, this.#end - offset)), offset)
    let at = 0
    const next = (): number => {
      const byte = head[at++]
      if (byte === undefined) throw this.#damaged(`ends in the entry at ${offset}`)
      return byte
    }
    const first = next()
    const number = (first >> 4) & 0x07
    const size = (first & 0x0f) + (first & 0x80 ? readEntrySize(next) * 0x10 : 0)
    const type = TYPES[number]
    if (type !== undefined) return { type, base: 0, size, at, head }
    if (number === OFS_DELTA) {
      const base = offset - readBaseDistance(next)
      return { type: 'delta', base, size, at, head }
    }
    if (number !== REF_DELTA || head.length < at + CHECKSUM) throw this.#damaged(`has a garbled entry at ${offset}`)
    const base = this.index.find(head.subarray(at, at + CHECKSUM))
    if (base === undefined) throw this.#damaged(`lacks the base of the delta at ${offset}`)
    return { type: 'delta', base, size, at: at + CHECKSUM, head }
  }

  /** @param head the first bytes of the zlib stream at `at`; a pack does not store the stream's length */
  #inflate(at: number, size: number, head: Buffer): Buffer {
    const most = this.#end - at
    if (size > most * MAX_INFLATION) throw this.#damaged(`has an entry of impossible size before ${at}`)
    const bytes = unstored(head, size)
    if (bytes !== undefined) return bytes
    let length = Math.min(most, size + Math.ceil(size / 1000) + 64)
    let stream = length <= head.length ? head : this.#read(Buffer.allocUnsafe(length), at)
    for (;;) {
      const inflated = inflate(stream, size)
      if (inflated !== undefined) return inflated
      // The stream is longer than deflate ever needs: read more of the pack.
      if (stream.length >= most) throw this.#damaged(`ends in the entry before ${at}`)
      length = Math.min(most, stream.length * 4)
      stream = this.#read(Buffer.allocUnsafe(length), at)
    }
  }

  #read(into: Buffer, at: number): Buffer {
    if (at < 0 || fs.readSync(this.#fd, into, 0, into.length, at) !== into.length) throw this.#damaged('ends too early')
    return into
  }

  #damaged(why: string): Failure {
    return damaged(`${this.#name} ${why}`)
  }
}

/** The `size` bytes of the zlib stream at the start; undefined when it ends early. */
function inflate(stream: Buffer, size: number): Buffer | undefined {
  let bytes: Buffer
  try {
    // Sized at once: zlib would allocate and hold 16 KiB for each small object.
    bytes = zlib.inflateSync(stream, { chunkSize: Math.max(64, size + 1), maxOutputLength: Math.max(1, size) })
  } catch (error) {
    if (codeOf(error) === 'Z_BUF_ERROR') return undefined
    throw damaged(`its zlib stream is broken (${codeOf(error)})`)
  }
  if (bytes.length !== size) throw damaged(`it has ${bytes.length} bytes in place of ${size}`)
  return bytes
}

/** What is wrong with an object; the caller names it. */
export function damaged(why: string): Failure {
  return new Failure('unavailable', why)
}
