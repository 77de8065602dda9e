/** The faults of a text while the user types, by the rules of the server's status and of its writes. */
import { findIcu, type IcuConstruct } from '../../../bundle/icu.ts'
import { type Form, type Message, type MessageParts, partsOf } from '../../../bundle/message.ts'
import { longerThan, MAX_TEXT, textFault } from '../../../bundle/names.ts'
import type { Interpolation, PlaceholderKind } from '../../../bundle/placeholders.ts'
import { type Facts, factsOf, problemsOf } from '../../../bundle/status.ts'
import { rulesFor } from '../model/rows.ts'

/**
 * - `missing`, `extra`: placeholders that the source has and the text lacks, or the other way round
 * - `icu`: a construct that i18next cannot render, which the server refuses
 * - `long`, `unstorable`: the server refuses it too: more than `most` characters, or half a character
 */
export type TextFault =
  | { is: 'missing' | 'extra'; kind: PlaceholderKind; placeholders: string[] }
  | { is: 'icu'; construct: IcuConstruct }
  | { is: 'long'; most: number }
  | { is: 'unstorable' }

/** A text and its source. */
export interface CheckedText {
  /** The message of the source; null where it lacks the key: then there is nothing to compare with. */
  source: Message | null
  sourceLanguage: string
  /** Of the project, where it has its own. */
  interpolation?: Interpolation | undefined
  text: string
  language: string
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string | undefined
}

/** See {@link TextFault}; the worst come first. An empty text has none: it is not translated yet. */
export function faultsOf({ source, sourceLanguage, interpolation, text, language, form }: CheckedText): TextFault[] {
  if (text === '') return []
  const checks: TextFault[] = []
  const construct = findIcu(text)
  if (construct) checks.push({ is: 'icu', construct })
  if (textFault(text)) checks.push(textFault(text, true) ? { is: 'long', most: MAX_TEXT } : { is: 'unstorable' })
  // The server refuses it. Comparing this number of placeholders would delay each key press.
  if (source === null || longerThan(text, MAX_TEXT)) return checks
  const rules = rulesFor({ source: sourceLanguage, interpolation }, language)
  const [due, has] = [partsOf(source), leafOf(text, form)].map(parts => factsOf(parts, interpolation)) as [Facts, Facts]
  for (const { kind, missing, extra } of problemsOf(due, has, rules)) {
    if (missing.length > 0) checks.push({ is: 'missing', kind, placeholders: missing })
    if (extra.length > 0) checks.push({ is: 'extra', kind, placeholders: extra })
  }
  return checks
}

/** Whether the server refuses the text for it. */
export const isRefused = ({ is }: TextFault): boolean => is !== 'missing' && is !== 'extra'

const ORDINAL = 'ordinal_'

function leafOf(text: string, form: string | undefined): MessageParts {
  const parts: MessageParts = { text: undefined, cardinal: undefined, ordinal: undefined }
  if (form === undefined) return { ...parts, text }
  const isOrdinal = form.startsWith(ORDINAL)
  const name = (isOrdinal ? form.slice(ORDINAL.length) : form) as Form
  return { ...parts, [isOrdinal ? 'ordinal' : 'cardinal']: { [name]: text } }
}
