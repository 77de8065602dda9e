/** A write in the making: changes collected over a state, readable at once, turned into trees and one commit at the end. */
import { Failure } from '../../bundle/errors.ts'
import { renderCommit } from '../objects/commit.ts'
import { deltaUpTo } from '../objects/delta.ts'
import { hashObject } from '../objects/objects.ts'
import type { PackBuilder } from '../objects/pack-builder.ts'
import { type Entry, Tree } from '../objects/tree.ts'
import { type Head, isOurs, type Objects, type Snapshot, StateSnapshot, splitPath } from '../snapshot.ts'
import type { JournalChange, JournalCommit } from './journal.ts'

/** A snapshot that takes changes; it reads its own. */
export interface Transaction extends Snapshot {
  /**
   * Puts a file; returns its blob id.
   * @param id that blob id, where it is known: hashing megabytes takes milliseconds
   * @throws Failure `invalid` for a path the store does not take
   */
  put(path: string, bytes: Buffer, id?: string): string
  /** Removes a file; one that is not there is fine. Folders left empty vanish. */
  remove(path: string): void
}

/** A changed file (`id` null: removed) or a folder with changes beneath it. */
type Change = { id: string | null } | Folder
type Folder = Map<string, Change>

/** A tree made by the transaction, beside the one it replaces, which is the best delta base. */
interface NewTree {
  tree: Tree
  old: Tree
}

/** A file that differs from the head's; ids are null where it is absent. */
interface FileChange {
  path: string
  before: string | null
  after: string | null
}

/** What all changes so far come to. */
interface Built {
  root: Tree
  trees: Map<string, NewTree>
  files: FileChange[]
}

function clash(path: string): Failure {
  return new Failure('conflict', `"${path}" cannot be a file and a folder at once.`)
}

/** The one implementation of {@link Transaction}, over `head` and `objects`; it touches neither. */
export class OpenTransaction implements Transaction {
  readonly head: Head
  readonly #objects: Objects
  readonly #base: StateSnapshot
  readonly #changes: Folder = new Map()
  readonly #contents = new Map<string, Buffer>()
  #built: Built | undefined

  constructor(objects: Objects, head: Head) {
    this.#objects = objects
    this.head = head
    this.#base = new StateSnapshot(objects, head)
  }

  get revision(): string | null {
    return this.head.commit
  }

  get root(): string {
    return this.#build().root.id
  }

  put(path: string, bytes: Buffer, id: string = hashObject('blob', bytes)): string {
    this.#contents.set(id, bytes)
    this.#set(path, { id })
    return id
  }

  remove(path: string): void {
    this.#set(path, { id: null })
  }

  entry(path: string): Entry | undefined {
    const names = path === '' ? [] : path.split('/')
    const change = this.#changeAt(names)
    if (change === undefined) return this.#base.entry(path)
    if (!(change instanceof Map))
      return change.id === null ? undefined : { name: names.at(-1)!, kind: 'blob', id: change.id }
    let entry: Entry | undefined = { name: '', kind: 'tree', id: this.root }
    for (const name of names) entry = entry && this.#tree(entry.id).get(name)
    return entry
  }

  list(path: string): Entry[] {
    const entry = this.entry(path)
    return entry?.kind === 'tree' ? this.#tree(entry.id).entries() : []
  }

