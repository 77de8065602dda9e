/**
 * Refuses a change of approvals, or an undo that concerns the suggestions of others, to a caller who may not review. An
 * undo that concerns the comments of others is refused to a caller with rights for some languages.
 */
import type { Caller } from '../../auth/access.ts'
import { hasLevel, rightsToWrite } from '../../auth/rights.ts'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { idOf, projectIn } from '../../project/layout.ts'
import { type BundleName, bundlePath } from '../../project/project.ts'
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
  const tasks: BundleTask<'changesApprovals'>[] = []
  const suggested: BundleTask<'changesSuggestions'>[] = []
  const comments: BundleTask<'changesComments'>[] = []
  const isUndo = hints.hasSidecars === true || hints.origin !== undefined
  for (const path of change.changed()) {
    const file = sidecarFile(path)
    const isOfPeople = file?.sidecar === 'suggestions' || file?.sidecar === 'comments'
    if (file?.sidecar !== 'marks' && !(isOfPeople && isUndo)) continue
    if (change.before.entry(path)?.id === change.entry(path)?.id) continue
    if (file.sidecar === 'comments') {
      const task = commentsTask(caller, change, path, file)
      if (task) comments.push(task)
      continue
    }
    const bundle = { slug: file.slug, language: file.language!, namespace: file.namespace }
    const { slug, language } = bundle
    // The marks of a deleted project go with it.
    if (!projectIn(change, slug)) continue
    if (hasLevel(rights, { project: slug, language }, 'review')) continue
    const [before, after] = [TaskFile.at(path, change.before), TaskFile.at(path, change)]
    const files = { before, after, texts: textsOf(bundle, change) }
    const id = idOf(change.before, bundle)
    if (file.sidecar === 'marks') {
      tasks.push(unreadTask('changesApprovals', bundle, id, { files: { ...files, returns: isUndo } }))
    } else suggested.push(unreadTask('changesSuggestions', bundle, id, { files: { ...files, by: caller.id } }))
    yield
  }
  const found = <N extends TaskName>(tasks: BundleTask<N>[]): BundleName[] => {
    const answers = tasks.length === 0 ? [] : compute(tasks)
    return tasks.flatMap(({ bundle }, at) => (answers[at] ? [bundle] : []))
  }
  const rewritten = found(comments).map(({ namespace }) => namespace)
  if (rewritten.length > 0) {
    const where = `in ${quoteSome(rewritten)}`
    throw new Failure(
      'forbidden',
      `This would undo comments of others ${where}, for which a member needs all languages.`,
    )
  }
  const beyond = [...found(tasks), ...found(suggested)]
  if (beyond.length === 0) return
  const names = (of: (bundle: BundleName) => string) => [...new Set(beyond.map(of))].sort()
  throw noRight(
    caller,
    'review texts in',
    names(({ language }) => language),
    names(({ slug }) => slug),
  )
}

/** @returns undefined where the comments go with their project */
function commentsTask(
  { id: by }: Caller,
  change: ChangedState,
  path: string,
  { slug, namespace }: { slug: string; namespace: string },
): BundleTask<'changesComments'> | undefined {
  const project = projectIn(change, slug)
  if (!project) return undefined
  const bundle = { slug, language: project.sourceLanguage, namespace }
  const sourceIn = (state: State) => TaskFile.at(bundlePath(bundle), state)
  const [before, after] = [TaskFile.at(path, change.before), TaskFile.at(path, change)]
  const source = { before: sourceIn(change.before), after: sourceIn(change) }
  return unreadTask('changesComments', bundle, idOf(change.before, bundle), { files: { before, after, source, by } })
}

/** A translation with its source, before and after a change. */
function textsOf(bundle: BundleName, change: ChangedState) {
  const { sourceLanguage } = projectIn(change, bundle.slug)!
  const source = bundlePath({ ...bundle, language: sourceLanguage })
  const textsIn = (state: State) => ({
    source: bundle.language === sourceLanguage ? null : TaskFile.at(source, state),
    target: TaskFile.at(bundlePath(bundle), state),
  })
  return { before: textsIn(change.before), after: textsIn(change) }
}
