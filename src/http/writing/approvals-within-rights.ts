/**
 * Refuses a change of approvals, or an undo that concerns the suggestions of others, to a caller who may not review.
 */
import type { Caller } from '../../auth/access.ts'
import { hasLevel } from '../../auth/rights.ts'
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { bundleAt, projectIn } from '../../project/layout.ts'
import { readTask } from '../../project/precompute.ts'
import { type BundleName, bundlePath } from '../../project/project.ts'
import type { ChangesApprovalsTask } from '../../project/sidecars/changes-approvals.ts'
import type { ChangesSuggestionsTask } from '../../project/sidecars/changes-suggestions.ts'
import { type SidecarFile, sidecarFile } from '../../project/sidecars/sidecars.ts'
import { readFiles, TaskFile, type UnreadTask } from '../../project/sidecars/task-file.ts'
import type { ChangedState, ChangeHints } from '../../project/stale-tasks.ts'
import type { State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { BundleTask, Compute } from './bundle-task.ts'
import { noRight } from './within-rights.ts'

/**
 * See {@link ChangesApprovalsTask}. A change of other marks needs the right to translate, see `within-rights.ts`.
 * @param change with what follows from it
 * @throws Failure `forbidden` naming the languages; as `compute`
 */
export function* refuseUnreviewed(
  caller: Caller,
  change: ChangedState,
  hints: ChangeHints,
  compute: Compute,
): Steps<void> {
  if (caller.rights === undefined) return
  const tasks: BundleTask<'changesApprovals'>[] = []
  const suggested: BundleTask<'changesSuggestions'>[] = []
  for (const path of change.changed()) {
    const file = sidecarFile(path)
    const isUndo = hints.hasSidecars || hints.origin !== undefined
    if (file?.sidecar !== 'marks' && !(file?.sidecar === 'suggestions' && isUndo)) continue
    if (change.before.entry(path)?.id === change.entry(path)?.id) continue
    // The marks of a deleted project go with it.
    if (!projectIn(change, file.slug)) continue
    if (hasLevel(caller.rights, { project: file.slug, language: file.language! }, 'review')) continue
    if (file.sidecar === 'marks') tasks.push(taskOf(file, path, change, hints))
    else suggested.push(suggestionsTask(file, path, change, caller))
    yield
  }
  const changes = tasks.length === 0 ? [] : compute(tasks)
  const others = suggested.length === 0 ? [] : compute(suggested)
  const beyond = [...tasks.filter((_, at) => changes[at]), ...suggested.filter((_, at) => others[at])].map(
    ({ bundle }) => bundle,
  )
  if (beyond.length === 0) return
  const names = (of: (bundle: BundleName) => string) => [...new Set(beyond.map(of))].sort()
  throw noRight(
    caller,
    'review texts in',
    names(({ language }) => language),
    names(({ slug }) => slug),
  )
}

function taskOf(
  { slug, language, namespace }: SidecarFile,
  path: string,
  change: ChangedState,
  { origin, hasSidecars = false }: ChangeHints,
): BundleTask<'changesApprovals'> {
  const bundle = { slug, language: language!, namespace }
  const task: UnreadTask<ChangesApprovalsTask> = {
    ...{ before: fileAt(path, change.before), after: fileAt(path, change) },
    texts: textsOf(bundle, change),
    returns: origin !== undefined || hasSidecars,
  }
  const read = () => readFiles(task) as Generator<Uint8Array, ChangesApprovalsTask, undefined>
  return {
    name: 'changesApprovals',
    bundle,
    id: change.before.entry(bundlePath(bundle))?.kind === 'blob' ? bundleAt(change.before, bundle).id : EMPTY_BUNDLE_ID,
    format: 'i18next-json',
    readsNoFile: true,
    variant: `${path} ${JSON.stringify(task)}`,
    extraBytes: read,
    task: () => readTask(read()),
  }
}

function suggestionsTask(
  { slug, language, namespace }: SidecarFile,
  path: string,
  change: ChangedState,
  { id: by }: Caller,
): BundleTask<'changesSuggestions'> {
  const bundle = { slug, language: language!, namespace }
  const task: UnreadTask<ChangesSuggestionsTask> = {
    ...{ before: fileAt(path, change.before), after: fileAt(path, change), by },
    texts: textsOf(bundle, change),
  }
  const read = () => readFiles(task) as Generator<Uint8Array, ChangesSuggestionsTask, undefined>
  return {
    name: 'changesSuggestions',
    bundle,
    id: change.before.entry(bundlePath(bundle))?.kind === 'blob' ? bundleAt(change.before, bundle).id : EMPTY_BUNDLE_ID,
    format: 'i18next-json',
    readsNoFile: true,
    variant: `${path} ${JSON.stringify(task)}`,
    extraBytes: read,
    task: () => readTask(read()),
  }
}

/** A translation with its source, before and after a change. */
function textsOf(bundle: BundleName, change: ChangedState) {
  const { sourceLanguage } = projectIn(change, bundle.slug)!
  const source = bundlePath({ ...bundle, language: sourceLanguage })
  const textsIn = (state: State) => ({
    source: bundle.language === sourceLanguage ? null : fileAt(source, state),
    target: fileAt(bundlePath(bundle), state),
  })
  return { before: textsIn(change.before), after: textsIn(change) }
}

const fileAt = (path: string, state: State): TaskFile => TaskFile.at(path, state)
