/** Plans restores and undos: the bundles to compute, the files to write, and for an undo the sidecars. */
import type { Caller } from '../../auth/access.ts'
import { hasLevel, rightsToWrite } from '../../auth/rights.ts'
import { changedFiles } from '../../project/changed-files.ts'
import { bundleAt, findProject } from '../../project/layout.ts'
import { namespaceOf } from '../../project/project.ts'
import { Reversion, type RevertBundle, type RevertStates } from '../../project/revert.ts'
import { type RevertPlan, together } from '../../project/revert-plan.ts'
import { isStaleFile, SIDECAR_NAMES, sidecarFile, sidecarFolder } from '../../project/sidecars/sidecars.ts'
import { updateSidecars } from '../../project/sidecars/update-sidecars.ts'
import type { StaleCounts } from '../../project/stale.ts'
import type { ChangeHints, TextsOrigin } from '../../project/stale-tasks.ts'
import { Overlay, type State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { BranchCommit, Snapshot, Transaction } from '../../store/store.ts'
import { stateAt } from '../requests/at.ts'
import { besideSource } from './beside-source.ts'
import { type BundleTask, bundleTaskOf, type Compute } from './bundle-task.ts'
import type { AskPermission } from './permitted-writes.ts'
import { TextVersions } from './text-versions.ts'

/** Finds the states of a revert again in the newest state. */
type FindStates = (latest: Snapshot) => RevertStates

interface RevertRequest {
  /** The newest state. */
  state: Snapshot
  /** That state, or the draft with the request's earlier reverts. */
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
    const parts: BundleTask<'revert'>[] = []
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
): BundleTask<'revert'> {
  const { slug, language, namespace, path } = bundle
  const { id, exists } = bundleAt(state, bundle)
  const part: BundleTask<'revert'> = {
    name: 'revert',
    bundle: { slug, language, namespace },
    id,
    format: reversion.format,
    variant: `${bundle.now} ${bundle.before} ${bundle.after} ${reversion.target} ${listsChanges}`,
    *extraBytes(latest) {
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

interface UndoRequest {
  /** The newest state. */
  state: Snapshot
  slug: string
  /** The newest first. */
  commits: readonly BranchCommit[]
  listsChanges: boolean
  compute: Compute
  ask: AskPermission
  /** Throws if a precondition of the request fails. */
  check: () => void
}

interface UndoPlan extends ChangeHints {
  plan: RevertPlan
  stale: StaleCounts
}

/**
 * Reverts each commit, and the sidecars that it changed, on top of the result of the one before.
 * @throws Failure as `Reversion.ofCommit`, `compute`, `ask` and `check` do
 */
export function* planUndo(asked: UndoRequest): Steps<UndoPlan> {
  const { state, slug, commits, compute } = asked
  const isOne = commits.length === 1
  const plans: RevertPlan[] = []
  const origins: TextsOrigin[] = []
  const held = heldIn(state, slug, asked.ask('suggest'))
  const versions = new TextVersions(state)
  let draft = new Overlay<State>(state)
  for (const { revision, parent } of commits) {
    const now = plans.length === 0 ? state : draft
    const statesIn = statesAt(parent, revision)
    const states = statesIn(state)
    const reversion = Reversion.ofCommit(now, states, slug, revision)
    if (reversion.projectFile()) asked.ask('manage-projects')
    if (now === state) asked.check()
    const listsChanges = isOne && asked.listsChanges
    const plan = yield* planRevert({ state, now, reversion, statesIn, listsChanges, compute })
    plans.push(plan)
    draft = new Overlay(now)
    for (const { path, bytes } of plan.files) draft.set(path, bytes)
    yield
    const since = sinceIn(state, versions, { revision: parent, state: states.before })
    const origin = { state: states.before, part: { slug }, until: states.after, since }
    origins.push(origin)
    yield* updateSidecars(draft, { origin, held }, tasks =>
      compute(
        tasks.map(task => {
          // Its id may be of a draft, which is no stored version.
          return bundleTaskOf(task, bundleAt(state, task.bundle).id, `${task.id} ${task.variant}`)
        }),
      ),
    )
  }
  const paths = SIDECAR_NAMES.flatMap(sidecar =>
    changedFiles(state, draft, sidecarFolder(slug, sidecar)).flatMap(({ path }) => (sidecarFile(path) ? path : [])),
  )
  const sidecars = paths.map(path => ({ path, bytes: draft.read(path) ?? null }))
  const stale = yield* countStaleEntries(asked, draft, paths.filter(isStaleFile))
  const plan = isOne ? plans[0]! : together(yield* planDraft(asked, draft), plans)
  // The sidecars of one commit can follow again, where some of its texts wait for a review.
  const [only] = isOne ? origins : []
  return {
    plan: { ...plan, files: [...plan.files, ...sidecars] },
    stale,
    hasSidecars: true,
    ...(only && { origin: only, held }),
  }
}

/** See {@link ChangeHints.held}. With four eyes, texts that stay get no approval. */
export function heldIn(state: State, project: string, caller: Caller): NonNullable<ChangeHints['held']> {
  const rights = rightsToWrite(caller)
  const review = findProject(state, project)?.review
  return language => {
    if (!hasLevel(rights, { project, language }, 'review')) return 'all'
    return review?.[language]?.fourEyes ? 'new' : undefined
  }
}

/** The versions of a project's bundles since a commit. @param commit with its state */
export function sinceIn(
  newest: State,
  versions: TextVersions,
  commit: { revision: string | null; state: State },
): TextsOrigin['since'] {
  return function* (bundle) {
    const project = findProject(newest, bundle.slug) ?? findProject(commit.state, bundle.slug)
    return project === undefined ? null : yield* versions.since(commit, bundle, project.sourceLanguage)
  }
}

/** The way from the newest state to a draft: a restore of the draft. */
function* planDraft({ state, slug, listsChanges, compute }: UndoRequest, draft: State): Steps<RevertPlan> {
  const reversion = Reversion.toState(state, draft, { slug }, 'after these undos')
  const statesIn = (latest: Snapshot) => ({ before: draft, after: latest })
  return yield* planRevert({ state, now: state, reversion, statesIn, listsChanges, compute })
}

/** Counts the translations that become stale, or stop being stale, by the entries at these paths. */
function* countStaleEntries(
  { state, slug, compute }: UndoRequest,
  now: State,
  paths: readonly string[],
): Steps<StaleCounts> {
  const source = findProject(now, slug)!.sourceLanguage
  const counts = compute(
    paths.map((path): BundleTask<'countStale'> => {
      const bundle = { slug, language: source, namespace: namespaceOf(path.split('/').at(-1)!)! }
      const [before, after] = [state.read(path) ?? null, now.read(path) ?? null]
      return {
        name: 'countStale',
        bundle,
        id: bundleAt(state, bundle).id,
        format: 'i18next-json',
        readsNoFile: true,
        variant: `${state.entry(path)?.id} ${now.entry(path)?.id}`,
        extraBytes: () => [before, after].filter(bytes => bytes !== null),
        task: () => ({ before, after }),
      }
    }),
  )
  yield
  const sum = (name: keyof StaleCounts) => counts.reduce((sum, count) => sum + count[name], 0)
  return { added: sum('added'), removed: sum('removed') }
}

/** Puts and removes the files of a plan. */
export function* applyPlan(tx: Transaction, { files }: RevertPlan): Steps<void> {
  for (const { path, bytes } of files) {
    yield
    if (bytes === null) tx.remove(path)
    else tx.put(path, bytes)
  }
}
