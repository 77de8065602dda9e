/** A text as an app shows it: by i18next's own `t()`, with the elements that react-i18next renders. */
import { createInstance } from 'i18next'
import { type Message, peel } from '../../../bundle/message.ts'
import type { Interpolation } from '../../../bundle/placeholders.ts'
import { textsOf, withTexts } from '../model/leaves.ts'
import type { LeafPlace } from '../model/rows.ts'

/** Finds a message; undefined where there is none. The text that is being typed belongs into it. */
export type Lookup = (language: string, namespace: string, key: string) => Message | undefined

/** A text or form that is being typed. */
export interface TypedText extends LeafPlace {
  text: string
}

/** A lookup with a typed text laid over it; an empty one is none. */
export function withTyped(lookup: Lookup, typed: TypedText): Lookup {
  return (language, namespace, key) => {
    const message = lookup(language, namespace, key)
    if (language !== typed.language || namespace !== typed.namespace || key !== typed.key) return message
    return withTexts(message, { [typed.ending]: typed.text })
  }
}

interface Previewed {
  language: string
  /** The origin of a text that the language lacks. */
  sourceLanguage: string
  /** Of the project, where it has its own. */
  interpolation?: Interpolation | undefined
  namespace: string
  /** With its context, without a form: `friend_male`. */
  key: string
  lookup: Lookup
  /** By name, `count` among them for a plural. */
  values: Readonly<Record<string, unknown>>
  ordinal?: boolean
}

/** The result of `t()`. */
interface Preview {
  text: string
  /** The language of the text: the source's if the language has none. If both have none, `text` is the key. */
  from: 'language' | 'source' | 'none'
  /** The error that the app would throw: an invalid format. */
  error?: string
}

/** Texts of another namespace are found by their full name. */
export function previewOf({ language, sourceLanguage, namespace, key, lookup, values, ...given }: Previewed): Preview {
  const texts = createInstance()
  texts.init({
    lng: language,
    fallbackLng: sourceLanguage,
    ns: [namespace],
    defaultNS: namespace,
    resources: {},
    initAsync: false,
    keySeparator: false,
    // Keys may contain colons; `getResource` resolves texts of another namespace.
    nsSeparator: false,
    returnEmptyString: false,
    interpolation: { escapeValue: false, ...given.interpolation },
  })
  // Asked for each text that i18next looks for: nothing is copied of a bundle of ten thousand.
  const getResource = (language: string, namespace: string, name?: string) => {
    // It asks whether there is such a namespace.
    if (name === undefined) return {}
    const colon = name.indexOf(':')
    const found = textAt(lookup, language, namespace, name)
    if (found !== undefined || colon < 1) return found
    return textAt(lookup, language, name.slice(0, colon), name.slice(colon + 1))
  }
  Object.assign(texts.store, { getResource })
  const options = { ...values, ...(given.ordinal && { ordinal: true }) }
  if (!texts.exists(key, options)) return { text: key, from: 'none' }
  try {
    const { usedLng } = texts.t(key, { ...options, returnDetails: true })
    return { text: texts.t(key, options), from: usedLng === language ? 'language' : 'source' }
  } catch (error) {
    return { text: '', from: 'language', error: error instanceof Error ? error.message : String(error) }
  }
}

/** The text of a leaf, by the name that i18next looks for: `item_one`. */
function textAt(lookup: Lookup, language: string, namespace: string, name: string): string | undefined {
  const { key } = peel(name)
  return textsOf(lookup(language, namespace, key))[name.slice(key.length)]
}

/** Words, or an element with its content. `from` is where it begins, in code units. */
export type RichNode = { from: number } & ({ text: string } | { tag: string; children: RichNode[] })

const TAG = /<(\/?)([A-Za-z0-9][\w.-]*)(?:\s[^<>]*?)?\s*(\/?)>/g
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'wbr'])

/** Splits a text at its tags. A tag without its other half is words. */
export function richText(text: string): RichNode[] {
  const root: RichNode[] = []
  const open: { from: number; tag: string; source: string; children: RichNode[] }[] = []
  const here = () => open.at(-1)?.children ?? root
  /** The innermost open tag has no end, so it is words. */
  const spill = () => {
    const { from, source, children } = open.pop()!
    here().push({ from, text: source }, ...children)
  }
  let at = 0
  for (const { 0: source, 1: ends, 2: tag = '', 3: closes, index: from } of text.matchAll(TAG)) {
    if (from > at) here().push({ from: at, text: text.slice(at, from) })
    at = from + source.length
    if (closes || VOID.has(tag)) here().push({ from, tag, children: [] })
    else if (!ends) open.push({ from, tag, source, children: [] })
    else if (!open.some(one => one.tag === tag)) here().push({ from, text: source })
    else {
      while (open.at(-1)!.tag !== tag) spill()
      const { from, children } = open.pop()!
      here().push({ from, tag, children })
    }
  }
  if (at < text.length) here().push({ from: at, text: text.slice(at) })
  while (open.length > 0) spill()
  return root
}
