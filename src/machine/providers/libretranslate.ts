/** LibreTranslate: HTML with elements that are not translated. The key is a member of the body. */
import { z } from 'zod'
import { baseLanguage, scriptOfTag } from '../machine.ts'
import type { TranslationEngine } from '../translate-by-engine.ts'
import { google } from './google.ts'

const Answer = z.object({ translatedText: z.array(z.string()) })

/** Traditional Chinese and Brazilian Portuguese go by the names of their models, Norwegian is Bokmål. */
function codeOf(tag: string): string {
  const base = baseLanguage(tag)
  if (base === 'zh') return scriptOfTag(tag) === 'Hant' ? 'zt' : 'zh'
  if (tag.toLowerCase() === 'pt-br') return 'pb'
  return base === 'no' ? 'nb' : base
}

export const libretranslate: TranslationEngine = {
  most: 50,
  style: google.style,
  request: ({ url, key }, { texts, from, to }) => ({
    url: `${url}/translate`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      q: texts,
      source: codeOf(from),
      target: codeOf(to),
      format: 'html',
      ...(key && { api_key: key() }),
    }),
  }),
  read: json => Answer.safeParse(json).data?.translatedText,
}
