/** What the editor's keys ask of the panel: matches of the translation memory, and candidates of machines. */
import type { Message } from '../../../bundle/message.ts'
import type { Memory, MemoryMatch } from '../../api/late-client.ts'
import { leafAt, modelText, textsOf } from '../model/leaves.ts'
import type { LeafPlace } from '../model/rows.ts'

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

let offered: { at: string; texts: readonly string[] } | undefined

const nameOf = ({ language, namespace, key, ending }: LeafPlace) => JSON.stringify([language, namespace, key, ending])

/** Offers texts for a field, the best one first. @returns withdraws them */
export function offerMatches(place: LeafPlace, texts: readonly string[]): () => void {
  const own = { at: nameOf(place), texts }
  offered = own
  return () => {
    if (offered === own) offered = undefined
  }
}

/** The text with this number, from 1; undefined where the panel lists none for the field. */
export const offeredMatch = (place: LeafPlace, number: number): string | undefined =>
  offered?.at === nameOf(place) ? offered.texts[number - 1] : undefined

/** A text by its row. */
interface RequestedText {
  id: string
  language: string
}

let waiting: RequestedText | undefined
const watchers = new Set<() => void>()

/** Asks for candidates for a text. The panel may still be loading. */
export function requestCandidates(text: RequestedText): void {
  waiting = text
  for (const watcher of watchers) watcher()
}

/** Calls `watcher` at each request. @returns stops that */
export function onRequest(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Whether the last request is for this text and waits. It then waits no more. */
export function acceptRequest({ id, language }: RequestedText): boolean {
  if (waiting?.id !== id || waiting.language !== language) return false
  dropRequest()
  return true
}

/** Its user has gone on to another text. */
export function dropRequest(): void {
  waiting = undefined
}
