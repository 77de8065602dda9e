/** The plural forms of a language by CLDR, and the forms for one number alone. */
import { FORMS, type Form, KINDS, type PluralKind } from './message.ts'

/** A set of forms: bit n is form n of {@link FORMS}. */
export type FormSet = number

export const bitOf = (form: Form): FormSet => 1 << FORMS.indexOf(form)

/** The plural rules of a language, as i18next goes by them. */
export class PluralRules {
  readonly #rules: Record<PluralKind, Intl.PluralRules>
  readonly #needed: Record<PluralKind, FormSet>
  readonly #single: Partial<Record<PluralKind, FormSet>> = {}
  readonly #singleBesideZero: Partial<Record<PluralKind, FormSet>> = {}
  readonly #usual: Partial<Record<PluralKind, FormSet>> = {}

  constructor(language: string) {
    const [cardinal, ordinal] = KINDS.map(type => new Intl.PluralRules(known(language), { type }))
    this.#rules = { cardinal: cardinal!, ordinal: ordinal! }
    this.#needed = { cardinal: formsOf(cardinal!), ordinal: formsOf(ordinal!) }
  }

  /** The forms that the language has. */
  needed(kind: PluralKind): FormSet {
    return this.#needed[kind]
  }

  /**
   * The forms of whole numbers below a thousand. A plural of the language has all of them: French `many` is for
   * millions, and few texts have it.
   */
  usual(kind: PluralKind): FormSet {
    this.#usual[kind] ??= COUNTED.reduce((set, number) => set | bitOf(this.formOf(kind, number)), 0)
    return this.#usual[kind]
  }

  /** The form of a number. */
  formOf(kind: PluralKind, number: number): Form {
    return this.#rules[kind].select(number)
  }

  /**
   * Whether exactly one whole number has this form, so that a text may name it without `{{count}}`.
   * @param hasZero whether the message has i18next's form for 0, which then is of no other form
   */
  isSingle(kind: PluralKind, form: Form, hasZero: boolean): boolean {
    const zeroApart = hasZero && kind === 'cardinal'
    const known = zeroApart ? this.#singleBesideZero : this.#single
    known[kind] ??= this.#findSingle(kind, zeroApart)
    return (known[kind] & bitOf(form)) !== 0
  }

  #findSingle(kind: PluralKind, zeroApart: boolean): FormSet {
    const isElsewhere = zeroApart && this.formOf(kind, 0) !== 'zero'
    const numbers = isElsewhere ? WHOLE_NUMBERS.slice(1) : WHOLE_NUMBERS
    const [seen, twice] = numbers.reduce<[FormSet, FormSet]>(
      ([seen, twice], number) => {
        const bit = bitOf(this.formOf(kind, number))
        return [seen | bit, twice | (seen & bit)]
      },
      [0, 0],
    )
    // i18next uses `_zero` for 0 in every language, with or without that form in its rules.
    const forZero = kind === 'cardinal' && (this.#needed[kind] & bitOf('zero')) === 0 ? bitOf('zero') : 0
    return (seen & ~twice) | forZero
  }
}

/** CLDR's rules for whole numbers look at their last two digits, and at millions. */
const COUNTED = Array.from({ length: 201 }, (_, number) => number)
const WHOLE_NUMBERS = [...COUNTED, 1_000_000, 2_000_000]

const formsOf = (rules: Intl.PluralRules): FormSet =>
  rules.resolvedOptions().pluralCategories.reduce((set, form) => set | bitOf(form), 0)

/** `Intl` replaces an unknown language by the machine's own. English is i18next's choice for `dev`. */
const known = (language: string) => (Intl.PluralRules.supportedLocalesOf(language).length > 0 ? language : 'en')

/** By language: ICU needs a tenth of a millisecond to create rules. */
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
