/** A text as an app shows it, by i18next's own `t()`. */
import { createInstance } from 'i18next'
import { type Message, peel } from '../../../bundle/message.ts'
import type { Interpolation } from '../../../bundle/placeholders.ts'
import { textsOf, withTexts } from '../model/leaves.ts'
import type { LeafPlace } from '../model/rows.ts'

/** Finds a message; undefined where there is none. The text that is being typed belongs into it. */
export type Lookup = (language: string, namespace: string, key: string) => Message | undefined

/** A lookup with a text laid over it that is being typed; an empty one is none. */
export function withTyped(lookup: Lookup, typed: TypedText): Lookup {
  return (language, namespace, key) => {
    const message = lookup(language, namespace, key)
    if (language !== typed.language || namespace !== typed.namespace || key !== typed.key) return message
    return withTexts(message, { [typed.ending]: typed.text })
  }
}

/** A text or form that is being typed. */
export interface TypedText extends LeafPlace {
  text: string
}

/** The preview of a text. */
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
export interface Preview {
  text: string
  /** The language of the text: the source's if the language has none. If both have none, `text` is the key. */
  from: 'language' | 'source' | 'none'
  /** The error that the app would throw: an invalid format. */
  error?: string
}

/** See the top of the file. */
export function previewOf(previewed: Previewed): Preview {
  const { language, sourceLanguage, interpolation, namespace, key, lookup, values, ordinal } = previewed
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
    interpolation: { escapeValue: false, ...interpolation },
  })
  // Asked for each text that i18next looks for: nothing is copied of a bundle of ten thousand.
  const store = texts.store as unknown as Resources
  store.getResource = (language, namespace, name) => {
    // It asks whether there is such a namespace.
    if (name === undefined) return {}
    const colon = name.indexOf(':')
    const found = textAt(lookup, language, namespace, name)
    if (found !== undefined || colon < 1) return found
    return textAt(lookup, language, name.slice(0, colon), name.slice(colon + 1))
  }
  const options = { ...values, ...(ordinal && { ordinal }) }
  if (!texts.exists(key, options)) return { text: key, from: 'none' }
  try {
    const { usedLng } = texts.t(key, { ...options, returnDetails: true })
    return { text: texts.t(key, options), from: usedLng === language ? 'language' : 'source' }
  } catch (error) {
    return { text: '', from: 'language', error: error instanceof Error ? error.message : String(error) }
  }
}

/** The members of its store that i18next reads, beside those of its types. */
interface Resources {
  getResource(language: string, namespace: string, name?: string): unknown
}

/** The text of a leaf, by the name that i18next looks for: `item_one`. */
function textAt(lookup: Lookup, language: string, namespace: string, name: string): string | undefined {
  const { key } = peel(name)
  return textsOf(lookup(language, namespace, key))[name.slice(key.length)]
}
