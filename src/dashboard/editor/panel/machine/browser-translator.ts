/** The browser's own translator (Chrome: https://developer.mozilla.org/docs/Web/API/Translator). No text leaves it. */

/** `unavailable` never translates the pair; `downloadable` and `downloading` need minutes and much memory first. */
type TranslatorAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

interface TranslatedPair {
  sourceLanguage: string
  targetLanguage: string
}

interface BrowserTranslator {
  availability: (pair: TranslatedPair) => Promise<TranslatorAvailability>
  create: (pair: TranslatedPair) => Promise<{ translate: (text: string) => Promise<string>; destroy?: () => void }>
}

const translator = (): BrowserTranslator | undefined => (globalThis as { Translator?: BrowserTranslator }).Translator

/** Whether the browser translates the pair; `unavailable` in other browsers. */
export async function availabilityOf(pair: TranslatedPair): Promise<TranslatorAvailability> {
  try {
    return (await translator()?.availability(pair)) ?? 'unavailable'
  } catch {
    return 'unavailable'
  }
}

/** Translates texts, one after the other. @throws what the browser throws */
export async function translateHere(pair: TranslatedPair, texts: readonly string[]): Promise<string[]> {
  const session = await translator()!.create(pair)
  try {
    const translated: string[] = []
    for (const text of texts) translated.push(await session.translate(text))
    return translated
  } finally {
    session.destroy?.()
  }
}
