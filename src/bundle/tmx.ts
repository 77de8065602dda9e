/** TMX 1.4b, the exchange format of translation memories: a header, units of a bundle, a footer. */
import { bundleIn } from './canonical.ts'
import { FORMS, type Forms, KINDS, type Message, partsOf, suffix } from './message.ts'

/** A bundle's translations to write. */
export interface TmxTask {
  /** The files, null where there is none. */
  source: Uint8Array | null
  target: Uint8Array | null
  from: string
  to: string
  project: string
  namespace: string
  /** Keys that have no unit. */
  without: readonly string[]
}

/** @param from the language of the sources */
export const tmxHead = (from: string, version: string): string =>
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4">\n' +
  `<header creationtool="Parlance" creationtoolversion="${xmlText(version)}" segtype="block" o-tmf="i18next JSON v4" ` +
  `adminlang="en" srclang="${xmlText(from)}" datatype="plaintext"/>\n<body>\n`

export const TMX_FOOT = '</body>\n</tmx>\n'

/** One unit for each text and each form of the translation. A form stands beside the source's same form or `other`. */
export function renderTmx({ source, target, from, to, project, namespace, without }: TmxTask): Buffer {
  const sources = new Map(
    bundleIn(source)
      .rows()
      .map(({ key, message }) => [key, message]),
  )
  const skipped = new Set(without)
  const units: string[] = []
  for (const { key, message } of bundleIn(target).rows()) {
    const original = skipped.has(key) ? undefined : sources.get(key)
    if (original === undefined) continue
    for (const [ending, sourceText, text] of pairsOf(original, message)) {
      units.push(
        `<tu tuid="${xmlText(`${project}/${namespace}/${key}${ending}`)}">\n` +
          `<prop type="x-project">${xmlText(project)}</prop><prop type="x-namespace">${xmlText(namespace)}</prop>` +
          `<prop type="x-key">${xmlText(key + ending)}</prop>\n` +
          `<tuv xml:lang="${xmlText(from)}"><seg>${xmlText(sourceText)}</seg></tuv>\n` +
          `<tuv xml:lang="${xmlText(to)}"><seg>${xmlText(text)}</seg></tuv>\n</tu>\n`,
      )
    }
  }
  return Buffer.from(units.join(''))
}

/** Filled texts of a message and its translation. */
function* pairsOf(source: Message, target: Message): Generator<[ending: string, source: string, target: string]> {
  const [from, to] = [partsOf(source), partsOf(target)]
  if (from.text && to.text) yield ['', from.text, to.text]
  for (const kind of KINDS) {
    const forms: Forms = from[kind] ?? {}
    for (const form of FORMS) {
      const [original, text] = [forms[form] ?? forms.other, to[kind]?.[form]]
      if (original && text) yield [suffix(kind, form), original, text]
    }
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' }

/** Characters that no XML 1.0 document may have (section 2.2), and surrogates without a partner. */
const FORBIDDEN = /(?![\t\n\r])\p{Cc}(?<![\u007f-\u009f])|[\ufffe\uffff]/gu

/** A text for an element or an attribute in quotes. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"\r]/g, sign => ENTITIES[sign]!)
