/** The work tree of one organization: a view of HEAD for people, whose edits there come in as commits. */
import { dirname, join } from 'node:path'
import { codeOf } from '../disk.ts'
import { fileStat, type IndexChange } from '../git/index-file.ts'
import { type Logger, SILENT } from '../log.ts'
import type { Snapshot } from '../snapshot.ts'
import { IndexKeeper } from './index-keeper.ts'
import type { Change, Problem, State } from './judge.ts'
import { Lookout } from './lookout.ts'
import { OutsideEdits } from './outside-edits.ts'
import { FileShelf, readContent, stampNow, syncFolders } from './plain-file.ts'
import { sealedRevision } from './scan.ts'
import { Shown } from './shown.ts'

/** One file of a seal: `bytes` and `id` are null when it was removed. */
export interface ViewChange {
  path: string
  bytes: Buffer | null
  id: string | null
}

/** What a {@link View} is of, and where what people change goes. */
export interface ViewOptions {
  /** Absolute paths. */
  workTree: string
  gitDir: string
  log?: Logger
  /** Whether outside edits are looked for while the view is open; at opening they always are. */
  watch: boolean
  /** Seconds between two scans for what watching missed; a scan that takes long is made more rarely. */
  scanSeconds?: number
  /** Commits each file as an outside edit of its own; resolves when that is durable. */
  adopt(changes: Change[]): Promise<void>
  /** The durable state of the moment, which may be ahead of the view. */
  snapshot(): Snapshot
}

/** Two, so that the journal's syncs find a free thread. */
const WRITERS = 2

/**
 * What is on disk is always one of three things: what the view showed last ({@link Shown}), what HEAD says, or a person's
 * edit. Nothing of the third kind is ever overwritten: it is judged, and becomes a commit or a problem. Everything that
 * looks at or changes a file does so in one queue, so that the three cannot be mistaken for each other.
 */
export class View {
  readonly #options: ViewOptions
  readonly #root: string
  readonly #log: Logger
  readonly #shelf: FileShelf
  readonly #shown: Shown
  readonly #lookout: Lookout
  readonly #edits: OutsideEdits
  readonly #index: IndexKeeper
  /** Folders in which names were changed that may not be on the disk yet. */
  readonly #unsynced = new Set<string>()
  #queue: Promise<unknown> = Promise.resolve()
  #writes = 0

