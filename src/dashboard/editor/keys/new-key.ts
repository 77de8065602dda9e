/** The texts of a key that is about to be: one, or one for each plural form, with variants by context. */
import { FORMS, type Form, join, KINDS, type LeafName, type PluralKind, peel } from '../../../bundle/message.ts'
import { bitOf, pluralRules } from '../../../bundle/plural-rules.ts'

/** The key that the user wants to create. */
export interface NewKey {
  name: string
  kind: 'text' | PluralKind
  /** i18next's contexts: `male` adds `name_male` beside `name`. */
  contexts: readonly string[]
}

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
    return forms.map(form => {
      const leaf: LeafName = { key, kind, form }
      return { name: join(leaf), key, context, form }
    })
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

/** The kinds in the order of the select. */
export const KINDS_OF_KEY: readonly NewKey['kind'][] = ['text', ...KINDS]
