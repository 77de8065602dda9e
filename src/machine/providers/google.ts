/** Google Cloud Translation (v2): HTML with elements that are not translated. */
import { z } from 'zod'
import { baseLanguage, scriptOfTag } from '../machine.ts'
import type { TranslationEngine } from '../translate-by-engine.ts'

const Answer = z.object({
  data: z.object({ translations: z.array(z.object({ translatedText: z.string() })) }),
})

/** Targets with a region of their own. */
const REGIONAL = new Set(['fr-CA', 'pt-PT'])

/** Chinese goes by its script, most languages without script and region. Norwegian is `no`. */
function codeOf(tag: string): string {
  const base = baseLanguage(tag)
  if (REGIONAL.has(tag)) return tag
  if (base !== 'zh') return base === 'nb' ? 'no' : base
  return scriptOfTag(tag) === 'Hant' ? 'zh-TW' : 'zh-CN'
}

export const google: TranslationEngine = {
  most: 100,
  style: {
    hold: (id, text) => `<span translate="no" id="${id}">${text}</span>`,
    pair: id => [`<a id="${id}">`, '</a>'],
  },
  request: ({ url, key }, { texts, from, to }) => ({
    url: `${url}/language/translate/v2`,
    // In the address the key would be in the logs of proxies.
    headers: { 'content-type': 'application/json', ...(key && { 'x-goog-api-key': key() }) },
    body: JSON.stringify({ q: texts, source: codeOf(from), target: codeOf(to), format: 'html' }),
  }),
  read: json => Answer.safeParse(json).data?.data.translations.map(({ translatedText }) => translatedText),
}
