/**
 * Refuses a change of approvals, or an undo that concerns the suggestions of others, to a caller who may not review. An
 * undo that concerns the comments of others is refused to a caller with rights for some languages.
 */
import type { Caller } from '../../auth/access.ts'
import { hasLevel, rightsToWrite } from '../../auth/rights.ts'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { idOf, projectIn } from '../../project/layout.ts'
import { type BundleName, bundlePath, type Project } from '../../project/project.ts'
import { sidecarFile } from '../../project/sidecars/sidecars.ts'
import { TaskFile } from '../../project/sidecars/task-file.ts'
import type { ChangedState, ChangeHints } from '../../project/stale-tasks.ts'
import type { State } from '../../project/state.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { TaskName } from '../../worker/tasks.ts'
import type { BundleTask, Compute } from './bundle-task.ts'
import { unreadTask } from './unread-task.ts'
import { noRight } from './within-rights.ts'

/**
 * See `changes-approvals.ts`. A change of other marks needs the right to translate, see `within-rights.ts`.
 * @param change with what follows from it
 * @throws Failure `forbidden` naming the languages, or the namespaces of comments; as `compute`
 */
export function* refuseUnreviewed(
  caller: Caller,
  change: ChangedState,
  hints: ChangeHints,
  compute: Compute,
): Steps<void> {
  const rights = rightsToWrite(caller)
  if (rights === undefined) return
  const approvals: BundleTask<'changesApprovals'>[] = []
  const [comments, suggestions]: BundleTask<'changesOfOthers'>[][] = [[], []]
  const isUndo = hints.hasSidecars === true || hints.origin !== undefined
  for (const path of change.changed()) {
    const file = sidecarFile(path)
    if (!file || change.before.entry(path)?.id === change.entry(path)?.id) continue
    const { sidecar, slug, namespace } = file
    if (sidecar !== 'marks' && !(isUndo && (sidecar === 'comments' || sidecar === 'suggestions'))) continue
    const project = projectIn(change, slug)
    // The sidecars of a deleted project go with it.
    if (!project) continue
    const bundle = { slug, language: file.language ?? project.sourceLanguage, namespace }
    if (sidecar !== 'comments' && hasLevel(rights, { project: slug, language: bundle.language }, 'review')) continue
    const [before, after] = [TaskFile.at(path, change.before), TaskFile.at(path, change)]
    const files = { before, after, texts: textsOf(bundle, project, change) }
    const id = idOf(change.before, bundle)
    if (sidecar === 'marks') {
      approvals.push(unreadTask('changesApprovals', bundle, id, { files: { ...files, returns: isUndo } }))
    } else {
      const task = unreadTask('changesOfOthers', bundle, id, { files: { ...files, sidecar, by: caller.id } })
      if (sidecar === 'comments') comments!.push(task)
      else suggestions!.push(task)
    }
    yield
  }
  const found = <N extends TaskName>(tasks: BundleTask<N>[]): BundleName[] => {
    const answers = tasks.length === 0 ? [] : compute(tasks)
    return tasks.flatMap(({ bundle }, at) => (answers[at] ? [bundle] : []))
  }
  const rewritten = found(comments!).map(({ namespace }) => namespace)
  if (rewritten.length > 0) {
    const what = `comments of others in ${quoteSome(rewritten)}`
    throw new Failure('forbidden', `This would undo ${what}, for which a member needs all languages.`)
  }
  const beyond = [...found(approvals), ...found(suggestions!)]
  if (beyond.length === 0) return
  const names = (of: (bundle: BundleName) => string) => [...new Set(beyond.map(of))].sort()
  throw noRight(
    caller,
    'review texts in',
    names(({ language }) => language),
    names(({ slug }) => slug),
  )
}

/** A translation with its source, before and after a change. */
function textsOf(bundle: BundleName, { sourceLanguage }: Project, change: ChangedState) {
  const source = bundlePath({ ...bundle, language: sourceLanguage })
  const textsIn = (state: State) => ({
    source: bundle.language === sourceLanguage ? null : TaskFile.at(source, state),
    target: TaskFile.at(bundlePath(bundle), state),
  })
  return { before: textsIn(change.before), after: textsIn(change) }
}
