/** Refuses a change of approvals to a caller who may not review, whichever route it comes from. */
import type { Caller } from '../../auth/access.ts'
import { hasLevel } from '../../auth/rights.ts'
import { EMPTY_BUNDLE_ID } from '../../bundle/canonical.ts'
import { bundleAt, projectIn } from '../../project/layout.ts'
import { readTask } from '../../project/precompute.ts'
import { type BundleName, bundlePath } from '../../project/project.ts'
import type { ChangesApprovalsTask } from '../../project/sidecars/changes-approvals.ts'
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
  for (const path of change.changed()) {
    const file = sidecarFile(path)
    if (file?.sidecar !== 'marks' || change.before.entry(path)?.id === change.entry(path)?.id) continue
    // The marks of a deleted project go with it.
    if (!projectIn(change, file.slug)) continue
    if (hasLevel(caller.rights, { project: file.slug, language: file.language! }, 'review')) continue
    tasks.push(taskOf(file, path, change, hints))
    yield
  }
  const changes = tasks.length === 0 ? [] : compute(tasks)
  const beyond = tasks.filter((_, at) => changes[at]).map(({ bundle }) => bundle)
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
  const { sourceLanguage } = projectIn(change, slug)!
  const textsIn = (state: State) => ({
    source: language === sourceLanguage ? null : fileAt(bundlePath({ ...bundle, language: sourceLanguage }), state),
    target: fileAt(bundlePath(bundle), state),
  })
  const task: UnreadTask<ChangesApprovalsTask> = {
    ...{ before: fileAt(path, change.before), after: fileAt(path, change) },
    texts: { before: textsIn(change.before), after: textsIn(change) },
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

const fileAt = (path: string, state: State): TaskFile => TaskFile.at(path, state)
