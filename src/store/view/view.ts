/** The work tree of one organization: a view of HEAD for people, whose edits there come in as commits. */
import { dirname, join } from 'node:path'
import { Background } from '../../background.ts'
import { type JudgedFile, type JudgeEdit, judgeAtOnce, type Problem } from '../../project/judge.ts'
import type { State } from '../../project/state.ts'
import { slices } from '../../slices.ts'
import { type Logger, SILENT } from '../log.ts'
import { readBranch } from '../refs/read-refs.ts'
import type { Snapshot } from '../snapshot.ts'
import { EditFinder } from './edit-finder.ts'
import { IndexKeeper } from './index-keeper.ts'
import { LastWritten } from './last-written.ts'
import { OutsideEdits } from './outside-edits.ts'
import { FileShelf, isObstacle, MANY, type Placed, readContent, stampNow, syncFolders } from './plain-file.ts'

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
  /** What looking for edits and git's index run in; the view closes its own part of it. */
  background?: Background
  /** Whether outside edits are looked for while the view is open; at opening they always are. */
  watch: boolean
  /** Seconds between two scans for what watching missed; a scan that takes long is made more rarely. */
  scanSeconds?: number
  /** See {@link EditFinderOptions.restMs}. */
  restMs?: number
  /** Commits each file as an outside edit of its own; resolves when that is durable. */
  adopt(changes: JudgedFile[]): Promise<void>
  /** By default {@link judgeAtOnce}. */
  judge?: JudgeEdit
  /** The durable state of the moment, which may be ahead of the view. */
  snapshot(): Snapshot
}

/** Two, so that the journal's syncs find a free thread. */
const WRITERS = 2
/** How long files are put in place before others have their turn. */
const STEP_MS = 4

/**
 * What is on disk is always one of three things: what the view showed last ({@link LastWritten}), what HEAD says, or a person's
 * edit. Nothing of the third kind is ever overwritten: it is judged, and becomes a commit or a problem. Everything that
 * looks at or changes a file does so in one queue, so that the three cannot be mistaken for each other.
 */
