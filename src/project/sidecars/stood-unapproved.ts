/** Finds out whether an approval was withdrawn: whether its text has stood without it since. */
import { bundleIn } from '../../bundle/canonical.ts'
import { sameMessage } from '../../bundle/diff.ts'
import { type Message, messageOf } from '../../bundle/message.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { marksIn } from './marks-file.ts'

/** A translation at one time, with its source and its marks. Null for a missing file. */
export interface TextVersion {
  source: Uint8Array | null
  target: Uint8Array | null
  marks: Uint8Array | null
}

/**
 * Under any key: a key may have been renamed since.
 * @param versions since the approval that comes back; null where they are not known, which counts as withdrawn
 */
export function stoodUnapproved(versions: readonly TextVersion[] | null): (message: Message, of: string) => boolean {
  if (versions === null) return () => true
  const parsed = versions.map(({ source, target, marks }) => {
    return { source: bundleIn(source), entries: bundleIn(target).tree.entries(), marks: marksIn(marks) }
  })
  return (message, of) =>
    parsed.some(({ source, entries, marks }) =>
      entries.some(entry => {
        const { key } = entry
        if (marks.get(key)?.approved?.of === of || !sameMessage(messageOf(entry), message)) return false
        return textDigest(source.message(key) ?? null, message) === of
      }),
    )
}
