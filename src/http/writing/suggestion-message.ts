/** The message of a commit with texts that became suggestions, all of them or some. */

import { type CommitAction, subjectText } from '../../bundle/commit-subject.ts'
import { readSubject } from '../../bundle/read-subject.ts'
import type { DivertedBundle } from '../../project/sidecars/divert-texts.ts'
import type { CommitMessage } from '../../store/store.ts'

/** Trailers of a restore and an undo. */
const UNDONE = new Set(['Parlance-Restored', 'Parlance-Reverted'])

/**
 * A subject of the caller's own stays. Counts of keys are without those that wait.
 * @param message of the change without a review @param isPure whether nothing but suggestions is written
 */
export function suggestionMessage(
  { subject, trailers = [] }: CommitMessage,
  diverted: readonly DivertedBundle[],
  isPure: boolean,
): CommitMessage {
  const sum = (name: 'added' | 'updated' | 'suggested') => diverted.reduce((sum, bundle) => sum + bundle[name], 0)
  const [added, updated] = [sum('added'), sum('updated')]
  const less: Record<string, number> = { 'Parlance-Added': added, 'Parlance-Updated': updated }
  const kept = trailers.filter(([name]) => !isPure || !UNDONE.has(name))
  const { slug, language, namespace, key } = diverted[0]!
  const read = readSubject(subject, slug)
  const part = diverted.length === 1 ? { language, namespace } : {}
  const count = sum('suggested')
  const action: CommitAction =
    count === 1 && key !== null && diverted.length === 1 ? { kind: 'suggest', key } : { kind: 'suggest-texts', count }
  let text = subject
  if (read && isPure) text = subjectText({ slug, ...part, ...action })
  else if (read?.kind === 'push') {
    const { bundles, ...part } = read
    const left = bundles === undefined ? 1 : bundles - diverted.filter(({ isWhole }) => isWhole).length
    const rest = {
      ...part,
      ...(left > 1 && { bundles: left }),
      added: Math.max(0, read.added - added),
      updated: Math.max(0, read.updated - updated),
    }
    if (rest.added + rest.updated + rest.removed > 0) text = subjectText(rest)
  }
  return {
    subject: text,
    trailers: kept.map(([name, value]) => [
      name,
      name in less ? String(Math.max(0, Number(value) - less[name]!)) : value,
    ]),
  }
}
