/** Messages of commits: a subject, and trailers that save the history from reading files. */
import { type CommitSubject, subjectText } from '../../bundle/commit-subject.ts'
import type { ChangeCounts } from '../../bundle/diff.ts'
import type { CommitMessage } from '../../store/store.ts'

/** What a commit is about. */
interface About {
  /** Absent for what belongs to no project. */
  slug?: string | undefined
  languages?: readonly string[]
  namespaces?: readonly string[]
  /** Keys; without `removed` none went. */
  counts?: Pick<ChangeCounts, 'added' | 'updated'> & { removed?: number | undefined }
  /** Commits that it goes back to, or undoes. */
  restored?: string
  reverted?: readonly string[]
}

/** Namespaces that a commit names; of one that names none the history counts the keys itself. */
const MOST_NAMED = 100

/** None of many: see {@link MOST_NAMED}. */
export const namedNamespaces = (namespaces: readonly string[]): readonly string[] =>
  namespaces.length > MOST_NAMED ? [] : namespaces

/** A message that the caller wrote. */
interface OwnMessage {
  text: string
}

export function commitMessage(subject: CommitSubject | OwnMessage, about: About): CommitMessage {
  const { slug, languages = [], namespaces = [], counts, restored, reverted = [] } = about
  const trailers: [name: string, values: readonly (string | number | undefined)[]][] = [
    ['Project', [slug]],
    ['Language', languages],
    ['Namespace', namespaces],
    ['Added', [counts?.added]],
    ['Updated', [counts?.updated]],
    ['Removed', [counts?.removed]],
    ['Restored', [restored]],
    ['Reverted', reverted],
  ]
  return {
    subject: 'text' in subject ? subject.text : subjectText(subject),
    trailers: trailers.flatMap(([name, values]) =>
      values.filter(value => value !== undefined).map((value): [string, string] => [`Parlance-${name}`, String(value)]),
    ),
  }
}
