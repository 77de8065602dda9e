/** What undoing commits comes to, with the bundles that have to be computed for it. */
import { order } from '../../project/changed-files.ts'
import { followSource } from '../../project/follow-source.ts'
import { bundleAt, findProject, idOf } from '../../project/layout.ts'
import { MOST_TOLD, type Planned, planOf } from '../../project/plan.ts'
import { bundlePath, namespaceOf, ownFile, projectPath } from '../../project/project.ts'
import { type CommitStates, Reversion, type RevertPlan, together } from '../../project/revert.ts'
import { isStaleFile, type StaleCounts } from '../../project/stale.ts'
import type { Hints, Step } from '../../project/stale-steps.ts'
import { Overlay, type State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { BranchCommit, Snapshot } from '../../store/store.ts'
import { stateAt } from '../requests/at.ts'
import { besideSource } from './beside-source.ts'
import type { Compute, Part } from './computing.ts'
import type { Ask } from './permitted-writes.ts'

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
  for (const commit of commits) {
    const statesIn = statesOf(commit)
    const states = statesIn(state)
    const reversion = new Reversion(now, states, slug, commit.revision)
    if (reversion.projectFile()) undoing.ask('manage-projects')
    if (now === state) undoing.check()
    const changed = yield* reversion.changed()
    const parts: Part<'revert'>[] = []
    const project = findProject(now, slug)
    for (const bundle of changed) {
      const part = partOf(bundle, { state, now, commit, reversion, statesIn, tells: isOne && undoing.tells })
      parts.push(project ? besideSource(part, { state, project, at: latest => (now === state ? latest : now) }) : part)
      yield
    }
    const outcomes = compute(parts)
    yield
    const plan = yield* reversion.plan(changed, outcomes)
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

type StatesIn = (now: Snapshot) => CommitStates

/** Finds the states of a commit and of its parent; asked for each of many bundles, and mostly of one state. */
function statesOf({ revision, parent }: BranchCommit): StatesIn {
  let found: (CommitStates & { now: Snapshot }) | undefined
  return now => {
    if (found?.now !== now) found = { now, before: stateAt(now, parent), after: stateAt(now, revision) }
    return found
  }
}

interface PartOf {
  state: Snapshot
  /** That state, or what undoing newer commits made of it. */
  now: State
  commit: BranchCommit
  reversion: Reversion
  statesIn: StatesIn
  tells: boolean
}

/** The files of now, and of before and after the commit. */
function partOf(bundle: Part['bundle'], { state, now, commit, reversion, statesIn, tells }: PartOf): Part<'revert'> {
  const { id, exists } = bundleAt(state, bundle)
  const path = bundlePath(bundle)
  return {
    name: 'revert',
    bundle,
    id,
    format: reversion.format,
    variant: `${idOf(now, bundle)} ${commit.revision} ${reversion.target}`,
    *more(latest) {
      for (const state of [statesIn(latest).before, statesIn(latest).after]) {
        const bytes = state.read(path)
        if (bytes) yield bytes
      }
    },
    task: ({ bytes, source }, _inThread, latest) => {
      const present = now === state ? (exists ? bytes : null) : (now.read(path) ?? null)
      return { ...reversion.taskOf(bundle, present, statesIn(latest), tells), source }
    },
  }
}

/** A step towards notes: what it says of itself names versions that nobody stored, so they go into its variant. */
function partFor<N extends Step['name']>(state: Snapshot, { id, inputs, ...step }: Step<N>): Part<N> {
  const stored = bundleAt(state, step.bundle).id
  const variant = `${id} ${step.variant}`
  return { ...step, id: stored, format: 'i18next-json', bare: true, variant, more: inputs } as Part<N>
}

/** What all of it comes to. @param paths of the files that may differ */
function* total({ state, slug, compute, tells }: Undoing, now: State, paths: string[]): Steps<RevertPlan> {
  const bundles: Planned[] = []
  for (const path of paths) {
    const [was, is] = [state, now].map(of => of.entry(path)?.id)
    const file = ownFile(path)
    if (was === is) continue
    if (file?.kind === 'bundle') bundles.push({ ...file, path, before: was ?? null })
  }
  bundles.sort((a, b) => order(a.language, b.language) || order(a.namespace, b.namespace))
  yield
  const differences = compute(
    bundles.map((bundle): Part<'diff'> => {
      const after = now.read(bundle.path) ?? null
      const { id, exists } = bundleAt(state, bundle)
      const wanted = { behind: null, most: tells ? MOST_TOLD.rows : 0, bytes: MOST_TOLD.characters }
      return {
        name: 'diff',
        bundle,
        id,
        format: 'i18next-json',
        variant: `${exists} ${idOf(now, bundle)}`,
        more: () => (after ? [after] : []),
        task: ({ bytes }) => ({ before: exists ? bytes : null, after, ...wanted }),
      }
    }),
  )
  yield
  const outcomes = differences.map(({ counts, changes }, at) => ({
    bytes: now.read(bundles[at]!.path) ?? null,
    counts,
    changes: tells ? changes.slice(0, MOST_TOLD.rows) : [],
  }))
  const own = projectPath(slug)
  const file = state.entry(own)?.id === now.entry(own)?.id ? undefined : now.read(own)
  const plan = yield* planOf(state, findProject(now, slug)!, file, bundles, outcomes)
  return { ...plan, project: undefined, skipped: [], skippedKeys: 0 }
}
