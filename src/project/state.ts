/** A state of an organization's repository: its files and folders by path. */
import { blobId } from '../bundle/canonical.ts'

/** A file or folder; `id` is git's, empty for a folder not hashed yet. */
export interface PathEntry {
  name: string
  kind: 'blob' | 'tree'
  id: string
}

/** See the top of the file. Paths have no slash at either end; `''` is the root. */
export interface State {
  /** Its organization: caches of one must not speed up another with the same content. */
  readonly organization: string
  entry(path: string): PathEntry | undefined
  /** A folder's entries, of git's in its order; `[]` when nothing is there. */
  list(folder: string): PathEntry[]
  /** A file's bytes; the caller must not change them. */
  read(path: string): Buffer | undefined
  /** The names in a folder that equal `name` apart from case. */
  namesLike(folder: string, name: string): string[]
}

/** A state with changes over it, and a list of them, like an open transaction. A folder without files stays, empty. */
export class Overlay<S extends State = State> implements State {
  readonly before: S
  readonly #contents = new Map<string, Buffer | null>()
  /** By folder and name; null for removed ones. */
  readonly #entries = new Map<string, Map<string, PathEntry | null>>()
  /** New names, by folder and lower case. */
  readonly #like = new Map<string, Set<string>>()

  constructor(before: S) {
    this.before = before
  }

  get organization(): string {
    return this.before.organization
  }

  /** The paths of the files put or removed. */
  changed(): string[] {
    return [...this.#contents.keys()]
  }

  put(path: string, bytes: Buffer): void {
    const [folder, name] = split(path)
    this.#contents.set(path, bytes)
    this.#addFolder(folder)
    // Hashed on demand, if ever.
    const entry = {
      name,
      kind: 'blob',
      get id() {
        return blobId(bytes)
      },
    } as const
    this.#note(folder, name, entry)
  }

  /** Puts a file, or removes it. */
  set(path: string, bytes: Buffer | null): void {
    if (bytes === null) this.remove(path)
    else this.put(path, bytes)
  }

  /** Removes a file, if it is there. */
  remove(path: string): void {
    if (this.entry(path) === undefined) return
    this.#contents.set(path, null)
    this.#note(...split(path), null)
  }

  entry(path: string): PathEntry | undefined {
    const [folder, name] = split(path)
    const changed = this.#entries.get(folder)?.get(name)
    if (changed !== undefined) return changed ?? undefined
    return this.#entries.has(path) ? { name, kind: 'tree', id: '' } : this.before.entry(path)
  }

  list(folder: string): PathEntry[] {
    const changed = this.#entries.get(folder)
    const listed = this.before.list(folder).map(entry => {
      const isChanged =
        entry.kind === 'tree' && this.#entries.has(folder === '' ? entry.name : `${folder}/${entry.name}`)
      return isChanged ? { ...entry, id: '' } : entry
    })
    if (changed === undefined) return listed
    const came = [...changed.values()].filter(entry => entry !== null)
    return [...listed.filter(({ name }) => !changed.has(name)), ...came]
  }

  read(path: string): Buffer | undefined {
    const changed = this.#contents.get(path)
    return changed === undefined ? this.before.read(path) : (changed ?? undefined)
  }

  namesLike(folder: string, name: string): string[] {
    const came = this.#like.get(`${folder}/${name.toLowerCase()}`) ?? []
    return [...new Set([...this.before.namesLike(folder, name), ...came])].filter(
      other => this.#entries.get(folder)?.get(other) !== null,
    )
  }

  #addFolder(path: string): void {
    if (path === '' || this.entry(path)) return
    const [folder, name] = split(path)
    this.#addFolder(folder)
    this.#note(folder, name, { name, kind: 'tree', id: '' })
  }

  #note(folder: string, name: string, entry: PathEntry | null): void {
    const entries = this.#entries.get(folder) ?? new Map<string, PathEntry | null>()
    this.#entries.set(folder, entries.set(name, entry))
    if (entry === null) return
    const key = `${folder}/${name.toLowerCase()}`
    this.#like.set(key, (this.#like.get(key) ?? new Set()).add(name))
  }
}

function split(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf('/')
  return [path.slice(0, Math.max(slash, 0)), path.slice(slash + 1)]
}
