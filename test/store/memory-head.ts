/**
 * A stand-in for the store in the tests of the view: commits live in memory, the branch's file in a real repository
 * folder.
 */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
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
  const list = (folder: string): TreeEntry[] => {
    const prefix = folder === '' ? '' : `${folder}/`
    const entries = new Map<string, TreeEntry>()
    for (const [path, bytes] of all) {
      if (!path.startsWith(prefix)) continue
      const [name, below] = path.slice(prefix.length).split('/', 2)
      if (below === undefined) entries.set(name!, { name: name!, kind: 'blob', id: blobId(bytes) })
      else entries.set(name!, { name: name!, kind: 'tree', id: treeId(all, `${prefix}${name}/`) })
    }
    return [...entries.values()]
  }
  return {
    ...EMPTY_SNAPSHOT,
    revision,
    root: treeId(all, ''),
    list,
    read: path => all.get(path),
    namesLike: (folder, name) => list(folder).flatMap(other => (sameIgnoringCase(other.name, name) ? other.name : [])),
    entry: path => {
      const [folder, name] = path.includes('/')
        ? [path.slice(0, path.lastIndexOf('/')), path.slice(path.lastIndexOf('/') + 1)]
        : ['', path]
      return path === ''
        ? { name: '', kind: 'tree', id: treeId(all, '') }
        : list(folder).find(entry => entry.name === name)
    },
  }
}

function treeId(files: Files, prefix: string): string {
  const hash = createHash('sha1')
  for (const [path, bytes] of files) if (path.startsWith(prefix)) hash.update(`${path}\0${blobId(bytes)}\0`)
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
