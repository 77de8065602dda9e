/**
 * A stand-in for the store in the tests of the view: commits live in memory, the branch's file in a real repository
 * folder.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { basename, join } from 'node:path'
import { blobId } from '../../src/bundle/canonical.ts'
import { sameIgnoringCase } from '../../src/bundle/names.ts'
import type { JudgedFile } from '../../src/project/judge.ts'
import type { TreeEntry } from '../../src/store/objects/tree.ts'
import { EMPTY_SNAPSHOT, type Snapshot } from '../../src/store/snapshot.ts'
import type { WorkTreeChange } from '../../src/store/work-tree/work-tree.ts'

type Files = ReadonlyMap<string, Buffer>

/** An immutable state of files; ids of folders are invented. */
export function snapshotOf(files: Files | Record<string, string | Buffer>, revision: string | null = null): Snapshot {
  const all: Files =
    files instanceof Map ? files : new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))
  const folders = foldersOf(all)
  const list = (folder: string): TreeEntry[] => [...(folders.get(folder)?.values() ?? [])]
  const root = treeId(list(''))
  return {
    ...EMPTY_SNAPSHOT,
    revision,
    root,
    list,
    read: path => all.get(path),
    namesLike: (folder, name) => list(folder).flatMap(other => (sameIgnoringCase(other.name, name) ? other.name : [])),
    entry: path =>
      path === '' ? { name: '', kind: 'tree', id: root } : folders.get(parentOf(path))?.get(basename(path)),
  }
}

/** @returns by path of a folder, '' for the root: its entries by name */
function foldersOf(files: Files): Map<string, Map<string, TreeEntry>> {
  const folders = new Map<string, Map<string, TreeEntry>>([['', new Map()]])
  const enter = (folder: string): Map<string, TreeEntry> => {
    const known = folders.get(folder)
    if (known) return known
    const above = enter(parentOf(folder))
    const entries = new Map<string, TreeEntry>()
    folders.set(folder, entries)
    above.set(basename(folder), { name: basename(folder), kind: 'tree', id: '' })
    return entries
  }
  for (const [path, bytes] of files)
    enter(parentOf(path)).set(basename(path), { name: basename(path), kind: 'blob', id: blobId(bytes) })
  // A folder is there before the folders in it, so backwards each id is known where it is needed.
  for (const [folder, entries] of [...folders].reverse())
    if (folder !== '') folders.get(parentOf(folder))!.get(basename(folder))!.id = treeId([...entries.values()])
  return folders
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))

function treeId(entries: TreeEntry[]): string {
  const hash = createHash('sha1')
  for (const { name, id } of entries) hash.update(`${name}\0${id}\0`)
  return hash.digest('hex')
}

/** Commits in memory; `seal` gives what changed since the last time, as the store would hand it to the view. */
export class MemoryHead {
  /** Every version a path ever had in HEAD, the newest last; null for a removal. */
  readonly history: { path: string; text: string | null; outside: boolean }[] = []
  /** Lets the next adoption fail. */
  broken = false
  /** What happens while edits are being committed. */
  meanwhile: (changes: JudgedFile[]) => Promise<void> = () => new Promise(resolve => setTimeout(resolve, 5))
  #files = new Map<string, Buffer>()
  #unsealed = new Set<string>()
  #count = 0
  readonly #gitDir: string

  constructor(gitDir: string, files: Record<string, string> = {}) {
    this.#gitDir = gitDir
    fs.mkdirSync(join(gitDir, 'refs', 'heads'), { recursive: true })
    for (const [path, text] of Object.entries(files)) this.commit(path, text)
  }

  snapshot = (): Snapshot => snapshotOf(new Map(this.#files), this.#revision)

  adopt = async (changes: JudgedFile[]): Promise<void> => {
    await this.meanwhile(changes)
    if (this.broken) throw new Error('the disk is full')
    for (const { path, bytes } of changes) this.commit(path, bytes === null ? null : bytes.toString(), true)
  }

  text(path: string): string | undefined {
    return this.#files.get(path)?.toString()
  }

  commit(path: string, text: string | null, outside = false): void {
    if ((text ?? undefined) === this.text(path)) return
    if (text === null) this.#files.delete(path)
    else this.#files.set(path, Buffer.from(text))
    this.history.push({ path, text, outside })
    this.#unsealed.add(path)
    this.#count++
  }

  /** Moves the branch to the newest state. */
  seal(): WorkTreeChange[] {
    if (this.#revision !== null) fs.writeFileSync(join(this.#gitDir, 'refs', 'heads', 'main'), `${this.#revision}\n`)
    const changes = [...this.#unsealed].map(path => {
      const bytes = this.#files.get(path) ?? null
      return { path, bytes, id: bytes && blobId(bytes) }
    })
    this.#unsealed.clear()
    return changes
  }

  get #revision(): string | null {
    return this.#count === 0 ? null : createHash('sha1').update(`${this.#count}`).digest('hex')
  }
}
