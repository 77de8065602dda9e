/** The matches that the panel lists, for the keys that insert them in a field. */
import type { LeafPlace } from '../../model/rows.ts'

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
