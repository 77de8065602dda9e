/** Which numbers a plural form is for, by CLDR as browsers know it. */
import { FORMS, type Form, type PluralKind } from '../../../bundle/message.ts'
import { bitOf, pluralRules } from '../../../bundle/plural-rules.ts'

/** A form of a language with numbers that have it. */
interface FormExamples {
  form: Form
  /** Whole ones, as long as there are any; else fractions. The smallest first. */
  numbers: number[]
  more: boolean
}

/** CLDR's rules look at the last two digits, at millions, and at fractions. */
const WHOLE = [...Array.from({ length: 201 }, (_, number) => number), 1_000_000]
const FRACTIONS = [0.5, 1.5]
const SHOWN = 4

/**
 * The forms that a language has, in CLDR's order.
 * @param language BCP 47
 * @param hasZero whether 0 has a text of its own, which i18next prefers to that of CLDR's form
 */
export function examplesOf(language: string, kind: PluralKind, hasZero = false): FormExamples[] {
  const rules = pluralRules(language)
  const needed = FORMS.filter(form => (rules.needed(kind) & bitOf(form)) !== 0)
  return needed.map(form => {
    const having = (numbers: readonly number[]) =>
      numbers.filter(number => rules.formOf(kind, number) === form && (number !== 0 || !hasZero || form === 'zero'))
    const whole = having(WHOLE)
    const numbers = whole.length > 0 ? whole : having(FRACTIONS)
    const isSingle = rules.isSingle(kind, form, hasZero)
    return { form, numbers: numbers.slice(0, SHOWN), more: !isSingle && numbers.length > SHOWN }
  })
}

/** Numbers of an existing form, even if its language lacks it: i18next uses `_zero` for 0 everywhere. */
export function examplesOfForm(language: string, kind: PluralKind, form: Form, hasZero = false): FormExamples {
  const known = examplesOf(language, kind, hasZero && kind === 'cardinal').find(examples => examples.form === form)
  return known ?? { form, numbers: form === 'zero' && kind === 'cardinal' ? [0] : [], more: false }
}
