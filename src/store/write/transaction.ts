/** An open write: changes over a state, readable at once. At the end they become trees and a commit. */
import { Failure } from '../../bundle/errors.ts'
import { atOnce, type Steps } from '../../scheduling/steps.ts'
import { renderCommit } from '../objects/commit.ts'
import { createDelta } from '../objects/delta.ts'
import { hashObject, type ObjectType } from '../objects/objects.ts'
import type { DeltaBase, PackBuilder } from '../objects/pack-builder.ts'
import { Tree, type TreeChange, type TreeEntry } from '../objects/tree.ts'
import { type Head, isOurs, type Objects, type Snapshot, StateSnapshot, splitPath } from '../snapshot.ts'
import type { JournalChange, JournalCommit } from './journal.ts'

/** A snapshot that accepts changes and reads its own. */
export interface Transaction extends Snapshot {
  /**
   * Puts a file.
   * @param id its blob id, if known: hashing megabytes costs milliseconds
   * @throws Failure `invalid` for a path that {@link splitPath} refuses
   */
  put(path: string, bytes: Buffer, id?: string): void
  /** Removes a file, if it is there. Folders left empty vanish. */
  remove(path: string): void
  readonly before: Snapshot
  changed(): string[]
}

/** A changed file (`id` null: removed) or a folder with changes beneath it. */
type Change = { id: string | null } | Folder

/** A folder with changes. Each read brings its tree up to date, so a read between two writes costs one change. */
class Folder {
  readonly changes = new Map<string, Change>()
  /** The changes that `tree` lacks, by name. */
  readonly open = new Set<string>()
  /** The folder as it was. */
  readonly old: Tree
  tree: Tree

  constructor(old: Tree) {
    this.old = old
    this.tree = old
  }

  /** Lets the next build begin with the folder as it was. */
  restart(): void {
    this.tree = this.old
    for (const name of this.changes.keys()) this.open.add(name)
  }
}

/** A new tree and the one it replaces, its best delta base. */
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

/** A transaction's commit. `replaced` are the ids of blobs and trees that it replaced. */
export interface BuiltCommit {
  head: Head
  record: JournalCommit
  replaced: string[]
  /** Adds its objects to a pack; its record must follow in the same turn of the event loop. */
  addTo(pack: PackBuilder): void
}

type PackedObject = [type: ObjectType, id: string, bytes: Buffer, base?: DeltaBase | undefined]

interface ChangedObjects {
  trees: Map<string, NewTree>
  files: FileChange[]
}

function clash(path: string): Failure {
  return new Failure('conflict', `"${path}" cannot be a file and a folder at once.`)
}

/** The one {@link Transaction}, over `head` and `objects`; it touches neither. */
export class OpenTransaction implements Transaction {
  readonly head: Head
  readonly #objects: Objects
  readonly before: Snapshot
  readonly #changes: Folder
  readonly #contents = new Map<string, Buffer>()

  constructor(objects: Objects, head: Head) {
    this.#objects = objects
    this.head = head
    this.before = new StateSnapshot(objects, head)
    this.#changes = new Folder(objects.tree(head.root))
  }

  get organization(): string {
    return this.#objects.owner
  }

  get revision(): string | null {
    return this.head.commit
  }

