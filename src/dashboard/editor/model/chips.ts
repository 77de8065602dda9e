/** The placeholders of a source, to be put into its translation. */
import { type Interpolation, placedIn } from '../../../bundle/placeholders.ts'
import { MOST_CHARACTERS } from './heavy.ts'

/** Placeholders that are offered; the others of a source are typed or copied. */
export const MOST_CHIPS = 50

/** Each placeholder once, in the order of the source; the first {@link MOST_CHIPS} of them. */
export function chipsOf(source: string, interpolation?: Interpolation): string[] {
  const chips = new Set<string>()
  const head = source.slice(0, MOST_CHARACTERS)
  for (const { from, to } of placedIn(head, interpolation)) {
    if (chips.size === MOST_CHIPS) break
    chips.add(head.slice(from, to))
  }
  return [...chips]
}
