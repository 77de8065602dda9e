/** The faults of a text while the user types, by the rules of the server's status and of its writes. */
import type { CheckKind } from '../../../bundle/checks/check-settings.ts'
import { problemsOf } from '../../../bundle/checks/problems-of.ts'
import { findIcu, type IcuConstruct } from '../../../bundle/icu.ts'
import { type Message, partsOf } from '../../../bundle/message.ts'
import { longerThan, MAX_TEXT, textFault } from '../../../bundle/names.ts'
import { type Facts, factsOf } from '../../../bundle/status.ts'
import { withTexts } from '../model/leaves.ts'
import { type Columns, rulesFor } from '../model/rows.ts'

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

/**
 * See {@link TextFault}; the worst come first. An empty text has none: it is not translated yet.
 * @param checked `source` is undefined where there is nothing to compare with; `ending` is that of the leaf
 */
export function faultsOf(
  checked: { source: Message | undefined; text: string; language: string; ending: string },
  columns: Omit<Columns, 'targets'>,
): TextFault[] {
  const { source, text, language, ending } = checked
  if (text === '') return []
  const checks: TextFault[] = []
  const construct = findIcu(text)
  if (construct) checks.push({ is: 'icu', construct })
  if (textFault(text)) checks.push(textFault(text, true) ? { is: 'long', most: MAX_TEXT } : { is: 'unstorable' })
  // The server refuses it. Comparing this number of placeholders would delay each key press.
  if (source === undefined || longerThan(text, MAX_TEXT)) return checks
  const both = [source, withTexts(undefined, { [ending]: text })]
  const [due, has] = both.map(message => factsOf(partsOf(message), columns.interpolation)) as [Facts, Facts]
  for (const { kind, missing, extra } of problemsOf(due, has, rulesFor(columns, language))) {
    const refused = columns.checks?.[kind] === 'refuse' && { refused: true as const }
    if (missing.length > 0) checks.push({ is: 'missing', kind, what: missing, ...refused })
    if (extra.length > 0) checks.push({ is: 'extra', kind, what: extra, ...refused })
  }
  return checks
}

/** Whether the server refuses the text for it. */
export const isRefused = (fault: TextFault): boolean =>
  fault.is === 'missing' || fault.is === 'extra' ? fault.refused === true : true
