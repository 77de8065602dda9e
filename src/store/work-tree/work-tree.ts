/** One organization's work tree: a view of HEAD for people. Their edits there become commits. */
import { dirname, join } from 'node:path'
import type { RefusedFile } from '../../project/judge.ts'
import { isStaleFile } from '../../project/sidecars/sidecars.ts'
import type { State } from '../../project/state.ts'
import { slices } from '../../scheduling/slices.ts'
import { readBranch } from '../refs/read-refs.ts'
import { EditFinder, type EditFinderOptions } from './edit-finder.ts'
import { ExternalEdits, type ExternalEditsOptions } from './external-edits.ts'
import { GitIndex } from './git-index.ts'
import { LastWritten } from './last-written.ts'
import { isObstacle, readContent, stampNow } from './plain-file.ts'
import { type Placement, syncFolders, WorkTreeWriter } from './work-tree-writer.ts'

/** One file of a seal; `bytes` and `id` are null for a removed one. */
export interface WorkTreeChange {
  path: string
  bytes: Buffer | null
  id: string | null
}

export interface WorkTreeOptions
  extends Omit<EditFinderOptions, 'root' | 'found' | 'written'>,
    Pick<ExternalEditsOptions, 'adopt' | 'compute'> {
  workTree: string
}

type Taken = readonly (string | null)[]

/**
 * A file is what the view showed last ({@link LastWritten}), what HEAD says, or a person's edit, which is never
 * overwritten but judged. One queue runs all looks and changes, so that the three are never mistaken for each other.
 */
export class WorkTree {
  readonly #options: WorkTreeOptions
  readonly #root: string
  readonly #writer: WorkTreeWriter
  readonly #written: LastWritten
  readonly #finder: EditFinder
  readonly #edits: ExternalEdits
  readonly #index: GitIndex
  /** Folders with changed names that may not be on the disk yet. */
  readonly #unsynced = new Set<string>()
  #queue: Promise<unknown> = Promise.resolve()
  #writes = 0

