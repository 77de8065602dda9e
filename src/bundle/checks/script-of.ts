/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr'])
/** Scripts without spaces between words. */
const WITHOUT_SPACES = new Set(['Hans', 'Hant', 'Jpan', 'Thai', 'Laoo', 'Khmr', 'Mymr', 'Tibt'])

/** What a check needs to know of the script that a language is usually written in. */
export interface ScriptTraits {
  rightToLeft: boolean
  withoutSpaces: boolean
}

/** @param language BCP 47; an unknown one has neither trait */
export function scriptOf(language: string): ScriptTraits {
  const { script = '' } = new Intl.Locale(language).maximize()
  return { rightToLeft: RIGHT_TO_LEFT.has(script), withoutSpaces: WITHOUT_SPACES.has(script) }
}
