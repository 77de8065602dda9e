/** The order of the review queue. Pure. */
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { placedIn } from '../../bundle/placeholders.ts'
import type { SuggestionRow } from '../api/late-client.ts'

/** Characters of a text. As many or more count as long. */
const LONG = 200

/** Whether each reason for attention applies, the most urgent reason first. */
function reasonsOf({ by, fits, problems, message }: SuggestionRow) {
  const texts = linesOf(partsOf(message as Message)).map(([, text]) => text)
  return {
    machine: typeof by === 'string',
    source: !fits,
    problems: problems.length > 0,
    placeholders: texts.some(text => placedIn(text).length > 0),
    long: texts.some(text => text.length >= LONG),
  }
}

/** Why a suggestion needs attention, the most urgent reason first. */
export const risksOf = (row: SuggestionRow): string[] =>
  Object.entries(reasonsOf(row)).flatMap(([risk, applies]) => (applies ? risk : []))

/** A number that is larger the more urgent the reasons are: each outweighs all after it. */
const weightOf = (row: SuggestionRow) =>
  Object.values(reasonsOf(row)).reduce((sum, applies) => 2 * sum + Number(applies), 0)

/** The riskiest first; of equal risk the oldest. */
export const orderByRisk = (rows: readonly SuggestionRow[]): SuggestionRow[] =>
  rows
    .map(row => ({ row, weight: weightOf(row) }))
    .sort((one, other) => other.weight - one.weight || (one.row.at < other.row.at ? -1 : 1))
    .map(({ row }) => row)
