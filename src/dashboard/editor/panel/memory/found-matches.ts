/** The matches of the translation memory for one text, ready to be listed. */
import type { Message } from '../../../../bundle/message.ts'
import type { Memory, MemoryMatch } from '../../../api/late-client.ts'
import { leafAt, modelText, textsOf } from '../../model/leaves.ts'
import type { LeafPlace } from '../../model/rows.ts'

/** Maximum number of listed matches; a digit inserts each. */
export const MOST_MATCHES = 5
/** Characters of a text to search for: percent-encoded, more would not fit into an address. */
const MOST_SEARCHED = 3000

/** A match, in the form in hand. */
export interface FoundMatch extends Pick<MemoryMatch, 'score' | 'project' | 'namespace' | 'key'> {
  /** The matched text or form of the source. */
  source: string
  /** Its translation: the same form, else the most general one. */
  text: string
}

/** The start of a long text; never half a character. */
export const searchedPart = (text: string): string => text.slice(0, MOST_SEARCHED).replace(/[\ud800-\udbff]$/, '')

/** Without the pair of the row itself, and without empty translations. */
export function foundMatches(
  { matches }: Memory,
  { slug, namespace, key, ending }: { slug: string } & Omit<LeafPlace, 'language'>,
): FoundMatch[] {
  return matches
    .filter(match => match.project !== slug || match.namespace !== namespace || match.key !== key)
    .map(({ source, message, form, ...match }) => ({
      ...match,
      // The answer's types know no order of forms; the server's messages have it.
      source: textsOf(source as Message)[form === undefined ? '' : `_${form}`] ?? '',
      text: modelText(message as Message, leafAt(ending)),
    }))
    .filter(({ text }) => text !== '')
    .slice(0, MOST_MATCHES)
}
