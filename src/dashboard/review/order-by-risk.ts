/** The order of the review queue. Pure. */
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { placedIn } from '../../bundle/placeholders.ts'
import type { SuggestionRow } from '../api/late-client.ts'

/** Why a suggestion needs attention, the most urgent reason first. */
export const RISKS = ['machine', 'source', 'problems', 'placeholders', 'long'] as const

/** One of {@link RISKS}. */
export type Risk = (typeof RISKS)[number]

/** Characters of a text. As many or more count as long. */
const LONG = 200

const textsIn = (message: Message): string[] => linesOf(partsOf(message)).map(([, text]) => text)

/** The reasons of one suggestion, in the order of {@link RISKS}. */
export function risksOf({ by, fits, problems, message }: SuggestionRow): Risk[] {
  const texts = textsIn(message as Message)
  const has: Record<Risk, boolean> = {
    machine: typeof by === 'string',
    source: !fits,
    problems: problems.length > 0,
    placeholders: texts.some(text => placedIn(text).length > 0),
    long: texts.some(text => text.length >= LONG),
  }
  return RISKS.filter(risk => has[risk])
}

/** A number that is larger the more urgent the reasons are: each outweighs all after it. */
const weightOf = (row: SuggestionRow) => risksOf(row).reduce((sum, risk) => sum + 2 ** -RISKS.indexOf(risk), 0)

/** The riskiest first; of equal risk the oldest. */
export function orderByRisk(rows: readonly SuggestionRow[]): SuggestionRow[] {
  return rows
    .map(row => ({ row, weight: weightOf(row) }))
    .sort((one, other) => other.weight - one.weight || (one.row.at < other.row.at ? -1 : 1))
    .map(({ row }) => row)
}
