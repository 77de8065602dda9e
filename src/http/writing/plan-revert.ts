/** Plans restores and undos: the bundles to compute, the files to write, and for an undo the notes of stale texts. */
import { order } from '../../project/changed-files.ts'
import { followSource } from '../../project/follow-source.ts'
import { bundleAt, findProject } from '../../project/layout.ts'
import { namespaceOf, ownFile, projectPath } from '../../project/project.ts'
import {
  planOf,
  Reversion,
  type RevertBundle,
  type RevertPlan,
  type RevertStates,
  together,
} from '../../project/revert.ts'
import { isStaleFile, type StaleCounts } from '../../project/stale.ts'
import type { Hints, Step } from '../../project/stale-steps.ts'
import { Overlay, type State } from '../../project/state.ts'
import { MAX_ROW_CHARACTERS, MAX_ROWS } from '../../project/versions.ts'
import type { Steps } from '../../store/steps.ts'
import type { BranchCommit, Snapshot } from '../../store/store.ts'
import { stateAt } from '../requests/at.ts'
import { besideSource } from './beside-source.ts'
import type { Compute, Part } from './computing.ts'
import type { Ask } from './permitted-writes.ts'

/** Finds the states of a revert again in the newest state. */
type FindStates = (latest: Snapshot) => RevertStates

interface RevertRequest {
  /** The newest state. */
  state: Snapshot
  /** That state, or the draft that earlier reverts of the request made of it. */
  now: State
  reversion: Reversion
  statesIn: FindStates
  /** Whether the plan lists changes. */
  listsChanges: boolean
  compute: Compute
}

/** @throws Failure as `compute` and `Reversion.plan` do, `not-found` for a key that no bundle had */
export function* planRevert(asked: RevertRequest): Steps<RevertPlan> {
  const { reversion, compute } = asked
  const find = function* (bundles: RevertBundle[]) {
    const parts: Part<'revert'>[] = []
    for (const bundle of bundles) {
      parts.push(partOf(bundle, asked))
      yield
    }
    return compute(parts)
  }
  const changed = yield* reversion.changed()
  const outcomes = yield* find(changed)
  yield
  if (reversion.scope.key !== undefined && !outcomes.some(({ held }) => held)) {
    if (!(yield* find(reversion.unchanged())).some(({ held }) => held)) throw reversion.unknownKey()
  }
  return yield* reversion.plan(changed, outcomes)
}

/** The states at two revisions, null before the first one. @param after by default the newest state */
export function statesAt(before: string | null, after?: string): FindStates {
  let found: (RevertStates & { latest: Snapshot }) | undefined
  // Each of many bundles asks, and mostly for the same state.
  return latest => {
    if (found?.latest !== latest) {
      found = { latest, before: stateAt(latest, before), after: after === undefined ? latest : stateAt(latest, after) }
    }
    return found
  }
}

/** Reads the present, the earlier and the later version. */
function partOf(
  bundle: RevertBundle,
  { state, now, reversion, statesIn, listsChanges }: RevertRequest,
): Part<'revert'> {
  const { slug, language, namespace, path } = bundle
  const { id, exists } = bundleAt(state, bundle)
  const part: Part<'revert'> = {
    name: 'revert',
    bundle: { slug, language, namespace },
    id,
    format: reversion.format,
    variant: `${bundle.now} ${bundle.before} ${bundle.after} ${reversion.target}`,
    *more(latest) {
      const { before, after } = statesIn(latest)
      for (const version of bundle.now === bundle.after ? [before] : [before, after]) {
        const bytes = version.read(path)
        if (bytes) yield bytes
      }
    },
    task: ({ bytes, source }, _inThread, latest) => {
      const present = now === state ? (exists ? bytes : null) : (now.read(path) ?? null)
      return { ...reversion.taskOf(bundle, present, statesIn(latest), listsChanges), source }
    },
  }
  const project = reversion.sourceProject
  if (project === undefined) return part
  const presentIn = (latest: Snapshot) => (now === state ? latest : now)
  const at = (latest: Snapshot) => (reversion.restoresSource ? statesIn(latest).before : presentIn(latest))
  return besideSource(part, { state, project, at })
}

/** What is asked for. */
interface Undoing {
  /** The newest state. */
  state: Snapshot
  slug: string
  /** The newest first. */
  commits: readonly BranchCommit[]
  /** Whether changes are to be told. */
  tells: boolean
  compute: Compute
  ask: Ask
  /** Throws where the request's preconditions fail. */
  check: () => void
}

/** What undoing comes to. */
interface Undone extends Hints {
  plan: RevertPlan
  stale: StaleCounts
}

/**
 * Each commit is undone on top of what undoing the one before came to, notes of what is stale included.
 * @throws Failure as `Reversion`, `compute`, `ask` and `check` do
 */