  read(path: string): Buffer | undefined {
    const entry = this.entry(path)
    return entry?.kind === 'blob' ? (this.#contents.get(entry.id) ?? this.#objects.blob(entry.id)) : undefined
  }

  namesLike(folder: string, name: string): string[] {
    const entry = this.entry(folder)
    return entry?.kind === 'tree' ? this.#tree(entry.id).namesLike(name) : []
  }

  at(revision: string): Snapshot {
    return this.#base.at(revision)
  }

  /**
   * Makes the commit, adding its objects to `pack`; undefined when nothing changed on balance. `replaced` are the ids of blobs and
   * trees that other versions took the place of.
   * The same changes over the same head with the same author, time and message give the same commit id.
   */
  commit(pack: PackBuilder, details: { author: string; time: number; message: string }) {
    const { root, trees, files } = this.#build()
    if (root.id === this.head.root) return undefined
    const { author, time, message } = details
    const bytes = renderCommit({ tree: root.id, parent: this.head.commit, author, time, message })
    const head: Head = { commit: hashObject('commit', bytes), root: root.id, time }
    const changes = files.map(change => this.#journalChange(change))
    const replaced: string[] = []
    for (const { before, after, base, data } of changes) {
      if (before !== null) replaced.push(before)
      if (after === null) continue
      const content = this.#contents.get(after)!
      pack.add('blob', after, content, base === null ? undefined : { id: base, delta: data })
      this.#objects.rememberBlob(after, content)
    }
    for (const { tree, old } of trees.values()) {
      pack.add('tree', tree.id, tree.bytes, { id: old.id, bytes: old.bytes })
      this.#objects.remember(tree)
      replaced.push(old.id)
    }
    // Git knows the empty tree without an object of it, but its fsck wants to see one.
    if (root.id === Tree.EMPTY.id) pack.add('tree', root.id, root.bytes)
    pack.add('commit', head.commit!, bytes)
    const record: JournalCommit = { before: this.head.commit, after: head.commit!, author, time, message, changes }
    return { head, record, replaced }
  }

  #set(path: string, change: { id: string | null }): void {
    const names = splitPath(path)
    const name = names.pop()!
    let folder = this.#changes
    for (const parent of names) {
      let below = folder.get(parent)
      if (below === undefined) folder.set(parent, (below = new Map()))
      if (!(below instanceof Map)) throw clash(path)
      folder = below
    }
    if (folder.get(name) instanceof Map) throw clash(path)
    folder.set(name, change)
    this.#built = undefined
  }

  #changeAt(names: string[]): Change | undefined {
    let change: Change | undefined = this.#changes
    for (const name of names) {
      if (!(change instanceof Map)) return undefined
      change = change.get(name)
    }
    return change
  }

  #tree(id: string): Tree {
    return this.#built?.trees.get(id)?.tree ?? this.#objects.tree(id)
  }

  #build(): Built {
    if (this.#built === undefined) {
      const built = { trees: new Map<string, NewTree>(), files: [] }
      const root = this.#apply(this.#objects.tree(this.head.root), this.#changes, '', built)
      this.#built = { root, ...built }
    }
    return this.#built
  }

  #apply(old: Tree, changes: Folder, path: string, built: Omit<Built, 'root'>): Tree {
    let tree = old
    for (const [name, change] of changes) {
      const present = old.get(name)
      const at = path === '' ? name : `${path}/${name}`
      if (change instanceof Map) {
        if (present?.kind === 'blob') throw clash(at)
        const below = this.#apply(present ? this.#objects.tree(present.id) : Tree.EMPTY, change, at, built)
        if (below.id === Tree.EMPTY.id) tree = present ? tree.without(name) : tree
        else if (below.id !== present?.id) tree = tree.with({ name, kind: 'tree', id: below.id })
      } else {
        if (present?.kind === 'tree') throw clash(at)
        if (change.id === null) tree = present ? tree.without(name) : tree
        else if (change.id !== present?.id) tree = tree.with({ name, kind: 'blob', id: change.id })
        const before = present && isOurs(present) ? present.id : null
        if (before !== change.id) built.files.push({ path: at, before, after: change.id })
      }
    }
    if (tree.id !== old.id && tree.id !== Tree.EMPTY.id) built.trees.set(tree.id, { tree, old })
    return tree
  }

  #journalChange(change: FileChange): JournalChange {
    const { before, after } = change
    if (after === null) return { ...change, base: null, data: Buffer.alloc(0) }
    const content = this.#contents.get(after)!
    // A pack takes none that saves less, either.
    const delta = before === null ? undefined : deltaUpTo(content.length / 2, this.#objects.blob(before), content)
    return delta && delta.length < content.length
      ? { ...change, base: before, data: delta }
      : { ...change, base: null, data: content }
  }
}