  constructor(options: WorkTreeOptions) {
    this.#options = options
    this.#root = options.workTree
    const own = join(options.gitDir, 'parlance')
    this.#writer = new WorkTreeWriter(options.workTree, join(own, 'tmp'))
    this.#index = new GitIndex(options.gitDir, options.workTree, options.log, options.background)
    this.#written = new LastWritten(options.snapshot())
    this.#finder = new EditFinder({
      ...options,
      root: options.workTree,
      written: this.#written,
      found: paths => this.#edits.commit(paths),
    })
    this.#edits = new ExternalEdits({
      ...options,
      root: options.workTree,
      written: this.#written,
      show: (path, taken) => this.#show(path, taken),
      alone: work => this.#alone(work),
      lookInto: folder => this.#finder.lookInto(folder),
    })
  }

  /**
   * Brings the work tree up to a seal; repeating it is harmless. A person's edit stays and becomes a commit on top.
   * @throws Error when the disk refuses (a full disk); any other file that cannot be placed is a problem
   */
  async write(changes: WorkTreeChange[]): Promise<void> {
    this.#writes++
    try {
      await this.#alone(async () => {
        // Removals come first: a folder that becomes empty must not be removed while a file is put there.
        const pause = slices()
        for (const change of changes) {
          if (change.bytes === null && !this.#isAhead(change)) await this.#place(change)
          await pause()
        }
        await this.#placeAll(changes.filter(({ bytes }) => bytes !== null))
      })
    } finally {
      this.#writes--
    }
    if (changes.length > 0) this.#index.note()
    await this.#catchUp()
  }

  /**
   * Compares the work tree with HEAD after a recovery. Resolves when recovery's files are in line; the rest comes
   * later.
   * @param known blob ids of our own versions per path: such a file is behind, not edited
   */
  async reconcile(known: Map<string, Set<string>>): Promise<void> {
    const marker = await this.#finder.marker()
    this.#written.recover(known, marker !== undefined)
    await this.#alone(async () => {
      for (const path of known.keys()) {
        if (!(await this.#edits.refresh(path, await readContent(this.#root, path)))) this.#finder.notice(path)
        // Already in place: the journals that know these versions are removed next.
        for (const folder of ancestors(path)) this.#unsynced.add(folder)
      }
    })
    this.#finder.start(marker)
    await this.#index.check()
  }

  /** Holds people's files that HEAD must not get, as by {@link checkCommits}. Call it before {@link reconcile}. */
  holdBack(problems: RefusedFile[], good: State): void {
    this.#edits.holdBack(problems, good)
  }

  /** Brings git's index up, so that `git status` is clean. Harmless without git or with a locked index. */
  settle(): Promise<void> {
    return this.#index.settle()
  }

  problems(): RefusedFile[] {
    return this.#written.problems()
  }

  /** Resolves when all known external edits are judged and no scan is under way. */
  async quiet(): Promise<void> {
    await this.#finder.quiet()
    await this.#queue
  }

  scan(): Promise<void> {
    return this.#finder.scan()
  }

  /** Stops looking for edits. The last seal may still be written afterwards. */
  async close(): Promise<void> {
    await this.#finder.close()
    await this.#queue
    await this.#index.close()
  }

  /** Runs one work at a time. What was placed is durable when it resolves. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(async () => {
      const value = await work()
      await syncFolders(this.#root, this.#unsynced)
      this.#unsynced.clear()
      return value
    })
    this.#queue = result.catch(() => {})
    return result
  }

  /** Replaces one of our versions, or those with ids `taken` (null: no file); anything else is a person's. */
  async #place({ path, bytes, id }: WorkTreeChange, taken: Taken = []): Promise<void> {
    if (this.#stands(path, id)) return
    const known = this.#knownAt(path, id, taken)
    await this.#writer.prepare()
    const fresh = bytes === null ? undefined : await this.#writer.stage(bytes)
    this.#take(path, id, () =>
      fresh === undefined ? this.#writer.remove(path, known) : this.#writer.put(path, fresh, known),
    )
  }

  /** Writes all files, syncs them together, then puts them in place one by one. */
  async #placeAll(changes: WorkTreeChange[]): Promise<void> {
    await this.#writer.prepare()
    const staged = new Map<WorkTreeChange, string>()
    try {
      for (const change of changes) {
        if (this.#isAhead(change) || this.#stands(change.path, change.id)) continue
        staged.set(change, await this.#writer.stage(change.bytes!, false))
      }
      await this.#writer.syncStaged([...staged.values()])
      const pause = slices()
      for (const [change, fresh] of staged) {
        const { path, id } = change
        if (!this.#isAhead(change)) this.#take(path, id, () => this.#writer.put(path, fresh, this.#knownAt(path, id)))
        await pause()
      }
    } finally {
      for (const fresh of staged.values()) this.#writer.discard(fresh)
    }
  }

  #stands(path: string, id: string | null): boolean {
    return id !== null && id === this.#written.id(path) && this.#written.isOwn(path, stampNow(this.#root, path))
  }

  /** Which blob ids (null: no file) are ours and may give way to `id`. */
  #knownAt(path: string, id: string | null, taken: Taken = []): (found: string | null) => boolean {
    // Notes are the server's own: no person's words are lost with them.
    if (isStaleFile(path)) return () => true
    const written = this.#written.id(path)
    // A person's removal yields to a newer version, not to the same one: no words are lost.
    return found =>
      (found === null && !this.#written.wasPut(path, id)) ||
      found === written ||
      found === id ||
      taken.includes(found) ||
      this.#written.isRecovered(path, found)
  }

  /** Notes how placing went; what could not be placed is a person's. @throws Error when the disk refuses */
  #take(path: string, id: string | null, place: () => Placement): void {
    try {
      const placed = place()
      if (placed.done) {
        this.#written.set(path, id, placed.stamp)
        for (const folder of ancestors(path)) this.#unsynced.add(folder)
        this.#finder.attend(dirname(path))
        return
      }
    } catch (error) {
      if (!isObstacle(error)) throw error
    }
    this.#written.hold(path)
    this.#finder.notice(path)
  }

  /** Whether a newer edit than the seal stands there. A person must not see a file go back. */
  #isAhead({ path, id }: WorkTreeChange): boolean {
    const newest = this.#options.snapshot().entry(path)?.id ?? null
    return newest !== id && this.#written.wasPut(path, newest)
  }

  async #show(path: string, taken: Taken): Promise<void> {
    const head = this.#options.snapshot()
    const id = head.entry(path)?.id ?? null
    const bytes = id === null ? null : (head.read(path) ?? null)
    await this.#place({ path, bytes, id }, taken)
  }

  /** Once the view has caught up with HEAD, it shows that state. */
  async #catchUp(): Promise<void> {
    const head = this.#options.snapshot()
    const sealed = await readBranch(this.#options.gitDir)
    if (this.#writes === 0 && head.revision === sealed) this.#written.advance(head)
  }
}

function ancestors(path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder)
  return [...folders, '']
}
