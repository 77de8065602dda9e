/** DeepL: XML with a tag that protects its content. */
import { z } from 'zod'
import { baseLanguage, scriptOfTag } from '../machine.ts'
import type { TranslationEngine } from '../translate-by-engine.ts'

const Answer = z.object({ translations: z.array(z.object({ text: z.string() })) })

/** Targets with a region or a script of their own. Others go by their language alone. */
const REGIONAL = new Set(['EN-GB', 'EN-US', 'ES-419', 'PT-BR', 'PT-PT'])
/** DeepL refuses these languages as targets without a region. */
const USUAL: Record<string, string> = { EN: 'EN-US', PT: 'PT-PT' }

/** `no` means Bokmål, which DeepL has by its own code. */
const baseOf = (tag: string): string => baseLanguage(tag).toUpperCase().replace(/^NO$/, 'NB')

function targetOf(tag: string): string {
  const upper = tag.toUpperCase()
  const base = baseOf(tag)
  if (base === 'ZH' && upper !== base) return scriptOfTag(tag) === 'Hant' ? 'ZH-HANT' : 'ZH-HANS'
  return REGIONAL.has(upper) ? upper : (USUAL[base] ?? base)
}

export const deepl: TranslationEngine = {
  most: 50,
  style: {
    hold: (id, text) => `<x id="${id}">${text}</x>`,
    pair: id => [`<g id="${id}">`, '</g>'],
  },
  request: ({ url, key }, { texts, from, to, context }) => ({
    url: `${url}/v2/translate`,
    headers: { 'content-type': 'application/json', ...(key && { authorization: `DeepL-Auth-Key ${key()}` }) },
    body: JSON.stringify({
      text: texts,
      source_lang: baseOf(from),
      target_lang: targetOf(to),
      tag_handling: 'xml',
      tag_handling_version: 'v2',
      ignore_tags: ['x'],
      ...(context !== undefined && { context }),
    }),
  }),
  read: json => Answer.safeParse(json).data?.translations.map(({ text }) => text),
}
