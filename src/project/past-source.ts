/** The source text that a translation was written for, in the state before its replacement. */
import type { Message } from '../bundle/message.ts'
import { parseStale, sourceThen } from './stale.ts'
import { messageIn } from './versions.ts'

/** What it depends on: files of one state. */
interface PastSourceTask {
  /** The bundle of `from`, null where there is none. */
  bundle: Uint8Array | null
  /** The entries of stale translations, null without any. */
  stale: Uint8Array | null
  key: string
  sourceLanguage: string
  /** The language of the wanted text. */
  from: string
  /** The language of the translation. */
  to: string
}

/** Null without a text, and for two translations that were not of the same source. */
export function pastSource({ bundle, stale, key, sourceLanguage, from, to }: PastSourceTask): Message | null {
  const entries = parseStale(stale)
  const thenOf = (language: string) => (language === sourceLanguage ? undefined : sourceThen(entries, key, language))
  const then = thenOf(to)
  if (from === sourceLanguage && then !== undefined) return then
  // A pair of two translations is one only while both fit the source.
  if (then !== undefined || thenOf(from) !== undefined) return null
  return messageIn({ bytes: bundle, key })
}
