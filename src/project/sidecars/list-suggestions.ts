/** The suggestions of a file with what a reviewer needs to know about each, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import { maximaIn } from '../../bundle/checks/maxima-in.ts'
import { problemsOf } from '../../bundle/checks/problems-of.ts'
import { type Message, partsOf } from '../../bundle/message.ts'
import { factsOf, isEmpty, type RulesOfBoth, type TextProblem, type TextRules } from '../../bundle/status.ts'
import { hasLostKey, isBy, type Suggestion } from '../../bundle/suggestion.ts'
import { textDigest } from '../../bundle/text-digest.ts'
import { rulesOfBoth } from '../text-rules.ts'
import { suggestionsIn } from './suggestions-file.ts'

/** The suggestions of a bundle that are wanted. */
export interface ListSuggestionsTask {
  /** The files, null where there is none. */
  suggestions: Uint8Array | null
  source: Uint8Array | null
  target: Uint8Array | null
  /** The notes of the namespace, which have the maxima of lengths. */
  notes: Uint8Array | null
  sourceLanguage: string
  language: string
  rules: TextRules
  /** Only this key. */
  only: string | null
  /** Only those of a person or token by its id, or of a machine by its name. */
  by: string | null
  /** Only suggestions after this one. */
  behind: { key: string; id: string } | null
  /** At most this many, or bytes beside the last one's. */
  most: number
  bytes: number
}

/** A suggestion beside the present texts. */
export interface SuggestionRow extends Omit<Suggestion, 'of'> {
  key: string
  source: Message | null
  /** The present text. */
  present: Message | null
  /** Whether the source is the one that was translated. */
  fits: boolean
  /** As a status names them, of the suggested text. */
  problems: TextProblem[]
}

/** The wanted suggestions by key, then the oldest first; whether there are more; and their bytes. */
export interface ListedSuggestions {
  rows: SuggestionRow[]
  more: boolean
  bytes: number
}

export function listSuggestions(task: ListSuggestionsTask): ListedSuggestions {
  const { language, sourceLanguage, only, behind } = task
  const isSource = language === sourceLanguage
  const [source, target] = [bundleIn(task.source), bundleIn(task.target)]
  const rules = rulesOfBoth(sourceLanguage, language, task.rules)
  const maxima = maximaIn(isSource ? null : task.notes)
  const all = suggestionsIn(task.suggestions)
  const found: ListedSuggestions = { rows: [], more: false, bytes: 0 }
  for (const key of [...all.keys()].sort()) {
    if ((only !== null && key !== only) || (behind !== null && key < behind.key)) continue
    const list = all.get(key)!
    // A suggestion that has gone since is before all others of its key.
    const from = behind?.key === key ? list.findIndex(({ id }) => id === behind.id) + 1 : 0
    const original = source.message(key) ?? null
    const present = target.message(key) ?? null
    for (const suggestion of list.slice(from)) {
      if (task.by !== null && !isBy(suggestion, task.by) && suggestion.by !== task.by) continue
      // It waits for its key.
      if (hasLostKey(suggestion, original, present)) continue
      if (found.rows.length === task.most || found.bytes > task.bytes) return { ...found, more: true }
      const { of, ...shown } = suggestion
      const row = {
        ...{ key, ...shown, source: original, present },
        fits: of === textDigest(isSource ? null : original, shown.message),
        problems: isSource || original === null ? [] : problemsIn(original, shown.message, rules, maxima.get(key)),
      }
      found.rows.push(row)
      found.bytes += 2 * JSON.stringify(row).length
    }
  }
  return found
}

/** The problems of a text beside its source. */
function problemsIn(source: Message, message: Message, rules: RulesOfBoth, max: number | undefined): TextProblem[] {
  const [due, has] = [source, message].map(one => factsOf(partsOf(one), rules.interpolation))
  return isEmpty(has!.flags) ? [] : problemsOf(due!, has!, rules, max)
}
