/** Apertium's `apertium-apy`: HTML, and its tags stay where they are. One text a request. */
import { z } from 'zod'
import { baseLanguage } from '../machine.ts'
import type { TranslationEngine } from '../translate-by-engine.ts'

const Answer = z.object({ responseData: z.object({ translatedText: z.string() }) })

export const apertium: TranslationEngine = {
  most: 1,
  style: {
    // Without content: Apertium would translate it.
    hold: id => `<img id="${id}"/>`,
    pair: id => [`<b id="${id}">`, '</b>'],
  },
  request: ({ url, key }, { texts, from, to }) => ({
    url: `${url}/translate`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(key && { authorization: `Bearer ${key()}` }) },
    body: new URLSearchParams({
      langpair: `${baseLanguage(from)}|${baseLanguage(to)}`,
      q: texts[0]!,
      format: 'html',
      // Unknown words would get an asterisk.
      markUnknown: 'no',
    }).toString(),
  }),
  read(json) {
    const text = Answer.safeParse(json).data?.responseData.translatedText
    return text === undefined ? undefined : [text]
  },
}
