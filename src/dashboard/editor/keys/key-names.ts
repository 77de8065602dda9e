/** The names of a key that is about to be: of its forms and variants, and those that they would break. */
import { FORMS, type Form, join, KINDS, linesOf, type PluralKind, partsOf, peel } from '../../../bundle/message.ts'
import { placeByName } from '../../../bundle/place.ts'
import { bitOf, pluralRules } from '../../../bundle/plural-rules.ts'
import type { EditorRow } from '../model/rows.ts'

export interface NewKey {
  name: string
  kind: 'text' | PluralKind
  /** i18next's contexts: `male` adds `name_male` beside `name`. */
  contexts: readonly string[]
}

export const KINDS_OF_KEY: readonly NewKey['kind'][] = ['text', ...KINDS]

/** A text of the new key: its name in the resource, its key, and its form. */
interface NewText {
  name: string
  key: string
  context: string
  form?: Form
}

/** The values between commas or spaces, without duplicates. */
export const contextsIn = (typed: string): string[] => [...new Set(typed.split(/[\s,،、]+/u).filter(Boolean))]

/** The texts of a key in a language (BCP 47), those without a context first. */
export function slotsOf({ name, kind, contexts }: NewKey, language: string): NewText[] {
  const needed = kind === 'text' ? 0 : pluralRules(language).needed(kind)
  const forms = FORMS.filter(form => (needed & bitOf(form)) !== 0)
  return ['', ...contexts].flatMap((context): NewText[] => {
    const key = context === '' ? name : `${name}_${context}`
    if (kind === 'text') return [{ name: key, key, context }]
    return forms.map(form => ({ name: join({ key, kind, form }), key, context, form }))
  })
}

/**
 * A name that would be read as something else: `item_one` is a form of `item`.
 * @returns the key that has it as a form
 */
export function formNamed({ name, kind, contexts }: NewKey): string | undefined {
  for (const key of [name, ...contexts.map(context => `${name}_${context}`)]) {
    const read = peel(kind === 'text' ? key : join({ key, kind, form: 'other' }))
    if (read.key !== key) return read.key
  }
  return undefined
}

type Present = Pick<EditorRow, 'key' | 'source'>

/** The names of a key's text and forms: `item`, `item_one`. A key that the source lacks counts as a text. */
export const namesOf = ({ key, source }: Present): string[] =>
  source === undefined ? [key] : linesOf(partsOf(source)).map(([ending]) => key + ending)

/**
 * The first key of a nested namespace that is in the way of new texts and forms: above one (`order` of `order.title`),
 * or below. The server would store both, one with a dot in its name. An app that reads `order` as an object would then
 * find a text.
 */
export function crossing(
  names: readonly string[],
  present: readonly Present[],
): { is: 'above' | 'below'; key: string } | undefined {
  const above = new Set(names.flatMap(prefixesOf))
  for (const one of present) {
    for (const name of namesOf(one)) {
      if (above.has(name)) return { is: 'above', key: name }
      if (names.some(made => name.startsWith(`${made}.`) && prefixesOf(name).includes(made))) {
        return { is: 'below', key: one.key }
      }
    }
  }
  return undefined
}

/** The names of the objects that a name nests in. A sentence with dots nests in none. */
function prefixesOf(name: string): string[] {
  const place = placeByName(name)
  return place.slice(1).map((_, at) => place.slice(0, at + 1).join('.'))
}
