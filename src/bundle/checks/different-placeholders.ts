/** The placeholders that differ between a translation and its source. */
import { type Form, type PluralKind, suffix } from '../message.ts'
import { COUNT, inSyntax, isMarkup, kindOf } from '../placeholders.ts'
import { bitOf, type PluralRules } from '../plural-rules.ts'
import { type Facts, formName, formsIn, type RulesOfBoth, type TextProblem } from '../status.ts'

/** A form, or undefined for the text. */
export type MessageLeafName = [kind: PluralKind, form: Form] | undefined

/**
 * Compares a message's texts and forms. `{{count}}` is optional in a form for one number: English may say "one item",
 * but Russian's `one`, which is for 21 too, needs the number. Words in angle brackets that are no markup are not
 * compared.
 */
export class DifferentPlaceholders {
  readonly #wanted: PlacedByLeaf
  readonly #has: PlacedByLeaf
  readonly #rules: RulesOfBoth

  constructor(source: Facts, target: Facts, rules: RulesOfBoth) {
    this.#wanted = new PlacedByLeaf(source)
    this.#has = new PlacedByLeaf(target)
    this.#rules = rules
  }

  /** The problems of one text or form. @param model what it is a translation of */
  at(leaf: MessageLeafName, model: MessageLeafName): TextProblem[] {
    const { interpolation, checks, target } = this.#rules
    const [wanted, has] = [this.#wanted, this.#has]
    const there = has.at(leaf).filter(wanted.isHeld)
    const due = wanted.at(model).filter(wanted.isHeld)
    const number = leaf && model && has.isSingle(leaf, target) ? wanted.numberIn(due) : undefined
    const missing = without(due, there).filter(one => one !== number)
    const extra = without(there, due)
    const counts = { there: there.includes(COUNT), due: this.#isCountDue(leaf, model, due) }
    if (counts.due === true && !counts.there) missing.unshift(COUNT)
    if (counts.due === false && counts.there) extra.unshift(COUNT)
    const problems: TextProblem[] = []
    for (const kind of ['interpolation', 'nesting', 'tag'] as const) {
      if (checks?.[kind] === 'off') continue
      const [lacks, adds] = [missing, extra].map(all => {
        const these = all.filter(one => kindOf(one) === kind)
        return interpolation ? these.map(one => inSyntax(one, interpolation)) : these
      }) as [string[], string[]]
      if (lacks.length + adds.length === 0) continue
      problems.push({ ...(leaf && { form: formName(...leaf) }), kind, missing: lacks, extra: adds })
    }
    return problems
  }

  /** @returns undefined where `{{count}}` may be there or not */
  #isCountDue(leaf: MessageLeafName, model: MessageLeafName, due: readonly string[]): boolean | undefined {
    const { source, target } = this.#rules
    if (!this.#wanted.counts || leaf === undefined) return due.includes(COUNT)
    if (this.#has.isSingle(leaf, target)) return undefined
    return due.includes(COUNT) || (model !== undefined && this.#wanted.isSingle(model, source)) || undefined
  }
}

/** Number of placeholders above which a set is faster than a list. */
const MANY = 16

/** Those, but `{{count}}`, that the others lack: one text may hold ten thousand. */
function without(placeholders: readonly string[], others: readonly string[]): string[] {
  const known = others.length < MANY ? undefined : new Set(others)
  return placeholders.filter(one => one !== COUNT && !(known ? known.has(one) : others.includes(one)))
}

/** How apps name a number that they have formatted themselves: `{{formattedCount}}`, `{{num}}`, `{{total}}`. */
const NUMBER =
  /(?:[{_.](?:count|num|number|total|amount|quantity|qty)|Count|Num|Number|Total|Amount|Quantity|Qty)(?![a-z])|^\{\{[nx]\}\}$/

/** The placeholders of a message by text and form. */
class PlacedByLeaf {
  readonly #flags: number
  readonly #lines: Facts['placeholders']
  #all: ReadonlySet<string> | undefined

  constructor({ flags, placeholders }: Facts) {
    this.#flags = flags
    this.#lines = placeholders
  }

  /** Whether any of them has `{{count}}`. */
  get counts(): boolean {
    return [...this.#lines.values()].some(found => found.includes(COUNT))
  }

  /** Whether translations are held to a placeholder: to all but words in angle brackets. */
  readonly isHeld = (one: string): boolean => {
    if (kindOf(one) !== 'tag') return true
    this.#all ??= new Set([...this.#lines.values()].flat())
    return isMarkup(one, this.#all)
  }

  /**
   * The placeholder that carries the number of a plural instead of `{{count}}`: the only interpolation, else one with a
   * name for a number. A form for one number may say it in words.
   */
  numberIn(placeholders: readonly string[]): string | undefined {
    if (this.counts) return undefined
    const all = placeholders.filter(one => kindOf(one) === 'interpolation')
    return all.length === 1 ? all[0] : all.find(one => NUMBER.test(one))
  }

  /** Whether a form of the message stands for one number. */
  isSingle(leaf: NonNullable<MessageLeafName>, rules: PluralRules): boolean {
    return rules.isSingle(...leaf, (formsIn(this.#flags, 'cardinal') & bitOf('zero')) !== 0)
  }

  at(leaf: MessageLeafName): readonly string[] {
    return this.#lines.get(leaf ? suffix(...leaf) : '') ?? []
  }
}
