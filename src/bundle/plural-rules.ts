/** Which plural forms a language has, by CLDR, and which of them stand for one number alone. */
import { FORMS, type Form, KINDS, type Kind } from './message.ts'

/** A set of forms: bit n is form n of {@link FORMS}. */
export type FormSet = number

export const bitOf = (form: Form): FormSet => 1 << FORMS.indexOf(form)

/** The plural rules of a language, as i18next goes by them. */
export class PluralRules {
  readonly #rules: Record<Kind, Intl.PluralRules>
  readonly #needed: Record<Kind, FormSet>
  readonly #single: Partial<Record<Kind, FormSet>> = {}

  constructor(language: string) {
    const [cardinal, ordinal] = KINDS.map(type => new Intl.PluralRules(known(language), { type }))
    this.#rules = { cardinal: cardinal!, ordinal: ordinal! }
    this.#needed = { cardinal: formsOf(cardinal!), ordinal: formsOf(ordinal!) }
  }

  /** The forms that the language has. */
  needed(kind: Kind): FormSet {
    return this.#needed[kind]
  }

  /** The form of a number. */
  formOf(kind: Kind, number: number): Form {
    return this.#rules[kind].select(number)
  }

  /** Whether exactly one whole number has this form, so that a text may name it without `{{count}}`. */
  isSingle(kind: Kind, form: Form): boolean {
    this.#single[kind] ??= this.#findSingle(kind)
    return (this.#single[kind] & bitOf(form)) !== 0
  }

  #findSingle(kind: Kind): FormSet {
    const [seen, twice] = WHOLE_NUMBERS.reduce<[FormSet, FormSet]>(
      ([seen, twice], number) => {
        const bit = bitOf(this.formOf(kind, number))
        return [seen | bit, twice | (seen & bit)]
      },
      [0, 0],
    )
    // i18next takes `_zero` for 0 in every language, whether its rules have that form or not.
    const forZero = kind === 'cardinal' && (this.#needed[kind] & bitOf('zero')) === 0 ? bitOf('zero') : 0
    return (seen & ~twice) | forZero
  }
}

/** CLDR's rules for whole numbers look at their last two digits, and at millions. */
const WHOLE_NUMBERS = [...Array.from({ length: 201 }, (_, number) => number), 1_000_000, 2_000_000]

const formsOf = (rules: Intl.PluralRules): FormSet =>
  rules.resolvedOptions().pluralCategories.reduce((set, form) => set | bitOf(form), 0)

/** `Intl` takes the machine's own language for one that it does not know; English is i18next's choice for `dev`. */
const known = (language: string) => (Intl.PluralRules.supportedLocalesOf(language).length > 0 ? language : 'en')

/** By language: making rules takes ICU a tenth of a millisecond. */
const made = new Map<string, PluralRules>()
const MOST_MADE = 1000

/** The rules of a language, by its tag. */
export function pluralRules(language: string): PluralRules {
  let rules = made.get(language)
  if (rules === undefined) {
    rules = new PluralRules(language)
    if (made.size >= MOST_MADE) made.clear()
    made.set(language, rules)
  }
  return rules
}
