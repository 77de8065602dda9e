/** The work tree of one organization: a view of HEAD for people, whose edits there come in as commits. */
import { dirname, join } from 'node:path'
import {
  bundlesOf,
  type Change,
  classify,
  combine,
  inOrder,
  judgeFile,
  type Problem,
  projectIn,
  reason,
  reformat,
  type State,
} from './adopt.ts'
import { codeOf } from './disk.ts'
import { IndexKeeper } from './index-keeper.ts'
import { type Logger, SILENT } from './log.ts'
import { Lookout } from './lookout.ts'
import { ObjectReader } from './objects.ts'
import { type Content, FileShelf, look, readContent, stampNow, syncFolders } from './plain-file.ts'
import { sealedRevision } from './scan.ts'
import { Shown } from './shown.ts'
import type { Snapshot } from './snapshot.ts'

/** One file of a seal: `bytes` and `id` are null when it was removed. */
export interface ViewChange {
  path: string
  bytes: Buffer | null
  id: string | null
}

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

/** How much is read before it is committed. */
const EDIT_BYTES = 16 * 1024 * 1024
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
  readonly #index: IndexKeeper
  readonly #problems = new Map<string, string>()
  /** Edits being committed just now; their files are not touched until that is decided. */
  readonly #adopting = new Set<string>()
  /** What commits brought against the rules: HEAD holds it until the last good version is committed on top. */
  readonly #kept = new Map<string, string | null>()
  /** Versions that recovery knows as ours, until the whole tree has been compared once. */
  #known: Map<string, Set<string>> | undefined
  /** Whether the tree was never complete before, so that a missing file was not removed by anyone. */
  #unfinished = false
  #queue: Promise<unknown> = Promise.resolve()
  #writes = 0
  #prepared: Promise<void> | undefined

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
      still: paths => this.#takeIn(paths),
      own: (path, stamp) => this.#shown.isOwn(path, stamp),
      differing: () => this.#problems.keys(),
      compared: () => {
        this.#known = undefined
        this.#unfinished = false
      },
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
        await this.#prepare()
        const waiting = [...changes]
        const folders = new Set<string>()
        const work = async () => {
          for (let change = waiting.pop(); change; change = waiting.pop()) {
            if (await this.#place(change, [])) for (const folder of ancestors(change.path)) folders.add(folder)
          }
        }
        await Promise.all(Array.from({ length: WRITERS }, work))
        await syncFolders(this.#root, folders)
        this.#index.note(changes)
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
    this.#known = known
    this.#unfinished = marker === undefined
    await this.#alone(async () => {
      await this.#prepare()
      for (const path of known.keys()) {
        if (!(await this.#refresh(path, await readContent(this.#root, path)))) this.#lookout.notice(path)
      }
      // The journals that know these versions are removed next.
      await syncFolders(this.#root, new Set([...known.keys()].flatMap(ancestors)))
    })
    this.#lookout.start(marker)
  }

  /** Files that hold a person's work which HEAD must not get, for example what {@link checkCommits} refused. Call it before {@link reconcile}. */
  keep(problems: Problem[], good: State): void {
    const head = this.#options.snapshot()
    for (const { path, error } of problems) {
      this.#kept.set(path, head.entry(path)?.id ?? null)
      this.#shown.hold(path, good.entry(path)?.id ?? null)
      this.#complain(path, error)
    }
  }

  /** Brings git's index up to what was written, so that `git status` is clean. Harmless without git, or when someone holds the index. */
  settle(): Promise<void> {
    return this.#index.settle()
  }

  /** Files of the work tree that break the rules, and why. */
  problems(): Problem[] {
    return [...this.#problems].map(([path, error]) => ({ path, error }))
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

  /** One after the other: nobody looks at a file while another changes it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }

  #prepare(): Promise<void> {
    this.#prepared ??= this.#shelf.prepare()
    return this.#prepared
  }

  /** Puts one version in place of any known one; false when the file is left alone. `taken`: ids that were committed just now. */
  async #place({ path, bytes, id }: ViewChange, taken: (string | null)[]): Promise<boolean> {
    this.#kept.delete(path)
    if (this.#adopting.has(path)) {
      this.#shown.hold(path)
      return false
    }
    const shown = this.#shown.id(path)
    if (id !== null && id === shown && this.#shown.isOwn(path, stampNow(this.#root, path))) return true
    // A removal by a person yields to a newer version: bringing a file back loses nobody's words.
    const known = (found: string | null) =>
      found === null ||
      found === shown ||
      found === id ||
      taken.includes(found) ||
      this.#known?.get(path)?.has(found) === true
    try {
      const above = await look(this.#root, path)
      const placed =
        above.state === 'foreign'
          ? ({ done: false } as const)
          : bytes === null
            ? this.#shelf.remove(path, known)
            : await this.#shelf.replace(path, bytes, known)
      if (placed.done) {
        this.#shown.set(path, id, placed.stamp)
        this.#problems.delete(path)
        this.#lookout.attend(dirname(path))
        return true
      }
    } catch (error) {
      if (!OBSTACLES.has(codeOf(error) ?? '')) throw error
    }
    this.#shown.hold(path)
    this.#lookout.notice(path)
    return false
  }

  /** Puts HEAD's present version in place of a known one. Its name becomes durable with the next seal. */
  async #showHead(path: string, taken: (string | null)[]): Promise<void> {
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

  /** Takes in files that have come to rest: the projects first, because bundles are judged by them. */
  async #takeIn(paths: string[]): Promise<void> {
    const projects = paths.filter(path => classify(path)?.kind === 'project')
    const rest = paths.filter(path => !projects.includes(path))
    const head = this.#options.snapshot()
    for (const path of rest) {
      const place = classify(path)
      if (place?.kind !== 'bundle' || projectIn(head, place.slug)) continue
      const project = `${place.slug}/project.json`
      if (!projects.includes(project) && !this.#problems.has(project)) projects.push(project)
    }
    for (const some of [projects, rest]) {
      try {
        if (some.length > 0) await this.#takeInAll(inOrder(some))
      } catch (error) {
        this.#log.warn(
          { err: error, files: some.length },
          'outside edits could not be taken in; the next scan tries again',
        )
        this.#lookout.miss()
      }
    }
  }

  async #takeInAll(paths: string[]): Promise<void> {
    const waiting = [...paths]
    while (waiting.length > 0) {
      const before = this.#options.snapshot()
      const edits = await this.#alone(() => this.#judge(waiting))
      await this.#adopt(edits)
      for (const { path } of edits) await this.#projectChanged(path, before)
    }
  }

  /** Judges files, taking them from the list, until there is enough for one batch of commits. */
  async #judge(waiting: string[]): Promise<Edit[]> {
    const edits: Edit[] = []
    await this.#prepare()
    for (let bytes = 0; waiting.length > 0 && bytes < EDIT_BYTES; ) {
      const path = waiting.shift()!
      const found = await readContent(this.#root, path)
      if (this.#adopting.has(path) || (await this.#refresh(path, found))) continue
      if (found.state === 'foreign') this.#complain(path, found.error)
      else if (found.state === 'missing') await this.#judgeMissing(path, edits)
      else bytes += this.#judgeContent(path, found, edits)
    }
    for (const edit of edits) this.#adopting.add(edit.path)
    return edits
  }

  /**
   * Deals with a file that holds nothing of a person's: HEAD's own version, the one shown before it, or one that recovery knows.
   * @returns false when it does hold something
   */
  async #refresh(path: string, found: Awaited<ReturnType<typeof readContent>>): Promise<boolean> {
    if (found.state === 'foreign') return false
    const id = found.state === 'missing' ? null : found.id
    const head = this.#options.snapshot().entry(path)?.id ?? null
    if (id === head && this.#kept.get(path) === id) return true
    this.#kept.delete(path)
    const shown = this.#shown.id(path)
    const ours = id === null ? this.#known?.has(path) || this.#unfinished : this.#known?.get(path)?.has(id)
    // Gone, though HEAD has moved on since it was shown: the newer version comes back.
    const revived = id === null && head !== shown
    if (id === head) this.#shown.set(path, id)
    else if (ours || revived || (id === shown && this.#shown.isHeld(path))) await this.#showHead(path, [id])
    else if (id !== shown) return false
    this.#problems.delete(path)
    return true
  }

  async #judgeMissing(path: string, edits: Edit[]): Promise<void> {
    const head = this.#options.snapshot()
    const place = classify(path)
    this.#problems.delete(path)
    const over = head.entry(path)?.id
    if (over === undefined) return
    if (place?.kind !== 'project') {
      edits.push({ path, bytes: null, over, found: null })
      return
    }
    const bundles = bundlesOf(head, place.slug)
    const found = await Promise.all(bundles.map(bundle => look(this.#root, bundle)))
    if (found.some(({ state }) => state !== 'missing')) {
      this.#log.warn({ path }, 'the file of a project whose bundles are still there was removed; it is put back')
      await this.#showHead(path, [])
      return
    }
    for (const bundle of bundles) {
      edits.push({ path: bundle, bytes: null, over: head.entry(bundle)?.id ?? null, found: null })
    }
    edits.push({ path, bytes: null, over, found: null })
  }

  /** @returns the bytes it took up */
  #judgeContent(path: string, found: Content, edits: Edit[]): number {
    const place = classify(path)
    if (place === undefined) return 0
    if (place.kind === 'misnamed') {
      this.#complain(path, place.error)
      return 0
    }
    try {
      const also = edits.filter(edit => edit.bytes !== null).map(edit => edit.path)
      const head = this.#options.snapshot()
      const mine = judgeFile(place, found.bytes, head, also)
      const base = this.#movedFrom(path, head)
      const bytes = base ? combine(place, base, mine, head) : mine
      edits.push({ path, bytes, over: head.entry(path)?.id ?? null, found: found.id })
      this.#problems.delete(path)
      return bytes.length
    } catch (error) {
      this.#complain(path, reason(error))
      return 0
    }
  }

  /** The version that an edit started from, when HEAD has another one by now. */
  #movedFrom(path: string, head: Snapshot): Buffer | undefined {
    const shown = this.#shown.id(path)
    if (shown === null || shown === head.entry(path)?.id) return undefined
    const objects = new ObjectReader(this.#options.gitDir)
    try {
      return objects.read(shown)?.bytes
    } finally {
      objects.close()
    }
  }

  /** Commits edits, then shows what HEAD has become. Whether that failed or not, the files are free for the next seal. */
  async #adopt(edits: Edit[]): Promise<void> {
    if (edits.length === 0) return
    try {
      await this.#options.adopt(edits.map(({ path, bytes, over }) => ({ path, bytes, over })))
      for (const { path } of edits) this.#adopting.delete(path)
      await this.#alone(async () => {
        for (const { path, found } of edits) await this.#showHead(path, [found])
      })
    } finally {
      for (const { path } of edits) this.#adopting.delete(path)
    }
  }

  /** A project that is new makes its bundles fit to be judged; one with another format has them written anew. */
  async #projectChanged(path: string, before: State): Promise<void> {
    const place = classify(path)
    if (place?.kind !== 'project') return
    const head = this.#options.snapshot()
    const now = projectIn(head, place.slug)
    if (!now) return
    const old = projectIn(before, place.slug)
    if (!old) this.#lookout.lookInto(place.slug)
    else if (old.defaultFormat !== now.defaultFormat) await this.#options.adopt(reformat(head, now))
  }

  #complain(path: string, error: string): void {
    this.#shown.hold(path)
    if (this.#problems.get(path) === error) return
    this.#problems.set(path, error)
    this.#log.warn({ path, error }, 'a file of the work tree breaks the rules and is left as it is')
  }
}

/** An edit as it goes into HEAD, and the id of what was found on disk. */
interface Edit extends Change {
  found: string | null
}

/** What a person may have put in the way of a file; anything else is the disk's own trouble. */
const OBSTACLES = new Set(['ENOTDIR', 'EISDIR', 'EEXIST', 'ENOTEMPTY', 'EACCES', 'EPERM', 'ELOOP'])

function ancestors(path: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(folder)
  return [...folders, '']
}
