/** Git's index as bytes (gitformat-index(5)): single entries set in it, without making objects of all the others. */
import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync } from 'node:fs'

/** What an entry is to be; null takes it out. `stat` is {@link fileStat}'s, of a file with just this content; without it git reads the file to know. */
export type IndexChange = { id: string; stat?: Buffer | undefined } | null

const HEADER = 12
const MTIME = 8
const SIZE = 36
const STAT = 40
const HASH = 20
const FLAGS = STAT + HASH
const NAME = FLAGS + 2
/** The flags' part that holds a name's length; a longer name has all of its bits set. */
const LENGTH = 0xfff
/** Extended flags and the stage of an unmerged entry. */
const UNUSUAL = 0x4000 | 0x3000
const PLAIN_FILE = 0o100644
/** So many files are looked at in a millisecond or two. */
const MOST_RACY = 300

/** What {@link changeIndex} has to know of the file in which it found the index, and of the work tree. */
export interface IndexPlace {
  /** When the file was written, in seconds since 1970. */
  written: number
  /** The {@link fileStat} of a path. */
  stat(path: string): Buffer | undefined
}

/**
 * An index with these entries set. Git's own cache of trees is left out, which it makes anew when somebody commits.
 * @param index is written to
 * @param changes by path, relative to the work tree
 * @returns undefined for what only git should change: a conflict, another version, extensions that say more about the entries, a file
 * where a folder was, damage; or very many files that were changed in the second in which the index was written
 */
export function changeIndex(
  index: Buffer,
  changes: ReadonlyMap<string, IndexChange>,
  place: IndexPlace,
): Buffer | undefined {
  const offsets = entriesOf(index)
  if (offsets === undefined) return undefined
  const entries = new Entries(index, offsets)
  if (!entries.distrust(place)) return undefined
  const wanted = [...changes]
    .map(([path, change]) => ({ name: Buffer.from(path), change }))
    .sort((a, b) => a.name.compare(b.name))
  const added = new Set(wanted.flatMap(({ name, change }) => (change ? [name.toString('latin1')] : [])))
  const parts: Buffer[] = []
  let count = offsets.length - 1
  let from = HEADER
  for (const { name, change } of wanted) {
    const at = entries.firstFrom(name)
    const present = entries.isAt(at, name)
    if (!present && change !== null && entries.isInTheWay(name, added)) return undefined
    parts.push(index.subarray(from, offsets[at]))
    if (change !== null) parts.push(entry(name, change))
    from = offsets[present ? at + 1 : at]!
    count += Number(change !== null) - Number(present)
  }
  parts.push(index.subarray(from, offsets.at(-1)))
  const header = Buffer.from(index.subarray(0, HEADER))
  header.writeUInt32BE(count, 8)
  const hash = createHash('sha1').update(header)
  for (const part of parts) hash.update(part)
  return Buffer.concat([header, ...parts, hash.digest()])
}

/** What git notes of a file to know it again without reading it: 40 bytes of an entry. Undefined when there is no plain file. */
export function fileStat(path: string): Buffer | undefined {
  const stats: BigIntStats | undefined = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stats?.isFile()) return undefined
  const second = 1_000_000_000n
  const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = stats
  const times = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second]
  const bytes = Buffer.allocUnsafeSlow(STAT)
  for (const [at, field] of [...times, dev, ino, BigInt(PLAIN_FILE), uid, gid, size].entries())
    bytes.writeUInt32BE(Number(BigInt.asUintN(32, field)), at * 4)
  return bytes
}

