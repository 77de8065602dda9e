/** The tasks that find the stale entries of a namespace after a change, from the change's states to bytes. */
import type { refusedTexts } from '../bundle/checks/refused-texts.ts'
import type { KeyRenaming } from '../bundle/edit-key.ts'
import type { Steps } from '../scheduling/steps.ts'
import type { ProjectPart } from './changed-files.ts'
import type { TaskReads } from './precompute.ts'
import { type BundleName, bundlePath, type Project } from './project.ts'
import type { followKeys, HeldApprovals } from './sidecars/follow-keys.ts'
import type { TextVersion } from './sidecars/stood-unapproved.ts'
import { readFiles, TaskFile, type UnreadTask } from './sidecars/task-file.ts'
import { stalePath } from './stale.ts'
import type { OriginBytes, SourceFound, StaleTarget, sourceChanges, staleFile, staleIn } from './staleness.ts'
import type { State } from './state.ts'

/** The earlier state of the texts that a change brings back. */
export interface TextsOrigin {
  state: State
  part: ProjectPart
  /** The only key; of a form, its key. */
  key?: string | undefined
  /** The state that the undone commit left; `state` is its parent then. */
  until?: State
  /** The versions of a bundle after that state, null where they are not known. */
  since: (bundle: BundleName) => Steps<UnreadTask<TextVersion>[] | null>
}

type NamespaceOfKey = Omit<BundleName, 'language'>

/** What the files of a change do not say about it. */
export interface ChangeHints {
  /** Keys that were renamed in all languages, each with its namespace. */
  renamed?: readonly (KeyRenaming & NamespaceOfKey)[]
  /** Keys that were deleted in all languages, each with its namespace. */
  deleted?: readonly ({ key: string } & NamespaceOfKey)[]
  origin?: TextsOrigin
  /**
   * What the author of a change with an `origin` may not do to the approvals of a language. With either, an approval
   * that was withdrawn does not come back.
   * - `all`: those of texts that stay do not change
   * - `new`: texts that stay get none
   */
  held?: ((language: string) => HeldApprovals | undefined) | undefined
  /**
   * The only changed bundle and its changed keys as JSON (`KeyChange[]`), where they are known. They save reading the
   * whole source twice.
   */
  changes?: { bundle: BundleName; keys: Uint8Array } | undefined
  /** Whether the change's files have the entries already. */
  hasSidecars?: boolean
  /** The project's file as it follows from the change, with its review of a renamed language. */
  project?: Project | undefined
  /** Whether a changed translation stays as stale as it was: its author did not see the source. */
  keepsStale?: boolean
  /** Whether texts become suggestions in languages where their author may only suggest. */
  suggests?: boolean
}

/** The renamed keys of a namespace. */
export const renamingsIn = ({ renamed = [] }: ChangeHints, { slug, namespace }: NamespaceOfKey): KeyRenaming[] =>
  renamed.flatMap(one => (one.slug === slug && one.namespace === namespace ? [{ from: one.from, to: one.to }] : []))

/** The state after a change, and what it changed. */
export interface ChangedState extends State {
  readonly before: State
  /** The paths of the files put or removed. */
  changed(): string[]
  put(path: string, bytes: Buffer): void
  remove(path: string): void
}

interface SidecarFunctions {
  sourceChanges: typeof sourceChanges
  staleIn: typeof staleIn
  staleFile: typeof staleFile
  followKeys: typeof followKeys
  refusedTexts: typeof refusedTexts
}

/** A pure task: equal names, bundles, ids and variants give equal answers. */
export interface SidecarTask<N extends keyof SidecarFunctions = keyof SidecarFunctions> {
  name: N
  /** The bundle of the source language, and its blob id before the change. */
  bundle: BundleName
  id: string | null
  /** The ids of all else that the task depends on. */
  variant: string
  read: () => TaskReads<Parameters<SidecarFunctions[N]>[0]>
}

/** Computes tasks. @throws NeedsPrecomputing when they have to be computed before the change */
export type ComputeSidecars = <N extends keyof SidecarFunctions>(
  tasks: SidecarTask<N>[],
) => ReturnType<SidecarFunctions[N]>[]

/** A namespace with entries that a change may concern. */
export interface StaleConcern {
  slug: string
  namespace: string
  /** The source language. */
  source: string
  /** Whether the changed keys of the source are needed. */
  sourceChanged: boolean
  /** Whether the project has another source language now, for which no earlier entry counts. */
  isReset: boolean
  /** The languages to look at, and those of them with changed bundles. */
  targets: string[]
  touched: ReadonlySet<string>
  hints: ChangeHints
}

/** Maximum of bytes of translations, and of languages, in one task. */
const GROUP = { bytes: 64 * 1024, languages: 16 }