export class View {
  readonly #options: ViewOptions
  readonly #root: string
  readonly #log: Logger
  readonly #shelf: FileShelf
  readonly #written: LastWritten
  readonly #finder: EditFinder
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
    const background = options.background ?? new Background(this.#log)
    this.#index = new IndexKeeper(options.gitDir, options.workTree, this.#log, background)
    this.#written = new LastWritten(options.snapshot())
    this.#finder = new EditFinder({
      ...options,
      root: options.workTree,
      log: this.#log,
      background,
      found: paths => this.#edits.takeIn(paths),
      own: (path, stamp) => this.#written.isOwn(path, stamp),
      differing: () => this.#written.problems().map(({ path }) => path),
      compared: () => this.#written.compared(),
    })
    this.#edits = new OutsideEdits({
      ...options,
      judge: options.judge ?? judgeAtOnce,
      root: options.workTree,
      log: this.#log,
      written: this.#written,
      show: (path, taken) => this.#show(path, taken),
      alone: work => this.#alone(work),
      lookInto: folder => this.#finder.lookInto(folder),
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
        // What goes is gone before anything comes: a folder that becomes empty must not be removed while a file is put there.
        const pause = slices(STEP_MS)
        for (const change of changes) {
          if (change.bytes === null && !this.#isAhead(change)) await this.#place(change)
          await pause()
        }
        const waiting = changes.filter(({ bytes }) => bytes !== null)
        if (waiting.length >= MANY) return this.#placeMany(waiting)
        const work = async () => {
          for (let change = waiting.pop(); change; change = waiting.pop()) {
            if (!this.#isAhead(change)) await this.#place(change)
          }
        }
        // Not `all`: after an error of one, nothing may go on when it is the next one's turn.
        const outcomes = await Promise.allSettled(Array.from({ length: WRITERS }, work))
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      })
    } finally {
      this.#writes--
    }
    if (changes.length > 0) this.#index.note()
    await this.#catchUp()
  }

  /**
   * Compares the work tree with HEAD after a recovery. Resolves when the files that recovery named are in line; the rest of the
   * tree is gone through behind the back of the first request.
   * @param known blob ids of the server's own versions of a path: a file with such an id is behind, not edited
   */
  async reconcile(known: Map<string, Set<string>>): Promise<void> {
    const marker = await this.#finder.marker()
    this.#written.recover(known, marker !== undefined)
    await this.#alone(async () => {
      for (const path of known.keys()) {
        if (!(await this.#edits.refresh(path, await readContent(this.#root, path)))) this.#finder.notice(path)
        // Placed or found in place: the journals that know these versions are removed next.
        for (const folder of ancestors(path)) this.#unsynced.add(folder)
      }
    })
    this.#finder.start(marker)
    await this.#index.check()
  }

  /** Files that hold a person's work which HEAD must not get, for example what {@link checkCommits} refused. Call it before {@link reconcile}. */
  keep(problems: Problem[], good: State): void {
    this.#edits.keep(problems, good)
  }

  /** Brings git's index up to what was written, so that `git status` is clean. Harmless without git, or when someone holds the index. */
  settle(): Promise<void> {
    return this.#index.settle()
  }

  /** Files of the work tree that break the rules, and why. */
  problems(): Problem[] {
    return this.#written.problems()
  }

  /** Resolves when no outside edit is known that has not been judged, and no scan is under way. */
  async quiet(): Promise<void> {
    await this.#finder.quiet()
    await this.#queue
  }

  /** Goes through the whole tree now; resolves when what it found has been judged. */
  scan(): Promise<void> {
    return this.#finder.scan()
  }

  /** Stops looking for edits. The last seal may still be written afterwards. */
  async close(): Promise<void> {
    await this.#finder.close()
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
    if (this.#stands(path, id)) return
    const known = this.#knownAt(path, id, taken)
    await this.#shelf.prepare()
    const fresh = bytes === null ? undefined : await this.#shelf.stage(bytes)
    this.#take(path, id, () =>
      fresh === undefined ? this.#shelf.remove(path, known) : this.#shelf.put(path, fresh, known),
    )
  }

  /** Places many files: written first, made durable together, then put in place one after the other. */
  async #placeMany(changes: ViewChange[]): Promise<void> {
    await this.#shelf.prepare()
    const staged = new Map<ViewChange, string>()
    try {
      for (const change of changes) {
        if (this.#isAhead(change) || this.#stands(change.path, change.id)) continue
        staged.set(change, await this.#shelf.stage(change.bytes!, false))
      }
      await this.#shelf.syncStaged([...staged.values()])
      const pause = slices(STEP_MS)
      for (const [change, fresh] of staged) {
        const { path, id } = change
        if (!this.#isAhead(change)) this.#take(path, id, () => this.#shelf.put(path, fresh, this.#knownAt(path, id)))
        await pause()
      }
    } finally {
      for (const fresh of staged.values()) this.#shelf.discard(fresh)
    }
  }

  /** Whether this version stands at a path, put there by us. */
  #stands(path: string, id: string | null): boolean {
    return id !== null && id === this.#written.id(path) && this.#written.isOwn(path, stampNow(this.#root, path))
  }

  /** Which blob ids (null: no file) are ours, so that they may give way to `id`. */
  #knownAt(path: string, id: string | null, taken?: string | null): (found: string | null) => boolean {
    const written = this.#written.id(path)
    // A removal by a person yields to a newer version: bringing a file back loses nobody's words. Of this one it is a removal.
    return found =>
      (found === null && !this.#written.wasPut(path, id)) ||
      found === written ||
      found === id ||
      found === taken ||
      this.#written.isRecovered(path, found)
  }

  /** Notes what came of placing a version; what could not be placed is a person's. @throws Error when the disk refuses */
  #take(path: string, id: string | null, place: () => Placed): void {
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

  /** Whether a newer edit has come in since what is being sealed, and stands there: nobody should see his file go back, not even until the next seal. */
  #isAhead({ path, id }: ViewChange): boolean {
    const newest = this.#options.snapshot().entry(path)?.id ?? null
    return newest !== id && this.#written.wasPut(path, newest)
  }

  /** Puts HEAD's present version of a path there, as {@link #place} does. */
  async #show(path: string, taken: string | null): Promise<void> {
    const head = this.#options.snapshot()
    const id = head.entry(path)?.id ?? null
    const bytes = id === null ? null : (head.read(path) ?? null)
    await this.#place({ path, bytes, id }, taken)
  }

  /** Once the view has caught up with HEAD, what it shows is that state. */
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