/** Where each entry begins, and at last where they end; undefined when it is not an index that is changed here. */
function entriesOf(index: Buffer): number[] | undefined {
  const end = index.length - HASH
  if (end < HEADER || index.toString('latin1', 0, 4) !== 'DIRC' || index.readUInt32BE(4) !== 2) return undefined
  const count = index.readUInt32BE(8)
  const offsets: number[] = []
  let at = HEADER
  for (let entry = 0; entry < count; entry++) {
    if (at + NAME > end) return undefined
    const flags = index.readUInt16BE(at + FLAGS)
    if (flags & UNUSUAL) return undefined
    const length = nameLength(index, at, flags)
    if (length < 0) return undefined
    offsets.push(at)
    at += sizeOf(length)
  }
  offsets.push(at)
  while (at < end) {
    if (at + 8 > end || index.toString('latin1', at, at + 4) !== 'TREE') return undefined
    at += 8 + index.readUInt32BE(at + 4)
  }
  const isWhole = at === end && createHash('sha1').update(index.subarray(0, end)).digest().equals(index.subarray(end))
  return isWhole ? offsets : undefined
}

/** In bytes; negative when a long name has no end. */
function nameLength(index: Buffer, at: number, flags: number): number {
  const length = flags & LENGTH
  return length < LENGTH ? length : index.indexOf(0, at + NAME) - at - NAME
}

/** One to eight zeros end a name, so that the next entry begins at a multiple of eight. */
const sizeOf = (nameLength: number) => (NAME + nameLength + 8) & ~7

function entry(name: Buffer, { id, stat }: { id: string; stat?: Buffer | undefined }): Buffer {
  const bytes = Buffer.alloc(sizeOf(name.length))
  if (stat) stat.copy(bytes)
  else bytes.writeUInt32BE(PLAIN_FILE, 24)
  bytes.write(id, STAT, 'hex')
  bytes.writeUInt16BE(Math.min(name.length, LENGTH), FLAGS)
  name.copy(bytes, NAME)
  return bytes
}

/** The entries as they are sorted: by the bytes of their names. */
class Entries {
  readonly #index: Buffer
  readonly #offsets: readonly number[]

  constructor(index: Buffer, offsets: readonly number[]) {
    this.#index = index
    this.#offsets = offsets
  }

  /** The number of the first entry whose name is not less than this one. */
  firstFrom(name: Buffer): number {
    let [low, high] = [0, this.#offsets.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#name(middle).compare(name) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  isAt(at: number, name: Buffer): boolean {
    return at < this.#offsets.length - 1 && this.#name(at).equals(name)
  }

  /**
   * Whether there is a file where this name needs a folder, or a folder of this name.
   * @param added the names of other files that come in, in Latin-1
   */
  isInTheWay(name: Buffer, added: ReadonlySet<string>): boolean {
    for (let slash = name.indexOf('/'); slash > 0; slash = name.indexOf('/', slash + 1)) {
      const folder = name.subarray(0, slash)
      if (this.isAt(this.firstFrom(folder), folder) || added.has(folder.toString('latin1'))) return true
    }
    const folder = Buffer.concat([name, Buffer.from('/')])
    const at = this.firstFrom(folder)
    return at < this.#offsets.length - 1 && this.#name(at).subarray(0, folder.length).equals(folder)
  }

  /**
   * Git believes an entry whose file is older than the index, and reads the others: they may have been changed within the second
   * (racy-git(7)). A younger index would make it believe them all, so those that are not exactly as they were noted are made to differ.
   * @returns false when there are too many to look at
   */
  distrust({ written, stat }: IndexPlace): boolean {
    const racy = this.#offsets.slice(0, -1).flatMap((offset, at) => {
      return this.#index.readUInt32BE(offset + MTIME) >= written ? [{ offset, at }] : []
    })
    if (racy.length > MOST_RACY) return false
    for (const { offset, at } of racy) {
      const found = stat(this.#name(at).toString())
      if (!found?.equals(this.#index.subarray(offset, offset + STAT))) this.#index.writeUInt32BE(0, offset + SIZE)
    }
    return true
  }

  #name(at: number): Buffer {
    const offset = this.#offsets[at]!
    const length = nameLength(this.#index, offset, this.#index.readUInt16BE(offset + FLAGS))
    return this.#index.subarray(offset + NAME, offset + NAME + length)
  }
}
