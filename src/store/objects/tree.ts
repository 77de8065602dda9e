/** Git trees as immutable values: a folder's entries, stored as the bytes that git hashes. */
import { Failure } from '../../bundle/errors.ts'
import { ownBytes } from '../../scheduling/byte-cache.ts'
import { hashObject } from './object.ts'
import { checkEntry, entryBytes, OBJECT_ID, PLAIN, sortKey, type TreeEntry } from './tree-entry.ts'

export type { TreeEntry } from './tree-entry.ts'

const SPACE = 0x20
const SLASH = 0x2f
/** A folder's mode and the space behind it. */
const TREE_MODE = Buffer.from('40000 ')
const ID_BYTES = 20
/** Where a tree's entries begin; shared by all its versions with the same names. */
interface Layout {
  offsets: Uint32Array
  /** Names asked for before: every write walks the same few paths. */
  found: Map<string, number>
}

/** An entry to be put, or with `id` null to be removed. */
export interface TreeChange {
  name: string
  kind: TreeEntry['kind']
  id: string | null
}

/** Bytes of an entry that goes, or the place of an `added` one; `key` is what that sorts by. */
interface Cut {
  from: number
  to: number
  key?: Buffer
  added?: Buffer
}

/**
 * An immutable git tree: `changed` returns another one; `bytes` must not be written to.
 * Looking up is a binary search. Replacing an entry copies the bytes and patches 20; versions with the same names share
 * the offsets. Untouched entries retain every byte, even of odd modes and names.
 * Every walk of the entries throws Failure `unavailable`, naming a tree that is malformed or unsorted.
 */
export class Tree {
  static readonly EMPTY: Tree = new Tree(Buffer.alloc(0))

  /** What git hashes: per entry `<mode> <name>\0` and 20 bytes of id (gitformat, "Tree objects"). */
  readonly bytes: Buffer
  #id: string | undefined
  #layout: Layout | undefined

  private constructor(bytes: Buffer, layout?: Layout) {
    this.bytes = ownBytes(bytes)
    this.#layout = layout
  }

  /** The tree of these bytes, not to be written to; checked when an entry is first asked for. */
  static parse(bytes: Buffer): Tree {
    return bytes.length === 0 ? Tree.EMPTY : new Tree(bytes)
  }

  /** Git's id of this tree, hashed at the first call: several changes in a row cost one hash. */
  get id(): string {
    this.#id ??= hashObject('tree', this.bytes)
    return this.#id
  }

  get(name: string): TreeEntry | undefined {
    const found = this.#find(name)
    return found === undefined ? undefined : this.#entry(found)
  }

  /** All entries in git's order: by the name's bytes, a folder's as if it ended in a slash. */
  entries(): TreeEntry[] {
    return Array.from(this.#index().offsets, offset => this.#entry(offset))
  }

  /** The names here that equal `name` but for ASCII case, itself among them. A few binary searches. */
  namesLike(name: string): string[] {
    const key = Buffer.from(name)
    const found: string[] = []
    // All names between the two positions begin with the same bytes of the key.
    const narrow = (low: number, high: number, at: number) => {
      if (low >= high) return
      for (const byte of at < key.length ? bothCases(key[at]!) : [0, SLASH]) {
        const [from, to] = [this.#firstAt(low, high, at, byte), this.#firstAt(low, high, at, byte + 1)]
        if (at < key.length) narrow(from, to, at + 1)
        else if (from < to) found.push(this.#entry(this.#index().offsets[from]!).name)
      }
    }
    // With a slash of its own it would pass for a folder's sort key.
    if (!name.includes('/')) narrow(0, this.#index().offsets.length, 0)
    return found
  }

  /**
   * This tree with entries put or removed (`id` null), copied once; the very same tree when nothing changes. What is
   * put gets the plain mode of its kind.
   * @param changes at most one per name
   * @throws Failure `invalid` when git could not hold such an entry
   */
  changed(changes: readonly TreeChange[]): Tree {
    const cuts: Cut[] = []
    let patched: Buffer | undefined
    for (const { name, kind, id } of changes) {
      const old = this.#find(name)
      const idAt = old === undefined ? 0 : this.#idAt(old)
      // A name that stands here already is a valid one.
      if (old !== undefined && id !== null && this.#mode(old) === PLAIN[kind] && OBJECT_ID.test(id)) {
        if (this.bytes.toString('hex', idAt, idAt + ID_BYTES) === id) continue
        patched ??= Buffer.from(this.bytes)
        patched.write(id, idAt, 'hex')
        continue
      }
      if (old !== undefined) cuts.push({ from: old, to: idAt + ID_BYTES })
      if (id === null) continue
      checkEntry({ name, id })
      const key = sortKey(name, kind)
      const from = this.#index().offsets[this.#search(key).position] ?? this.bytes.length
      cuts.push({ from, to: from, key, added: entryBytes({ name, kind, id }) })
    }
    if (cuts.length > 0) return this.#cut(patched ?? this.bytes, cuts)
    return patched ? new Tree(patched, this.#layout) : this
  }

  /** @param cuts do not overlap, in bytes with this tree's names */
  #cut(bytes: Buffer, cuts: Cut[]): Tree {
    // An entry that comes before a removed one stands at the same place.
    cuts.sort((a, b) => a.from - b.from || (a.key && b.key ? Buffer.compare(a.key, b.key) : a.key ? -1 : 1))
    const pieces: Buffer[] = []
    let at = 0
    for (const { from, to, added } of cuts) {
      pieces.push(bytes.subarray(at, from))
      if (added) pieces.push(added)
      at = to
    }
    return Tree.parse(Buffer.concat([...pieces, bytes.subarray(at)]))
  }

  #index(): Layout {
    this.#layout ??= { offsets: this.#walk(), found: new Map() }
    return this.#layout
  }

  #walk(): Uint32Array {
    const { bytes } = this
    const offsets: number[] = []
    for (let offset = 0, previous = -1; offset < bytes.length; ) {
      const space = this.#endOfMode(offset)
      let nul = space + 1
      while (nul < bytes.length && bytes[nul] !== 0) nul++
      if (space === offset || bytes[space] !== SPACE || nul === space + 1 || nul + ID_BYTES >= bytes.length) {
        throw this.#malformed('is cut off or garbled')
      }
      // A binary search in an unsorted tree would miss entries.
      if (previous >= 0 && !this.#inOrder(previous, offset)) throw this.#malformed('is not sorted')
      offsets.push(offset)
      previous = offset
      offset = nul + 1 + ID_BYTES
    }
    return Uint32Array.from(offsets)
  }

  /** Behind the octal digits at `offset`; git's modes have six at most. */
  #endOfMode(offset: number): number {
    let at = offset
    while (at < offset + 6 && this.bytes[at]! >= 0x30 && this.bytes[at]! <= 0x37) at++
    return at
  }

  #inOrder(first: number, second: number): boolean {
    const { bytes } = this
    let a = this.#nameAt(first)
    let b = this.#nameAt(second)
    while (bytes[a] === bytes[b] && bytes[a] !== 0) {
      a++
      b++
    }
    const ofFirst = bytes[a] === 0 && this.#isTree(first) ? SLASH : bytes[a]!
    const ofSecond = bytes[b] === 0 && this.#isTree(second) ? SLASH : bytes[b]!
    return ofFirst < ofSecond
  }

  #malformed(why: string): Failure {
    return new Failure('unavailable', `The git tree ${this.id} ${why}; run git fsck in its repository.`, {
      id: this.id,
    })
  }