/** The tasks for one namespace. */
export class NamespaceStale {
  /** The file of entries. */
  readonly path: string
  readonly concern: StaleConcern
  /** The answer to {@link sourceTask}. */
  found: SourceFound | undefined
  readonly #change: ChangedState
  readonly #source: BundleName
  /** The source's bundle before and after the change. */
  readonly #before: TaskFile
  readonly #after: TaskFile
  /** The entries before the change, null where none of them counts. */
  readonly #entries: TaskFile | null
  /** The earlier state that the change brings back, without the translations. */
  readonly #origin: UnreadTask<Omit<OriginBytes, 'target'>> | null
  readonly #variants: string[] = []

  constructor(change: ChangedState, concern: StaleConcern) {
    const { slug, namespace, source, isReset, hints } = concern
    this.path = stalePath(slug, namespace)
    this.concern = concern
    this.#change = change
    this.#source = { slug, language: source, namespace }
    const path = bundlePath(this.#source)
    this.#before = TaskFile.at(path, change.before)
    this.#after = TaskFile.at(path, change)
    this.#entries = isReset ? null : TaskFile.at(this.path, change.before)
    const { state, key = null, until } = hints.origin ?? {}
    const sourceIn = (of: State) => ({ source: TaskFile.at(path, of), entries: TaskFile.at(this.path, of) })
    this.#origin = state
      ? { ...sourceIn(state), key, present: this.#after, until: until ? sourceIn(until) : null }
      : null
  }

  sourceTask(): SidecarTask<'sourceChanges'> {
    const { hints, targets: languages } = this.concern
    const known = hints.changes?.keys
    const [before, after] = known ? [null, null] : [this.#before, this.#after]
    const keys = known && new TaskFile(this.#after.id, () => known)
    return this.#task('sourceChanges', { entries: this.#entries, keys, before, after, languages })
  }

  /** Each for some languages that may change; needs {@link found}. */
  *staleTasks(): Iterable<SidecarTask<'staleIn'>> {
    let group: UnreadTask<StaleTarget>[] = []
    let bytes = 0
    for (const language of this.concern.targets) {
      const target = this.#targetIn(language)
      if (target === undefined) continue
      group.push(target)
      bytes += target.after?.read()?.length ?? 0
      if (bytes < GROUP.bytes && group.length < GROUP.languages) continue
      yield this.#staleTask(group)
      group = []
      bytes = 0
    }
    if (group.length > 0) yield this.#staleTask(group)
  }

  /** The number of {@link staleTasks}. */
  get staleCount(): number {
    return this.#variants.length
  }

  /** @param found the answers to {@link staleTasks} */
  fileTask(found: Uint8Array[]): SidecarTask<'staleFile'> {
    const files = found.map((bytes, at) => new TaskFile(this.#variants[at]!, () => bytes))
    return this.#task('staleFile', { entries: this.#entries, found: files })
  }

  #targetIn(language: string): UnreadTask<StaleTarget> | undefined {
    const { isReset, hints, touched } = this.concern
    const isBack = this.#origin !== null && (hints.origin!.part.language ?? language) === language
    const isRead = isReset || touched.has(language) || isBack || this.#renamed.length > 0
    const reads = isRead || this.found?.reads.includes(language)
    if (!reads && !this.found?.ends.includes(language)) return undefined
    const path = bundlePath({ ...this.#source, language })
    const then = isReset ? null : TaskFile.at(path, this.#change.before)
    // The state before it is faster where the bundle stayed.
    const now = TaskFile.at(path, touched.has(language) ? this.#change : this.#change.before)
    return {
      language,
      before: now.id === (then?.id ?? null) ? undefined : then,
      after: reads ? now : null,
      origin: isBack ? { target: TaskFile.at(path, hints.origin!.state), ...this.#origin! } : null,
    }
  }

  #staleTask(targets: UnreadTask<StaleTarget>[]): SidecarTask<'staleIn'> {
    const { found } = this
    const task = this.#task('staleIn', {
      targets,
      entries: this.#entries,
      changes: found ? new TaskFile(this.#after.id ?? 'no source', () => found.changes) : null,
      renamed: this.#renamed,
      keepsStale: this.concern.hints.keepsStale === true,
    })
    this.#variants.push(task.variant)
    return task
  }

  get #renamed(): KeyRenaming[] {
    return renamingsIn(this.concern.hints, this.concern)
  }

  #task<N extends keyof SidecarFunctions>(
    name: N,
    task: UnreadTask<Parameters<SidecarFunctions[N]>[0]>,
  ): SidecarTask<N> {
    const read = () => readFiles(task) as ReturnType<SidecarTask<N>['read']>
    return { name, bundle: this.#source, id: this.#before.id, variant: JSON.stringify(task), read }
  }
}
