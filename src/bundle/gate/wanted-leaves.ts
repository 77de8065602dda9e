/** The texts and forms that a translation of a message needs, each with what it translates. */
import type { MessageLeafName } from '../checks/different-placeholders.ts'
import { FORMS, type Form, type Forms, KINDS, type Message, messageOf, type PluralKind, partsOf } from '../message.ts'
import { COUNT, placeholdersOf } from '../placeholders.ts'
import { bitOf } from '../plural-rules.ts'
import { type Facts, factsOf, formName, formsIn, neededForms, type RulesOfBoth, TEXT } from '../status.ts'

/** A text or form that a translator is asked for. */
export interface WantedLeaf {
  leaf: MessageLeafName
  /** `text`, or the form as problems name it: `few`, `ordinal_few`. */
  name: string
  /** The text or form of the source for the same numbers. */
  source: string
  /** Numbers that have this form; none of a text, and of names that only end like forms. */
  examples: readonly number[]
}

/** Example numbers of a form. */
const MOST_EXAMPLES = 4
/** Whole numbers first: a fraction is for forms without any, such as Polish `other`. */
const CANDIDATES = [...Array.from({ length: 201 }, (_, number) => number), 1_000_000, 1.5]

/** In CLDR's order. i18next's `_zero` is wanted where the source has it. */
export function wantedLeaves(message: Message, rules: RulesOfBoth): WantedLeaf[] {
  const facts = factsOf(partsOf(message), rules.interpolation)
  const wanted: WantedLeaf[] = []
  if ((facts.flags & TEXT) !== 0) {
    wanted.push({ leaf: undefined, name: 'text', source: facts.parts.text!, examples: [] })
  }
  for (const kind of KINDS) {
    const own = formsIn(facts.flags, kind)
    if (own === 0) continue
    const zero = kind === 'cardinal' ? own & bitOf('zero') : 0
    const needed = neededForms(facts.flags, kind, rules) | zero
    for (const form of FORMS.filter(form => (needed & bitOf(form)) !== 0)) {
      const isCounted = needed !== own || needed === (rules.target.needed(kind) | zero)
      const examples = isCounted ? examplesOf(kind, form, rules, zero !== 0) : []
      const source = modelOf(facts, [kind, form], rules, examples[0])
      wanted.push({ leaf: [kind, form], name: formName(kind, form), source, examples })
    }
  }
  return wanted
}

function examplesOf(kind: PluralKind, form: Form, { target }: RulesOfBoth, hasZero: boolean): number[] {
  if (hasZero && form === 'zero') return [0]
  const found = CANDIDATES.filter(number => !(hasZero && number === 0) && target.formOf(kind, number) === form)
  return found.slice(0, MOST_EXAMPLES)
}

/** A form that says one number in words is no model for a form of several numbers. */
function modelOf(
  { parts }: Facts,
  [kind, form]: NonNullable<MessageLeafName>,
  rules: RulesOfBoth,
  example: number | undefined,
): string {
  const forms = parts[kind]!
  const general = forms.other ?? FORMS.flatMap(one => forms[one] ?? []).at(-1)!
  const there = example === undefined ? undefined : rules.source.formOf(kind, example)
  const model = (example === 0 && forms.zero) || (there && forms[there]) || forms[form] || general
  const hasZero = forms.zero !== undefined
  const saysNumber = (text: string) => placeholdersOf(text, rules.interpolation).includes(COUNT)
  return !saysNumber(model) && saysNumber(general) && !rules.target.isSingle(kind, form, hasZero) ? general : model
}

/** Characters to translate. */
export const charactersOf = (wanted: readonly WantedLeaf[]): number =>
  wanted.reduce((sum, { source }) => sum + source.length, 0)

/** A message of some texts by the names of {@link WantedLeaf}; names that no message has are ignored. */
export function messageFrom(texts: ReadonlyMap<string, string>): Message {
  const formsOf = (kind: PluralKind): Forms | undefined => {
    const forms = FORMS.flatMap(form => {
      const text = texts.get(formName(kind, form))
      return text === undefined ? [] : [[form, text] as const]
    })
    return forms.length === 0 ? undefined : Object.fromEntries(forms)
  }
  return messageOf({ text: texts.get('text'), cardinal: formsOf('cardinal'), ordinal: formsOf('ordinal') })
}
