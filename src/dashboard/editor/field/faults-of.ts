/** The faults of a text while the user types, by the rules of the server's status and of its writes. */
import type { CheckKind } from '../../../bundle/checks/check-settings.ts'
import { problemsOf } from '../../../bundle/checks/problems-of.ts'
import { findIcu, type IcuConstruct } from '../../../bundle/icu.ts'
import { type Form, type Message, type MessageParts, partsOf } from '../../../bundle/message.ts'
import { longerThan, MAX_TEXT, textFault } from '../../../bundle/names.ts'
import { type Facts, factsOf, type TextRules } from '../../../bundle/status.ts'
import { rulesFor } from '../model/rows.ts'

/**
 * - `missing`, `extra`: what the source has and the text lacks, or the other way round, as a `TextProblem` has it;
 *   `refused` where the project refuses it
 * - `icu`: a construct that i18next cannot render, which the server refuses
 * - `long`, `unstorable`: the server refuses it too: more than `most` characters, or half a character
 */
export type TextFault =
  | { is: 'missing' | 'extra'; kind: CheckKind; what: string[]; refused?: true }
  | { is: 'icu'; construct: IcuConstruct }
  | { is: 'long'; most: number }
  | { is: 'unstorable' }

/** A text and its source. */
export interface CheckedText extends TextRules {
  /** The message of the source; null where it lacks the key: then there is nothing to compare with. */
  source: Message | null
  sourceLanguage: string
  text: string
  language: string
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string | undefined
}

/** See {@link TextFault}; the worst come first. An empty text has none: it is not translated yet. */
export function faultsOf(checked: CheckedText): TextFault[] {
  const { source, sourceLanguage, interpolation, checks: levels, text, language, form } = checked
  if (text === '') return []
  const checks: TextFault[] = []
  const construct = findIcu(text)
  if (construct) checks.push({ is: 'icu', construct })
  if (textFault(text)) checks.push(textFault(text, true) ? { is: 'long', most: MAX_TEXT } : { is: 'unstorable' })
  // The server refuses it. Comparing this number of placeholders would delay each key press.
  if (source === null || longerThan(text, MAX_TEXT)) return checks
  const rules = rulesFor({ source: sourceLanguage, interpolation, checks: levels }, language)
  const [due, has] = [partsOf(source), leafOf(text, form)].map(parts => factsOf(parts, interpolation)) as [Facts, Facts]
  for (const { kind, missing, extra } of problemsOf(due, has, rules)) {
    const refused = levels?.[kind] === 'refuse' && { refused: true as const }
    if (missing.length > 0) checks.push({ is: 'missing', kind, what: missing, ...refused })
    if (extra.length > 0) checks.push({ is: 'extra', kind, what: extra, ...refused })
  }
  return checks
}

/** Whether the server refuses the text for it. */
export const isRefused = (fault: TextFault): boolean =>
  fault.is === 'missing' || fault.is === 'extra' ? fault.refused === true : true

const ORDINAL = 'ordinal_'

function leafOf(text: string, form: string | undefined): MessageParts {
  const parts: MessageParts = { text: undefined, cardinal: undefined, ordinal: undefined }
  if (form === undefined) return { ...parts, text }
  const isOrdinal = form.startsWith(ORDINAL)
  const name = (isOrdinal ? form.slice(ORDINAL.length) : form) as Form
  return { ...parts, [isOrdinal ? 'ordinal' : 'cardinal']: { [name]: text } }
}
