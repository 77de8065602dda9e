/** A message as the fields of the editor: its text and its plural forms, one text each, with their placeholders. */
import {
  FORMS,
  type Form,
  type Forms,
  KINDS,
  linesOf,
  type Message,
  messageOf,
  type PluralKind,
  partsOf,
  suffix,
} from '../../../bundle/message.ts'
import { INTERPOLATION, type Interpolation, placedIn } from '../../../bundle/placeholders.ts'
import { bitOf } from '../../../bundle/plural-rules.ts'
import { factsOf, neededForms, type RulesOfBoth } from '../../../bundle/status.ts'

/** A text or form; `ending` (``, `_one`, `_ordinal_few`) is what its name has behind the key. */
export type MessageLeaf = { ending: string; kind: 'text' } | { ending: string; kind: PluralKind; form: Form }

/** Texts by the ending of their leaf. */
export type LeafTexts = Readonly<Record<string, string>>

const TEXT: MessageLeaf = { ending: '', kind: 'text' }

/**
 * The fields for a message. A text field, if the source or the message has a text. For each kind of plural that one
 * of them has: the forms that the status requires, and further existing forms.
 */
export function leavesFor(
  source: Message | undefined,
  message: Message | undefined,
  rules: RulesOfBoth,
): MessageLeaf[] {
  const [model, own] = [partsOf(source), partsOf(message)]
  const { flags } = factsOf(model, rules.interpolation)
  const leaves: MessageLeaf[] = []
  for (const kind of KINDS) {
    if (!model[kind] && !own[kind]) continue
    const needed = model[kind] ? neededForms(flags, kind, rules) : rules.target.needed(kind)
    for (const form of FORMS) {
      // i18next uses `_zero` for 0 in every language, so a translator may write it if the source has it.
      const mayBe = form === 'zero' && kind === 'cardinal' && model[kind]?.zero !== undefined
      const has = (needed & bitOf(form)) !== 0 || own[kind]?.[form] !== undefined || mayBe
      if (has) leaves.push({ ending: suffix(kind, form), kind, form })
    }
  }
  const hasText = model.text !== undefined || own.text !== undefined || leaves.length === 0
  return hasText ? [TEXT, ...leaves] : leaves
}

/** The texts of a message by leaf; a missing text is absent. */
export const textsOf = (message: Message | undefined): LeafTexts => Object.fromEntries(linesOf(partsOf(message)))

/** The estimated number of lines that a message fills in the grid. */
export function linesIn(message: Message | undefined): number {
  if (message === undefined) return 1
  if (typeof message === 'string') return Math.max(1, Math.min(MOST_LINES, Math.ceil(message.length / LINE_LENGTH)))
  return Object.keys(textsOf(message)).length
}

/** Characters of a text in one line of a column. */
const LINE_LENGTH = 50
/** More lines are not counted. */
const MOST_LINES = 8

/** The source text for a leaf: the same form, else the most general form of its kind. */
export function modelText(source: Message | undefined, leaf: MessageLeaf): string {
  const parts = partsOf(source)
  if (leaf.kind === 'text' && parts.text !== undefined) return parts.text
  const kinds: readonly PluralKind[] = leaf.kind === 'text' ? KINDS : [leaf.kind]
  const forms = kinds.map(kind => parts[kind]).find(forms => forms !== undefined && Object.keys(forms).length > 0)
  if (leaf.kind !== 'text' && forms?.[leaf.form] !== undefined) return forms[leaf.form]!
  return forms?.[FORMS.findLast(form => forms[form] !== undefined)!] ?? parts.text ?? ''
}

/** A message with other texts over it. An empty text for a missing one adds nothing. */
export function withTexts(message: Message | undefined, texts: LeafTexts): Message | undefined {
  const { text, cardinal, ordinal } = partsOf(message)
  const parts: { text: string | undefined } & Record<PluralKind, Forms | undefined> = { text, cardinal, ordinal }
  for (const [ending, value] of Object.entries(texts)) {
    const leaf = leafAt(ending)
    if (leaf.kind === 'text') {
      if (value !== '' || parts.text !== undefined) parts.text = value
    } else if (value !== '' || parts[leaf.kind]?.[leaf.form] !== undefined) {
      parts[leaf.kind] = { ...parts[leaf.kind], [leaf.form]: value }
    }
  }
  return parts.text === undefined && !parts.cardinal && !parts.ordinal ? undefined : messageOf(parts)
}

const FORM_LEAVES = KINDS.flatMap(kind => FORMS.map(form => ({ ending: suffix(kind, form), kind, form })))
const LEAVES = new Map([TEXT, ...FORM_LEAVES].map(leaf => [leaf.ending, leaf]))

export const leafAt = (ending: string): MessageLeaf => LEAVES.get(ending)!

/** The writes that turn one message into another: names of the API with their values. */
export function writesFor(
  key: string,
  before: Message | undefined,
  after: Message | undefined,
): { name: string; value: string | Forms }[] {
  const [was, is] = [partsOf(before), partsOf(after)]
  return ([...KINDS, 'text'] as const).flatMap(part => {
    const value = is[part]
    if (value === undefined || same(value, was[part])) return []
    return [{ name: part === 'ordinal' ? `${key}_ordinal` : key, value }]
  })
}

/** Whether an existing message gained a text or a kind of plural; {@link writesFor} removes none. */
export function hasMore(before: Message | undefined, after: Message | undefined): boolean {
  const [was, is] = [partsOf(before), partsOf(after)]
  return before !== undefined && (['text', ...KINDS] as const).some(part => is[part] !== undefined && !was[part])
}

export const same = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** Maximum length of a text with highlights and preview. */
export const MOST_CHARACTERS = 20_000
/** Maximum number of placeholders and tags of a text with highlights and preview. */
export const MOST_PLACEHOLDERS = 200

/** The first characters of a placeholder or tag in every syntax. */
const BEGINS = /\$t\(|</g

/** Whether a text is longer than that, or has more placeholders and tags. */
export function isHeavy(text: string, { prefix, suffix }: Interpolation = INTERPOLATION): boolean {
  if (text.length > MOST_CHARACTERS) return true
  let count = 0
  for (const _ of text.matchAll(BEGINS)) if (++count > MOST_PLACEHOLDERS) return true
  for (let at = text.indexOf(prefix); at !== -1; at = text.indexOf(prefix, at)) {
    if (++count > MOST_PLACEHOLDERS) return true
    at += prefix.length
    // The next prefix is behind the suffix where both are the same.
    if (prefix === suffix) at = Math.max(at, text.indexOf(suffix, at) + suffix.length)
  }
  return false
}

/** Placeholders that are offered; the others of a source are typed or copied. */
export const MOST_CHIPS = 50

/** Each placeholder once, in the order of the source; the first {@link MOST_CHIPS} of them. */
export function chipsOf(source: string, interpolation?: Interpolation): string[] {
  const chips = new Set<string>()
  const head = source.slice(0, MOST_CHARACTERS)
  for (const { from, to } of placedIn(head, interpolation)) {
    if (chips.size === MOST_CHIPS) break
    chips.add(head.slice(from, to))
  }
  return [...chips]
}
