/** One state of an organization, read by path, with its objects cached within bounds. */
import { Failure } from '../bundle/errors.ts'
import type { State } from '../project/state.ts'
import { type ByteCache, offer, ownBytes } from '../scheduling/byte-cache.ts'
import { type Author, readCommit, readCommitText } from './objects/commit.ts'
import type { GitObject, ObjectReader } from './objects/objects.ts'
import type { PackBuilder } from './objects/pack-builder.ts'
import { Tree, type TreeEntry } from './objects/tree.ts'

/** One consistent, immutable state of an organization; its reads never wait for writes. */
export interface Snapshot extends State {
  /** Commit id, null before the first write. */
  readonly revision: string | null
  /** Tree id of the root; before the first write the empty tree's. */
  readonly root: string
  /** The state at a commit, by its full id. @throws Failure `not-found` when the repository lacks it */
  at(revision: string): Snapshot
  /** The author and the first parent of its commit, undefined before the first one. */
  commitOrigin(): CommitOrigin | undefined
}

/** Where a commit is from. */
interface CommitOrigin {
  author: Author
  /** Null of the first one. */
  parent: string | null
}

/** A state's ids; `time` is its committer time in seconds, which the next commit's never precedes. */
export interface Head {
  readonly commit: string | null
  readonly root: string
  readonly time: number
}

export const NO_HEAD: Head = { commit: null, root: Tree.EMPTY.id, time: 0 }

/**
 * Parsed trees and contents by object id. Each organization has its own entries: a read's duration must not reveal
 * whether another one has read the same bytes.
 */
export type ObjectCache = ByteCache<Tree | Buffer>

/** Finds an organization's objects: unsealed ones, then the cache, then git's packs and loose objects. */
export class Objects {
  /** The packs being built, newest first; their objects are nowhere else yet. */
  unsealed: PackBuilder[] = []
  readonly #cache: ObjectCache
  readonly #reader: ObjectReader
  /** Large contents read last, which a caller may hold while no cache has room for them. */
  readonly #held = new Map<string, WeakRef<Buffer>>()
  /** The organization, as prefix of each key in a shared cache. */
  readonly owner: string

  constructor(reader: ObjectReader, cache: ObjectCache, owner = '') {
    this.#reader = reader
    this.#cache = cache
    this.owner = owner
  }

