/** What a key holds: a text, plural forms, or both; and how i18next's suffixes name the forms. */

/** The CLDR plural categories, in CLDR's order. */
export const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'] as const
export type Form = (typeof FORMS)[number]

/** Which of the two CLDR plural rule sets a form belongs to: counting (`3 items`) or ranking (`3rd place`). */
export type Kind = 'cardinal' | 'ordinal'
export const KINDS = ['cardinal', 'ordinal'] as const

export type Forms = { [F in Form]?: string }

/** The model's message: a string when there is only a text, otherwise its parts; forms stand in CLDR order. */
export type Message = string | { text?: string; cardinal?: Forms; ordinal?: Forms }

/** A leaf of a resource by its name: the text of a key, or one form of it. */
export type LeafName = { key: string; kind: 'text' } | { key: string; kind: Kind; form: Form }

const ORDINAL = '_ordinal'
const ENDINGS = new Set(FORMS.map(form => form.charCodeAt(form.length - 1)))
const isForm = (word: string): word is Form => (FORMS as readonly string[]).includes(word)

/**
 * Splits a leaf's name into its key and what it is of that key, by the suffix alone: `item_one` is form `one` of
 * `item`, `place_ordinal_two` the ordinal form `two` of `place`. i18next concatenates these suffixes and never looks
 * at siblings or language, so neither does this. A suffix with nothing before it is no suffix: `_one` is a key.
 */
export function peel(name: string): LeafName {
  const cut = mayBeForm(name) ? name.lastIndexOf('_') : -1
  if (cut <= 0) return { key: name, kind: 'text' }
  const form = name.slice(cut + 1)
  if (!isForm(form)) return { key: name, kind: 'text' }
  const base = name.slice(0, cut)
  if (endsOrdinal(base)) return { key: base.slice(0, -ORDINAL.length), kind: 'ordinal', form }
  return { key: base, kind: 'cardinal', form }
}

/** Whether a name can be that of a form at all; a glance that spares most names the full look. */
export const mayBeForm = (name: string): boolean => ENDINGS.has(name.charCodeAt(name.length - 1)) && name.includes('_')

/** Whether a name is `…_ordinal` with something before it: then its forms are the ordinal forms of that. */
export const endsOrdinal = (name: string): boolean => name.length > ORDINAL.length && name.endsWith(ORDINAL)

/** The key whose ordinal forms stand under the name `…_ordinal`. */
export const withoutOrdinal = (name: string): string => name.slice(0, -ORDINAL.length)

/** The suffix i18next puts behind a key for one of its forms: `_one`, `_ordinal_one`. */
export const suffix = (kind: Kind, form: Form): string => (kind === 'ordinal' ? `${ORDINAL}_${form}` : `_${form}`)

/** The name of a leaf: the inverse of {@link peel}. */
export function join(leaf: LeafName): string {
  return leaf.kind === 'text' ? leaf.key : leaf.key + suffix(leaf.kind, leaf.form)
}

/** What a key holds, in parts. */
export interface Parts {
  text: string | undefined
  cardinal: Forms | undefined
  ordinal: Forms | undefined
}

/** The leaves of a key in the order of its lines: what the name of each ends in (nothing, `_one`…), and its text. */
export function linesOf({ text, cardinal, ordinal }: Parts): [ending: string, text: string][] {
  const lines: [string, string][] = text === undefined ? [] : [['', text]]
  for (const [kind, forms] of [['cardinal', cardinal] as const, ['ordinal', ordinal] as const]) {
    if (!forms) continue
    for (const form of FORMS) if (forms[form] !== undefined) lines.push([suffix(kind, form), forms[form]])
  }
  return lines
}

/** The parts of a key as the model shows them: new objects, forms in CLDR order. */
export function messageOf(parts: Parts): Message {
  if (parts.text !== undefined && !parts.cardinal && !parts.ordinal) return parts.text
  return {
    ...(parts.text !== undefined && { text: parts.text }),
    ...(parts.cardinal && { cardinal: inOrder(parts.cardinal) }),
    ...(parts.ordinal && { ordinal: inOrder(parts.ordinal) }),
  }
}

function inOrder(forms: Forms): Forms {
  const ordered: Forms = {}
  for (const form of FORMS) if (forms[form] !== undefined) ordered[form] = forms[form]
  return ordered
}