  get root(): string {
    return atOnce(this.#building(this.#changes)).id
  }

  put(path: string, bytes: Buffer, id: string = hashObject('blob', bytes)): string {
    this.#contents.set(id, bytes)
    this.#set(path, { id })
    return id
  }

  remove(path: string): void {
    this.#set(path, { id: null })
  }

  entry(path: string): TreeEntry | undefined {
    const names = path === '' ? [] : path.split('/')
    const change = this.#changeAt(names)
    if (change === undefined) return this.before.entry(path)
    const name = names.at(-1) ?? ''
    if (!(change instanceof Folder)) return change.id === null ? undefined : { name, kind: 'blob', id: change.id }
    const { id } = atOnce(this.#building(change))
    return id === Tree.EMPTY.id && path !== '' ? undefined : { name, kind: 'tree', id }
  }

  list(path: string): TreeEntry[] {
    return this.#folder(path)?.entries().filter(isOurs) ?? this.before.list(path)
  }

  read(path: string): Buffer | undefined {
    const entry = this.entry(path)
    return entry?.kind === 'blob' ? (this.#contents.get(entry.id) ?? this.#objects.blob(entry.id)) : undefined
  }

  namesLike(folder: string, name: string): string[] {
    return this.#folder(folder)?.namesLike(name) ?? this.before.namesLike(folder, name)
  }

  at(revision: string): Snapshot {
    return this.before.at(revision)
  }

  commitOrigin(): ReturnType<Snapshot['commitOrigin']> {
    return this.before.commitOrigin()
  }

  changed(): string[] {
    return pathsIn(this.#changes)
  }

  /** Builds the commit, in steps; undefined without a net change. Equal input over an equal head gives the same id. */
  *commit({
    author,
    time,
    message,
  }: {
    author: string
    time: number
    message: string
  }): Steps<BuiltCommit | undefined> {
    const root = yield* this.#building(this.#changes)
    if (root.id === this.head.root) return undefined
    const changed: ChangedObjects = { trees: new Map(), files: [] }
    yield* collectChanges(this.#changes, '', changed)
    const { trees, files } = changed
    const bytes = renderCommit({ tree: root.id, parent: this.head.commit, author, time, message })
    const head: Head = { commit: hashObject('commit', bytes), root: root.id, time }
    const objects: PackedObject[] = []
    const changes: JournalChange[] = []
    const replaced: string[] = []
    for (const file of files) {
      yield
      const change = this.#journalChange(file)
      const { before, after, base, data } = change
      changes.push(change)
      if (before !== null) replaced.push(before)
      if (after === null) continue
      const content = this.#contents.get(after)!
      objects.push(['blob', after, content, base === null ? undefined : { id: base, delta: data }])
      this.#objects.rememberBlob(after, content)
    }
    for (const { tree, old } of trees.values()) {
      objects.push(['tree', tree.id, tree.bytes, { id: old.id, bytes: old.bytes }])
      this.#objects.remember(tree)
      replaced.push(old.id)
    }
    // Git knows the empty tree without an object, but its fsck wants one.
    if (root.id === Tree.EMPTY.id) objects.push(['tree', root.id, root.bytes])
    objects.push(['commit', head.commit!, bytes])
    const record: JournalCommit = { before: this.head.commit, after: head.commit!, author, time, message, changes }
    const addTo = (pack: PackBuilder) => {
      for (const object of objects) pack.add(...object)
    }
    return { head, record, replaced, addTo }
  }

  #set(path: string, change: { id: string | null }): void {
    const names = splitPath(path)
    const name = names.pop()!
    let folder = this.#changes
    for (const parent of names) {
      let below = folder.changes.get(parent)
      if (below === undefined) folder.changes.set(parent, (below = this.#folderIn(folder, parent, path)))
      if (!(below instanceof Folder)) throw clash(path)
      folder.open.add(parent)
      folder = below
    }
    const old = folder.old.get(name)
    if (folder.changes.get(name) instanceof Folder || old?.kind === 'tree') throw clash(path)
    folder.changes.set(name, change)
    // What is as it was has its odd mode again.
    if (old?.mode !== undefined && old.id === change.id) folder.restart()
    folder.open.add(name)
  }

  #folderIn({ old }: Folder, name: string, path: string): Folder {
    const present = old.get(name)
    if (present?.kind === 'blob') throw clash(path)
    return new Folder(present ? this.#objects.tree(present.id) : Tree.EMPTY)
  }

  #changeAt(names: string[]): Change | undefined {
    let change: Change | undefined = this.#changes
    for (const name of names) {
      if (!(change instanceof Folder)) return undefined
      change = change.changes.get(name)
    }
    return change
  }

  /** A folder with changes; undefined for another one. */
  #folder(path: string): Tree | undefined {
    const change = this.#changeAt(path === '' ? [] : path.split('/'))
    return change instanceof Folder ? atOnce(this.#building(change)) : undefined
  }

  /** Brings the tree of a folder up to date. */
  *#building(folder: Folder): Steps<Tree> {
    const edits: TreeChange[] = []
    for (const name of folder.open) {
      yield
      const change = folder.changes.get(name)!
      const present = folder.tree.get(name)?.id ?? null
      if (change instanceof Folder) {
        const { id: built } = yield* this.#building(change)
        const id = built === Tree.EMPTY.id ? null : built
        if (id !== present) edits.push({ name, kind: 'tree', id })
      } else if (change.id !== present) edits.push({ name, kind: 'blob', id: change.id })
    }
    folder.tree = folder.tree.changed(edits)
    folder.open.clear()
    return folder.tree
  }

  #journalChange(change: FileChange): JournalChange {
    const { before, after } = change
    if (after === null) return { ...change, base: null, data: Buffer.alloc(0) }
    const content = this.#contents.get(after)!
    // A pack has no delta that saves less, either.
    const delta = before === null ? undefined : createDelta(this.#objects.blob(before), content, content.length / 2)
    return delta && delta.length < content.length
      ? { ...change, base: before, data: delta }
      : { ...change, base: null, data: content }
  }
}

/** The changed files and trees below a folder, after a build of its tree. */
function* collectChanges({ changes, old, tree }: Folder, path: string, into: ChangedObjects): Steps<void> {
  for (const [name, change] of changes) {
    yield
    const at = path === '' ? name : `${path}/${name}`
    if (change instanceof Folder) yield* collectChanges(change, at, into)
    else {
      const present = old.get(name)
      const before = present && isOurs(present) ? present.id : null
      if (before !== change.id) into.files.push({ path: at, before, after: change.id })
    }
  }
  if (tree.id !== old.id && tree.id !== Tree.EMPTY.id) into.trees.set(tree.id, { tree, old })
}

function pathsIn({ changes }: Folder, at = ''): string[] {
  return [...changes].flatMap(([name, change]) =>
    change instanceof Folder ? pathsIn(change, `${at}${name}/`) : [`${at}${name}`],
  )
}