  /** The offset of a name's entry. Without its kind it may sort in either of two places. */
  #find(name: string): number | undefined {
    const { found } = this.#index()
    const known = found.get(name)
    // With a slash of its own it would pass for a folder's sort key.
    if (known !== undefined || name.includes('/')) return known
    const offset = this.#search(sortKey(name, 'blob')).offset ?? this.#search(sortKey(name, 'tree')).offset
    if (offset !== undefined) found.set(name, offset)
    return offset
  }

  #search(key: Buffer): { position: number; offset: number | undefined } {
    const { offsets } = this.#index()
    let low = 0
    let high = offsets.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.#compare(offsets[middle]!, key)
      if (order === 0) return { position: middle, offset: offsets[middle] }
      if (order < 0) low = middle + 1
      else high = middle
    }
    return { position: low, offset: undefined }
  }

  /** Among names that begin alike: the first position that sorts by `byte` or higher at `at`. */
  #firstAt(low: number, high: number, at: number, byte: number): number {
    const { offsets } = this.#index()
    let end = high
    for (let from = low; from < end; ) {
      const middle = (from + end) >>> 1
      const offset = offsets[middle]!
      const own = this.bytes[this.#nameAt(offset) + at]!
      if ((own === 0 && this.#isTree(offset) ? SLASH : own) < byte) from = middle + 1
      else end = middle
    }
    return end
  }

  /** Orders the entry at `offset` against a sort key: negative when it comes before. */
  #compare(offset: number, key: Buffer): number {
    const bytes = this.bytes
    let at = this.#nameAt(offset)
    for (let i = 0; i < key.length; i++, at++) {
      let byte = bytes[at]!
      // The name has ended: a folder's goes on with a slash, then the key's last byte.
      if (byte === 0) {
        if (!this.#isTree(offset)) return -1
        byte = SLASH
        if (byte === key[i]) return i === key.length - 1 ? 0 : -1
      }
      if (byte !== key[i]) return byte - key[i]!
    }
    return bytes[at] === 0 && !this.#isTree(offset) ? 0 : 1
  }

  #entry(offset: number): TreeEntry {
    const idAt = this.#idAt(offset)
    const kind = this.#isTree(offset) ? 'tree' : 'blob'
    const mode = this.#mode(offset)
    const entry: TreeEntry = {
      name: this.bytes.toString('utf8', this.#nameAt(offset), idAt - 1),
      kind,
      id: this.bytes.toString('hex', idAt, idAt + ID_BYTES),
    }
    if (mode !== PLAIN[kind]) entry.mode = mode
    return entry
  }

  #mode(offset: number): string {
    return this.bytes.toString('latin1', offset, this.#nameAt(offset) - 1)
  }

  /** A folder's mode is 40000; old tools wrote 040000, and git reads both. */
  #isTree(offset: number): boolean {
    const at = this.bytes[offset] === 0x30 ? offset + 1 : offset
    for (let i = 0; i < TREE_MODE.length; i++) if (this.bytes[at + i] !== TREE_MODE[i]) return false
    return true
  }

  #nameAt(offset: number): number {
    let at = offset
    while (this.bytes[at] !== SPACE) at++
    return at + 1
  }

  #idAt(offset: number): number {
    // A loop: names are short, and a native call costs more.
    let at = this.#nameAt(offset)
    while (this.bytes[at] !== 0) at++
    return at + 1
  }
}

function bothCases(byte: number): number[] {
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x7a ? [letter ^ 0x20, letter] : [byte]
}
