/** A key's content (text, plural forms or both), and i18next's suffixes for forms. */

/** The CLDR plural categories, in CLDR's order. */
export const FORMS = ['zero', 'one', 'two', 'few', 'many', 'other'] as const
export type Form = (typeof FORMS)[number]

/** A form's CLDR plural rules: counting (`3 items`) or ranking (`3rd place`). */
export type PluralKind = 'cardinal' | 'ordinal'
export const KINDS = ['cardinal', 'ordinal'] as const

export type Forms = { [F in Form]?: string }

/** A message: a string for a text alone, otherwise its parts, forms in CLDR order. */
export type Message = string | { text?: string; cardinal?: Forms; ordinal?: Forms }

/** A resource's leaf by name: a key's text, or one of its forms. */
export type LeafName = { key: string; kind: 'text' } | { key: string; kind: PluralKind; form: Form }

const ORDINAL = '_ordinal'
const ENDINGS = new Set(FORMS.map(form => form.charCodeAt(form.length - 1)))
const isForm = (word: string): word is Form => (FORMS as readonly string[]).includes(word)

/**
 * Splits a leaf's name by suffix alone, as i18next does. Siblings and language do not matter. `item_one` is form `one`
 * of `item`, `place_ordinal_two` the ordinal form `two` of `place`. A suffix needs a name before it: `_one` is a key.
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

/** A quick check that spares most names the full one. */
export const mayBeForm = (name: string): boolean => ENDINGS.has(name.charCodeAt(name.length - 1)) && name.includes('_')

/** Whether a name is `…_ordinal` after something, and so of ordinal forms. */
export const endsOrdinal = (name: string): boolean => name.length > ORDINAL.length && name.endsWith(ORDINAL)

/** The key of ordinal forms that are named `…_ordinal`. */
export const withoutOrdinal = (name: string): string => name.slice(0, -ORDINAL.length)

/** i18next's suffix for a form: `_one`, `_ordinal_one`. */
export const suffix = (kind: PluralKind, form: Form): string => (kind === 'ordinal' ? `${ORDINAL}_${form}` : `_${form}`)

/** A leaf's name: the inverse of {@link peel}. */
export function join(leaf: LeafName): string {
  return leaf.kind === 'text' ? leaf.key : leaf.key + suffix(leaf.kind, leaf.form)
}

/** A key's content, in parts. */
export interface MessageParts {
  text: string | undefined
  cardinal: Forms | undefined
  ordinal: Forms | undefined
}

/** A message in parts; nothing has none. */
export function partsOf(message: Message | null | undefined): MessageParts {
  if (typeof message === 'object' && message !== null) {
    return { text: message.text, cardinal: message.cardinal, ordinal: message.ordinal }
  }
  return { text: message ?? undefined, cardinal: undefined, ordinal: undefined }
}

/** A key's leaves in order: each name's ending (nothing, `_one`…) and text. */
export function linesOf({ text, cardinal, ordinal }: MessageParts): [ending: string, text: string][] {
  const lines: [string, string][] = text === undefined ? [] : [['', text]]
  for (const [kind, forms] of [['cardinal', cardinal] as const, ['ordinal', ordinal] as const]) {
    if (!forms) continue
    for (const form of FORMS) if (forms[form] !== undefined) lines.push([suffix(kind, form), forms[form]])
  }
  return lines
}

/** A text or form that differs between two messages; undefined where it is absent. */
export interface ChangedText {
  /** Of its name: nothing of a text, `_few`, `_ordinal_few`. */
  ending: string
  before: string | undefined
  after: string | undefined
}

/** The differences between two states of a key. Of an added or removed key, all its texts. */
export function changedTexts(before: Message | null | undefined, after: Message | null | undefined): ChangedText[] {
  const [old, young] = [new Map(linesOf(partsOf(before))), new Map(linesOf(partsOf(after)))]
  return [...new Set([...old.keys(), ...young.keys()])]
    .map(ending => ({ ending, before: old.get(ending), after: young.get(ending) }))
    .filter(text => text.before !== text.after)
}

/** A key's parts as a message: new objects, forms in CLDR order. */
export function messageOf(parts: MessageParts): Message {
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
