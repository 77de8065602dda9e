/** The placeholders of a source, to be put into its translation. */
import { placedIn } from '../../../bundle/placeholders.ts'

/** Each once, as it stands in the source, in its order. */
export const chipsOf = (source: string): string[] => [
  ...new Set(placedIn(source).map(({ from, to }) => source.slice(from, to))),
]