  constructor(options: ViewOptions) {
    this.#options = options
    this.#root = options.workTree
    this.#log = options.log ?? SILENT
    const own = join(options.gitDir, 'parlance')
    this.#shelf = new FileShelf(options.workTree, join(own, 'tmp'))
    this.#index = new IndexKeeper(options.gitDir, options.workTree, this.#log)
    this.#shown = new Shown(options.snapshot())
    this.#lookout = new Lookout({
      ...options,
      root: options.workTree,
      log: this.#log,
      still: paths => this.#edits.takeIn(paths),
      own: (path, stamp) => this.#shown.isOwn(path, stamp),
      differing: () => this.#shown.problems().map(({ path }) => path),
      compared: () => this.#shown.compared(),
    })
    this.#edits = new OutsideEdits({
      ...options,
      root: options.workTree,
      log: this.#log,
      shown: this.#shown,
      show: (path, taken) => this.#show(path, taken),
      alone: work => this.#alone(work),
      lookInto: folder => this.#lookout.lookInto(folder),
      miss: () => this.#lookout.miss(),
    })
  }

  /**
   * Brings the work tree up to a seal. A file that holds a person's edit is left alone: the edit is taken in as a commit on top.
   * Calling it again with the same changes does no harm.
   * @throws Error when the disk refuses (a full disk); a file that cannot be placed for another reason is a problem
   */
  async write(changes: ViewChange[]): Promise<void> {
    this.#writes++
    try {
      await this.#alone(async () => {
        const waiting = [...changes]
        const entries = new Map<string, IndexChange>()
        const work = async () => {
          for (let change = waiting.pop(); change; change = waiting.pop()) {
            if (!this.#isAhead(change)) await this.#place(change)
            entries.set(change.path, this.#entry(change))
          }
        }
        // Not `all`: after an error of one, nothing may go on when it is the next one's turn.
        const outcomes = await Promise.allSettled(Array.from({ length: WRITERS }, work))
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
        this.#index.note(entries)
      })
    } finally {
      this.#writes--
    }
    this.#catchUp()
  }

  /**
   * Compares the work tree with HEAD after a recovery. Resolves when the files that recovery named are in line; the rest of the
   * tree is gone through behind the back of the first request.
   * @param known blob ids of the server's own versions of a path: a file with such an id is behind, not edited
   */
  async reconcile(known: Map<string, Set<string>>): Promise<void> {
    const marker = await this.#lookout.marker()
    this.#shown.recover(known, marker !== undefined)
    await this.#alone(async () => {
      for (const path of known.keys()) {
        if (!(await this.#edits.refresh(path, await readContent(this.#root, path)))) this.#lookout.notice(path)
        // Placed or found in place: the journals that know these versions are removed next.
        for (const folder of ancestors(path)) this.#unsynced.add(folder)
      }
    })
    this.#lookout.start(marker)
  }

  /** Files that hold a person's work which HEAD must not get, for example what {@link checkCommits} refused. Call it before {@link reconcile}. */
  keep(problems: Problem[], good: State): void {
    this.#edits.keep(problems, good)
  }

  /** Brings git's index up to what was written, so that `git status` is clean. Harmless without git, or when someone holds the index. */
  settle(): Promise<void> {
    return this.#index.settle()
  }

  /** As {@link settle}, behind everyone's back, for all that is sealed within a moment. */
  settleSoon(): void {
    this.#index.settleSoon()
  }

  /** Files of the work tree that break the rules, and why. */
  problems(): Problem[] {
    return this.#shown.problems()
  }

  /** Resolves when no outside edit is known that has not been judged, and no scan is under way. */
  async quiet(): Promise<void> {
    await this.#lookout.quiet()
    await this.#queue
  }

  /** Goes through the whole tree now; resolves when what it found has been judged. */
  scan(): Promise<void> {
    return this.#lookout.scan()
  }

  /** Stops looking for edits. The last seal may still be written afterwards. */
  async close(): Promise<void> {
    await this.#lookout.close()
    await this.#queue
    await this.#index.close()
  }

  /** One after the other: nobody looks at a file while another changes it. What was placed is durable when it resolves. */
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

  /** Puts one version in place of one of ours, or of the one with the id `taken` (null: of none); anything else is a person's and is judged soon. */
  async #place({ path, bytes, id }: ViewChange, taken?: string | null): Promise<void> {
    const shown = this.#shown.id(path)
    if (id !== null && id === shown && this.#shown.isOwn(path, stampNow(this.#root, path))) return
    // A removal by a person yields to a newer version: bringing a file back loses nobody's words. Of this one it is a removal.
    const known = (found: string | null) =>
      (found === null && !this.#shown.wasPut(path, id)) ||
      found === shown ||
      found === id ||
      found === taken ||
      this.#shown.isRecovered(path, found)
    await this.#shelf.prepare()
    try {
      const placed = bytes === null ? this.#shelf.remove(path, known) : await this.#shelf.replace(path, bytes, known)
      if (placed.done) {
        this.#shown.set(path, id, placed.stamp)
        for (const folder of ancestors(path)) this.#unsynced.add(folder)
        this.#lookout.attend(dirname(path))
        return
      }
    } catch (error) {
      if (!OBSTACLES.has(codeOf(error) ?? '')) throw error
    }
    this.#shown.hold(path)
    this.#lookout.notice(path)
  }

  /** Whether a newer edit has come in since what is being sealed, and stands there: nobody should see his file go back, not even until the next seal. */
  #isAhead({ path, id }: ViewChange): boolean {
    const newest = this.#options.snapshot().entry(path)?.id ?? null
    return newest !== id && this.#shown.wasPut(path, newest)
  }

  /** For git's index, of which the file on the disk is the same unless a person's edit stands there. */
  #entry({ path, id }: ViewChange): IndexChange {
    if (id === null) return null
    const stat = fileStat(join(this.#root, path))
    // Looked at once more: whoever wrote in between has changed the stamp.
    const isThis = this.#shown.id(path) === id && this.#shown.isOwn(path, stampNow(this.#root, path))
    return { id, stat: isThis ? stat : undefined }
  }

  /** Puts HEAD's present version of a path there, as {@link #place} does. */
  async #show(path: string, taken: string | null): Promise<void> {
    const head = this.#options.snapshot()
    const id = head.entry(path)?.id ?? null
    const bytes = id === null ? null : (head.read(path) ?? null)
    await this.#place({ path, bytes, id }, taken)
  }

  /** Once the view has caught up with HEAD, what it shows is that state. */
  #catchUp(): void {
    const head = this.#options.snapshot()
    if (this.#writes === 0 && head.revision === sealedRevision(this.#options.gitDir)) this.#shown.advance(head)
  }
}

/** What a person may have put in the way of a file; anything else is the disk's own trouble. */
const OBSTACLES = new Set(['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'EACCES', 'EPERM', 'ELOOP'])

function ancestors(path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder)
  return [...folders, '']
}