  /** @throws Failure `unavailable` when the object is missing or damaged */
  tree(id: string): Tree {
    if (id === Tree.EMPTY.id) return Tree.EMPTY
    const key = this.owner + id
    const cached = this.#cache.get(key) as Tree | undefined
    if (cached) return cached
    const tree = Tree.parse(this.#require(id, 'tree'))
    offer(this.#cache, key, tree, treeSize(tree))
    return tree
  }

  /** @throws Failure `unavailable` when the object is missing or damaged */
  blob(id: string): Buffer {
    const key = this.owner + id
    const cached = (this.#cache.get(key) as Buffer | undefined) ?? this.#held.get(id)?.deref()
    if (cached) return cached
    const bytes = ownBytes(this.#require(id, 'blob'))
    offer(this.#cache, key, bytes, blobSize(bytes))
    if (bytes.length > HELD_BYTES) this.#hold(id, bytes)
    return bytes
  }

  #hold(id: string, bytes: Buffer): void {
    this.#held.delete(id)
    this.#held.set(id, new WeakRef(bytes))
    if (this.#held.size > MOST_HELD) this.#held.delete(this.#held.keys().next().value!)
  }

  /** @throws Failure `unavailable` when the object is missing or damaged */
  commit(id: string): Buffer {
    return this.#require(id, 'commit')
  }

  /** The first damaged or missing object, in a sentence; undefined when all were fine. */
  get damage(): string | undefined {
    return this.#reader.damage
  }

  refresh(): void {
    this.#reader.refresh()
  }

  /** From now on a pack's objects are looked for in git. */
  sealed(pack: PackBuilder): void {
    this.refresh()
    this.unsealed = this.unsealed.filter(other => other !== pack)
  }

  /** Caches a folder just written. */
  remember(tree: Tree): void {
    this.#cache.set(this.owner + tree.id, tree, { size: treeSize(tree) })
  }

  /** Caches a file just written: apps with the version before will ask for it. */
  rememberBlob(id: string, bytes: Buffer): void {
    this.#cache.set(this.owner + id, ownBytes(bytes), { size: blobSize(bytes) })
  }

  /** Drops a replaced blob or tree, so that the cache holds what is read. */
  forget(id: string): void {
    this.#cache.delete(this.owner + id)
  }

  /** An object of any type, past the cache, if there is one. @throws Failure `unavailable` when it is damaged */
  find(id: string): GitObject | undefined {
    let object: GitObject | undefined
    for (const pack of this.unsealed) object ??= pack.get(id)
    return object ?? this.#reader.read(id)
  }

  /** Whether there is such an object, sound or not. @throws Failure `unavailable` when a pack's index is damaged */
  has(id: string): boolean {
    return !this.isSealed(id) || this.#reader.has(id)
  }

  /** Whether git's programs find it too: it is in no pack still being built. */
  isSealed(id: string): boolean {
    return !this.unsealed.some(pack => pack.has(id))
  }

  #require(id: string, type: GitObject['type']): Buffer {
    const object = this.find(id)
    if (object?.type !== type) {
      const message = `Git object ${id} is missing: the repository is damaged; parlance server verify says what to do.`
      this.#reader.damage ??= message
      throw new Failure('unavailable', message, { id })
    }
    return object.bytes
  }
}

/** Smaller contents are read again as fast. */
const HELD_BYTES = 64 * 1024
const MOST_HELD = 64

/** With the Buffer's own room and its place in the cache. */
const blobSize = (bytes: Buffer) => bytes.length + 200

/** Lazily parsed entries cost about as much again as the bytes. */
const treeSize = (tree: Tree) => tree.bytes.length * 3 + 200

/** Whether an entry is ours: links and submodules, which a person may have committed, count as absent. */
export function isOurs({ mode }: TreeEntry): boolean {
  return mode === undefined || mode === '100755' || mode === '100664'
}

export class StateSnapshot implements Snapshot {
  readonly organization: string
  readonly revision: string | null
  readonly root: string
  readonly #objects: Objects

  constructor(objects: Objects, head: Head) {
    this.#objects = objects
    this.organization = objects.owner
    this.revision = head.commit
    this.root = head.root
  }

  entry(path: string): TreeEntry | undefined {
    let found: TreeEntry | undefined = { name: '', kind: 'tree', id: this.root }
    for (const name of path === '' ? [] : path.split('/')) {
      if (found?.kind !== 'tree') return undefined
      found = this.#objects.tree(found.id).get(name)
    }
    return found && isOurs(found) ? found : undefined
  }

  list(path: string): TreeEntry[] {
    const found = this.entry(path)
    return found?.kind === 'tree' ? this.#objects.tree(found.id).entries().filter(isOurs) : []
  }

  read(path: string): Buffer | undefined {
    const found = this.entry(path)
    return found?.kind === 'blob' ? this.#objects.blob(found.id) : undefined
  }

  namesLike(folder: string, name: string): string[] {
    const found = this.entry(folder)
    return found?.kind === 'tree' ? this.#objects.tree(found.id).namesLike(name) : []
  }

  at(revision: string): Snapshot {
    const commit = this.#objects.find(revision)
    if (commit?.type !== 'commit') throw unknownRevision(revision)
    const { tree, time } = readCommit(commit.bytes)
    return new StateSnapshot(this.#objects, { commit: revision, root: tree, time })
  }

  commitOrigin(): CommitOrigin | undefined {
    if (this.revision === null) return undefined
    const bytes = this.#objects.commit(this.revision)
    return { author: readCommitText(bytes).author, parent: readCommit(bytes).parents[0] ?? null }
  }
}

/** A commit's state; null is the one before the first. @throws Error when the repository lacks the commit */
export function readHead(objects: Objects, commit: string | null): Head {
  if (commit === null) return NO_HEAD
  const { tree, time } = readCommit(objects.commit(commit))
  return { commit, root: tree, time }
}

/** The words are the same for an unknown revision and another organization's. */
export function unknownRevision(revision: string): Failure {
  return new Failure('not-found', `There is no revision ${JSON.stringify(revision)}.`)
}

export const EMPTY_SNAPSHOT: Snapshot = {
  organization: '',
  revision: null,
  root: Tree.EMPTY.id,
  entry: path => (path === '' ? { name: '', kind: 'tree', id: Tree.EMPTY.id } : undefined),
  list: () => [],
  read: () => undefined,
  namesLike: () => [],
  commitOrigin: () => undefined,
  at: revision => {
    throw unknownRevision(revision)
  },
}

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/

/**
 * Splits a path into names harmless to git and every file system (none with a leading dot). @throws Failure `invalid`
 */
export function splitPath(path: string): string[] {
  const names = path.split('/')
  const bad = names.find(name => !SEGMENT.test(name))
  if (bad !== undefined) throw new Failure('invalid', `"${bad}" cannot name a file or folder of the repository.`)
  return names
}
