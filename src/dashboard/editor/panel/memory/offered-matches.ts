/** The matches that the panel lists, for the keys that insert them in a field. */

/** The field that they are for. */
export interface MatchPlace {
  language: string
  namespace: string
  key: string
  ending: string
}

let offered: { at: string; texts: readonly string[] } | undefined

const nameOf = ({ language, namespace, key, ending }: MatchPlace) => JSON.stringify([language, namespace, key, ending])

/** Offers texts for a field, the best one first. @returns withdraws them */
export function offerMatches(place: MatchPlace, texts: readonly string[]): () => void {
  const own = { at: nameOf(place), texts }
  offered = own
  return () => {
    if (offered === own) offered = undefined
  }
}

/** The text with this number, from 1; undefined where the panel lists none for the field. */
export const offeredMatch = (place: MatchPlace, number: number): string | undefined =>
  offered?.at === nameOf(place) ? offered.texts[number - 1] : undefined