export function* planUndo(undoing: Undoing): Steps<Undone> {
  const { state, slug, commits, compute } = undoing
  const isOne = commits.length === 1
  const plans: RevertPlan[] = []
  const drafts: Overlay[] = []
  let now: State = state
  for (const { revision, parent } of commits) {
    const statesIn = statesAt(parent, revision)
    const states = statesIn(state)
    const reversion = Reversion.ofCommit(now, states, slug, revision)
    if (reversion.projectFile()) undoing.ask('manage-projects')
    if (now === state) undoing.check()
    const listsChanges = isOne && undoing.tells
    const plan = yield* planRevert({ state, now, reversion, statesIn, listsChanges, compute })
    const origin = { state: states.before, part: { slug }, until: states.after }
    plans.push(plan)
    const draft = new Overlay(now)
    for (const { path, bytes } of plan.files) draft.set(path, bytes)
    yield
    yield* followSource(draft, { origin }, steps => compute(steps.map(step => partFor(state, step))))
    drafts.push(draft)
    now = draft
  }
  const paths = [...new Set(drafts.flatMap(draft => draft.changed()))]
  const differing = paths.filter(path => isStaleFile(path) && state.entry(path)?.id !== now.entry(path)?.id)
  const notes = differing.map(path => ({ path, bytes: now.read(path) ?? null }))
  const stale = yield* staleBy(undoing, now, differing)
  const plan = isOne ? plans[0]! : together(yield* total(undoing, now, paths), plans)
  return { plan: { ...plan, files: [...plan.files, ...notes] }, stale, isFollowed: true }
}

/** What becomes of translations by the notes at these paths. */
function* staleBy({ state, slug, compute }: Undoing, now: State, paths: readonly string[]): Steps<StaleCounts> {
  const source = findProject(now, slug)!.sourceLanguage
  const counts = compute(
    paths.map((path): Part<'countStale'> => {
      const bundle = { slug, language: source, namespace: namespaceOf(path.split('/').at(-1)!)! }
      const [before, after] = [state.read(path) ?? null, now.read(path) ?? null]
      return {
        name: 'countStale',
        bundle,
        id: bundleAt(state, bundle).id,
        format: 'i18next-json',
        bare: true,
        variant: `${state.entry(path)?.id} ${now.entry(path)?.id}`,
        more: () => [before, after].filter(bytes => bytes !== null),
        task: () => ({ before, after }),
      }
    }),
  )
  yield
  const sum = (name: keyof StaleCounts) => counts.reduce((sum, count) => sum + count[name], 0)
  return { added: sum('added'), removed: sum('removed') }
}

/** A step towards notes: what it says of itself names versions that nobody stored, so they go into its variant. */
function partFor<N extends Step['name']>(state: Snapshot, { id, inputs, ...step }: Step<N>): Part<N> {
  const stored = bundleAt(state, step.bundle).id
  const variant = `${id} ${step.variant}`
  return { ...step, id: stored, format: 'i18next-json', bare: true, variant, more: inputs } as Part<N>
}

/** What all of it comes to. @param paths of the files that may differ */
function* total({ state, slug, compute, tells }: Undoing, now: State, paths: string[]): Steps<RevertPlan> {
  const bundles: Omit<RevertBundle, 'before' | 'after'>[] = []
  for (const path of paths) {
    const [was, is] = [state, now].map(of => of.entry(path)?.id)
    const file = ownFile(path)
    if (was === is) continue
    if (file?.kind === 'bundle') bundles.push({ ...file, path, now: was ?? null })
  }
  bundles.sort((a, b) => order(a.language, b.language) || order(a.namespace, b.namespace))
  yield
  const differences = compute(
    bundles.map((bundle): Part<'diff'> => {
      const after = now.read(bundle.path) ?? null
      const { id, exists } = bundleAt(state, bundle)
      const wanted = { behind: null, most: tells ? MAX_ROWS : 0, bytes: MAX_ROW_CHARACTERS }
      return {
        name: 'diff',
        bundle,
        id,
        format: 'i18next-json',
        variant: `${exists} ${now.entry(bundle.path)?.id}`,
        more: () => (after ? [after] : []),
        task: ({ bytes }) => ({ before: exists ? bytes : null, after, ...wanted }),
      }
    }),
  )
  yield
  const outcomes = differences.map(({ counts, changes }, at) => ({
    bytes: now.read(bundles[at]!.path) ?? null,
    counts,
    changes: tells ? changes.slice(0, MAX_ROWS) : [],
    skipped: [],
    skippedKeys: 0,
  }))
  const own = projectPath(slug)
  const file = state.entry(own)?.id === now.entry(own)?.id ? undefined : now.read(own)
  return yield* planOf(state, findProject(now, slug)!, file, bundles, outcomes)
}
