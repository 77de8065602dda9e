/** The notes of a push of many bundles, in its commit. */
import type { ManyPush } from '../../bundle/many-push.ts'
import type { Project } from '../../project/project.ts'
import type { Steps } from '../../scheduling/steps.ts'
import type { CommitMessage, Transaction } from '../../store/store.ts'
import type { Compute } from './bundle-task.ts'
import { commitMessage, namedNamespaces } from './commit-message.ts'
import { notesTask, putNotes } from './notes-task.ts'

/** The number of changed notes, and their namespaces. */
interface PushedNotes {
  count: number
  namespaces: string[]
}

/** @throws Failure `conflict` for a namespace that differs only in case from another, and as `compute` does */
export function* pushNotes(
  tx: Transaction,
  project: Project,
  asked: NonNullable<ManyPush['notes']>,
  compute: Compute,
): Steps<PushedNotes> {
  const answers = compute(
    asked.map(({ namespace, changes }) => notesTask(tx, project, { namespace, changes, from: 'code' })),
  )
  const pushed: PushedNotes = { count: 0, namespaces: [] }
  for (const [at, { file, changed }] of answers.entries()) {
    const { namespace } = asked[at]!
    yield
    if (changed === 0) continue
    putNotes(tx, project, namespace, file)
    pushed.count += changed
    pushed.namespaces.push(namespace)
  }
  return pushed
}

/** The message of a commit with notes alone. @param subject the caller's */
export function describeNotes(
  slug: string,
  subject: string | undefined,
  { count, namespaces }: PushedNotes,
): CommitMessage {
  return commitMessage(subject === undefined ? { slug, kind: 'code-notes', count } : { text: subject }, {
    slug,
    namespaces: namedNamespaces(namespaces.sort()),
  })
}
