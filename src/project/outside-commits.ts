/** Judges external commits: a person committed with git while no server ran. */
import { Failure } from '../bundle/errors.ts'
import type { Steps } from '../scheduling/steps.ts'
import { changedFiles } from './changed-files.ts'
import { classify, inOrder, type JudgedFile, judgeFile, type RefusedFile, reason } from './judge.ts'
import { bundlesOf } from './layout.ts'
import { type Offload, runWithSidecars } from './offload.ts'
import { bundlePath, ownFile } from './project.ts'
import { isStaleFile, sidecarFile } from './sidecars/sidecars.ts'
import { updateKeySidecars } from './sidecars/update-key-sidecars.ts'
import type { ComputeSidecars } from './stale-tasks.ts'
import { Overlay, type State } from './state.ts'
import { updateStaleEntries } from './update-stale-entries.ts'

/** Commits, by the states before and after them. */
interface OutsideCommits {
  /** The server's last state, as far as it knows. */
  before: State
  /** The state found. */
  after: State
  /** The nearest state with entries by the server. Texts alone do not show a confirmation. */
  noted: State
  /**
   * The states from `noted` to `after`, the oldest first, each created when needed. Empty: only the ends are compared.
   */
  between: readonly (() => State)[]
}

/**
 * Judges every path that differs between the states at both ends.
 * @returns what to commit on top so that HEAD obeys the rules (good files in canonical bytes; for bad ones the last
 * good bytes, or a removal; last the entries of what became stale), and the bad files, which stay in the work tree
 */
export async function checkCommits(
  { before, after, noted, between }: OutsideCommits,
  compute: Offload,
): Promise<{ adopt: JudgedFile[]; problems: RefusedFile[] }> {
  const accepted = new Overlay(before)
  const adopt: JudgedFile[] = []
  const problems: RefusedFile[] = []
  const settle = (path: string, bytes: Buffer | null, isLast = sidecarFile(path) === undefined) => {
    accepted.set(path, bytes)
    if (!isLast) return
    const present = after.read(path)
    if (bytes === null ? present !== undefined : !present?.equals(bytes)) {
      adopt.push({ path, bytes, over: after.entry(path)?.id ?? null })
    }
  }
  const changed = changedPaths(before, after)
  for (const path of changed) {
    try {
      const bytes = await judged(path, accepted, after, compute)
      if (bytes !== undefined) settle(path, bytes)
    } catch (error) {
      problems.push({ path, error: reason(error) })
      settle(path, before.read(path) ?? null)
    }
  }
  await runSteps(compute, computed => updateKeySidecars(accepted, {}, computed))
  for (const path of new Set([...changed, ...accepted.changed()].filter(isEditedSidecar)))
    settle(path, accepted.read(path) ?? null, true)
  const entries = await follow({ before, noted, between, accepted }, compute)
  // The entries that result from all the commits replace the files of entries in them.
  for (const path of new Set([...changed, ...entries.changed()].filter(isStaleFile))) {
    settle(path, entries.read(path) ?? null, true)
  }
  return { adopt, problems }
}

/** Runs steps to their end. No other write overtakes them. */
const runSteps = (compute: Offload, steps: (computed: ComputeSidecars) => Steps<void>): Promise<void> =>
  runWithSidecars(
    compute,
    computed => {
      for (const _ of steps(computed));
    },
    Infinity,
  )

const isEditedSidecar = (path: string): boolean => {
  const kind = classify(path)?.kind
  return kind === 'sidecar' || kind === 'glossary'
}

/** What goes comes first: a name that changed its case is no twin of itself. */
function changedPaths(before: State, after: State): string[] {
  const paths = inOrder(changedFiles(before, after).map(({ path }) => path))
  const goes = (path: string) => after.entry(path) === undefined
  return [...paths.filter(goes), ...paths.filter(path => !goes(path))]
}

/**
 * What a path of a state is to hold on top of what was accepted.
 * @returns null for nothing, undefined where it is none of ours
 * @throws Failure where it breaks the rules
 */
async function judged(
  path: string,
  accepted: State,
  after: State,
  compute: Offload,
): Promise<Buffer | null | undefined> {
  const file = classify(path)
  if (file === undefined) return undefined
  const bytes = after.read(path)
  if (bytes === undefined) {
    const stays = (slug: string) => bundlesOf(accepted, slug).some(bundle => after.entry(bundlePath(bundle)))
    return file.kind === 'project' && stays(file.slug) ? (accepted.read(path) ?? null) : null
  }
  if (file.kind === 'misnamed') throw new Failure('unfit', file.error)
  return judgeFile(file, bytes, accepted, { compute })
}

/** Follows the source from commit to commit, as if the server had run. @returns what was accepted, with its entries */
async function follow(
  { before, noted, between, accepted }: Omit<OutsideCommits, 'after'> & { accepted: Overlay },
  compute: Offload,
): Promise<Overlay> {
  const followed = new Overlay(noted)
  const updateEntries = async (change: Overlay) => {
    await runSteps(compute, computed => updateStaleEntries(change, {}, computed))
    for (const path of change.changed()) followed.set(path, change.read(path) ?? null)
  }
  let last = noted
  for (const make of between) {
    const state = make()
    await updateEntries(await changeTo(state, last, followed, compute))
    last = state
  }
  const change = new Overlay(followed)
  for (const path of new Set([...changedPaths(before, noted), ...followed.changed(), ...accepted.changed()])) {
    if (ownFile(path) === undefined || change.entry(path)?.id === accepted.entry(path)?.id) continue
    change.set(path, accepted.read(path) ?? null)
  }
  await updateEntries(change)
  return followed
}

/** What a commit changed. What breaks the rules counts as not written until a later one mends it. */
async function changeTo(state: State, last: State, followed: State, compute: Offload): Promise<Overlay> {
  const change = new Overlay(followed)
  for (const path of changedPaths(last, state).filter(path => !isEditedSidecar(path))) {
    const bytes = await judged(path, change, state, compute).catch(() => undefined)
    if (bytes !== undefined) change.set(path, bytes)
  }
  return change
}
