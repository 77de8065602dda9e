/** How far a translation is: each key of the source is missing, empty, incomplete or translated in the target. */
import {
  FORMS,
  type Form,
  type Forms,
  KINDS,
  linesOf,
  type Message,
  type MessageParts,
  type PluralKind,
  suffix,
} from './message.ts'
import {
  COUNT,
  type Interpolation,
  inSyntax,
  isMarkup,
  kindOf,
  type PlaceholderKind,
  placeholdersOf,
} from './placeholders.ts'
import { bitOf, type FormSet, type PluralRules, pluralRules } from './plural-rules.ts'

/** The state of a key: exactly one of these. */
export type KeyState = 'missing' | 'empty' | 'incomplete' | 'translated'

/** Placeholders that the source has and a text or form of the target lacks, or the other way round. */
export interface PlaceholderProblem {
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string
  kind: PlaceholderKind
  missing: string[]
  extra: string[]
}

/** The facts of a message that a status depends on. */
export interface Facts {
  /** Cardinal forms in the lowest six bits, then ordinal ones, then {@link TEXT} and {@link EMPTY}. */
  flags: number
  /** The placeholders of each text and form that has some, by the ending of its name. */
  placeholders: ReadonlyMap<string, readonly string[]>
}

const SHIFT: Record<PluralKind, number> = { cardinal: 0, ordinal: FORMS.length }
const ALL_FORMS = (1 << FORMS.length) - 1
/** There is a text beside or instead of forms. */
const TEXT = 1 << (2 * FORMS.length)
/** A text or form is `""`. */
const EMPTY = TEXT << 1
/** A form has `{{count}}`. */
const COUNTS = EMPTY << 1

/** See {@link Facts}. @param interpolation of the project; i18next's own by default */
export function factsOf(parts: MessageParts, interpolation?: Interpolation): Facts {
  let flags = parts.text === undefined ? 0 : TEXT
  for (const kind of KINDS) flags |= setOf(parts[kind]) << SHIFT[kind]
  let placeholders: Map<string, readonly string[]> | undefined
  for (const [ending, text] of linesOf(parts)) {
    if (text === '') flags |= EMPTY
    const found = placeholdersOf(text, interpolation)
    if (ending !== '' && found.includes(COUNT)) flags |= COUNTS
    if (found.length > 0) placeholders = (placeholders ?? new Map()).set(ending, found)
  }
  return { flags, placeholders: placeholders ?? NO_PLACEHOLDERS }
}

/** Most messages share it. */
const NO_PLACEHOLDERS: Facts['placeholders'] = new Map()

const setOf = (forms: Forms | undefined): FormSet =>
  forms ? FORMS.reduce((set, form) => (forms[form] === undefined ? set : set | bitOf(form)), 0) : 0

const formsIn = (flags: number, kind: PluralKind): FormSet => (flags >> SHIFT[kind]) & ALL_FORMS

/** The plural rules of the source's language and the target's, and the project's interpolation where it has its own. */
export interface RulesOfBoth {
  source: PluralRules
  target: PluralRules
  interpolation?: Interpolation | undefined
}

/** The rules of a source language and another one. @param interpolation of the project, where it has its own */
export const rulesOf = (source: string, target: string, interpolation?: Interpolation): RulesOfBoth => ({
  source: pluralRules(source),
  target: pluralRules(target),
  interpolation,
})

/** The state of a key by the flags of its messages; 0 is no message. */
export function stateOf(source: number, target: number, rules: RulesOfBoth): KeyState {
  if (target === 0) return 'missing'
  if (isEmpty(target)) return 'empty'
  if ((source & TEXT) !== 0 && (target & TEXT) === 0) return 'incomplete'
  if ((source & (TEXT - 1)) === 0) return 'translated'
  return KINDS.some(kind => lackedForms(source, target, kind, rules) !== 0) ? 'incomplete' : 'translated'
}

/** Whether a text or form is `""`, by the flags of the message. */
export const isEmpty = (flags: number): boolean => (flags & EMPTY) !== 0

/**
 * The forms of a kind that a translation needs, by the flags of its source: those of the target's language where the
 * source is a plural, else the very forms of the source. `gender_other`, beside contexts `gender_male` and
 * `gender_female`, and `step_one` beside `step_two` are names that end like forms.
 */
export function neededForms(source: number, kind: PluralKind, { source: own, target }: RulesOfBoth): FormSet {
  const forms = formsIn(source, kind)
  return isPlural(forms, own.usual(kind), (source & COUNTS) !== 0) ? target.needed(kind) : forms
}

/**
 * Whether forms cover those of their language. Where the language has one form alone, such as Japanese, any name that
 * ends in `_other` would: there a lone form is a plural if it counts.
 */
function isPlural(forms: FormSet, usual: FormSet, counts: boolean): boolean {
  if (forms === 0 || (forms & usual) !== usual) return false
  return forms !== bitOf('other') || counts
}

const lackedForms = (source: number, target: number, kind: PluralKind, rules: RulesOfBoth): FormSet =>
  neededForms(source, kind, rules) & ~formsIn(target, kind)

/** The names of lacked forms (`few`, `ordinal_few`), in CLDR's order. */
export function lackedNames(source: number, target: number, rules: RulesOfBoth): string[] {
  return KINDS.flatMap(kind => {
    const lacked = lackedForms(source, target, kind, rules)
    return FORMS.filter(form => (lacked & bitOf(form)) !== 0).map(form => nameOf(kind, form))
  })
}

const nameOf = (kind: PluralKind, form: Form): string => suffix(kind, form).slice(1)

/**
 * The placeholders that differ between a target and its source. Each form must match the same form of the source, else
 * its `other`. `{{count}}` is optional in a form for one number: English may say "one item", but Russian's `one`, which
 * is for 21 too, needs the number. A form that the language never uses is not checked. Words in angle brackets that are
 * no markup are not checked either.
 */
export function problemsOf(source: Facts, target: Facts, rules: RulesOfBoth): PlaceholderProblem[] {
  if (source.placeholders.size + target.placeholders.size === 0) return []
  // A text alone on both sides, with the same ones: the usual.
  if (source.flags === TEXT && target.flags === TEXT) {
    const [due, there] = [source, target].map(({ placeholders }) => placeholders.get('')?.join())
    if (due === there) return []
  }
  const [has, wanted] = [new Leaves(target), new Leaves(source)]
  const problems: PlaceholderProblem[] = []
  for (const leaf of leavesIn(target.flags)) {
    if (leaf && isUnused(source.flags, leaf, rules)) continue
    const model = wanted.modelFor(leaf)
    const there = has.at(leaf).filter(wanted.isHeld)
    const due = wanted.at(model).filter(wanted.isHeld)
    const number = leaf && model && has.isSingle(leaf, rules.target) ? wanted.numberIn(due) : undefined
    const missing = without(due, there).filter(one => one !== number)
    const extra = without(there, due)
    const counts = { there: there.includes(COUNT), due: isCountDue(has, wanted, { leaf, model, due }, rules) }
    if (counts.due === true && !counts.there) missing.unshift(COUNT)
    if (counts.due === false && counts.there) extra.unshift(COUNT)
    for (const kind of ['interpolation', 'nesting', 'tag'] as const) {
      const [lacks, adds] = [missing, extra].map(all => {
        const these = all.filter(one => kindOf(one) === kind)
        return rules.interpolation ? these.map(one => inSyntax(one, rules.interpolation)) : these
      }) as [string[], string[]]
      if (lacks.length + adds.length === 0) continue
      problems.push({ ...(leaf && { form: nameOf(...leaf) }), kind, missing: lacks, extra: adds })
    }
  }
  return problems
}

/** Number of placeholders above which a set is faster than a list. */
const MANY = 16

/** Those, but `{{count}}`, that the others lack: one text may hold ten thousand. */
function without(placeholders: readonly string[], others: readonly string[]): string[] {
  const known = others.length < MANY ? undefined : new Set(others)
  return placeholders.filter(one => one !== COUNT && !(known ? known.has(one) : others.includes(one)))
}

/** Whether a target's language never uses a form. i18next uses `_zero` for 0 in every language. */
function isUnused(source: number, [kind, form]: [PluralKind, Form], rules: RulesOfBoth): boolean {
  if (kind === 'cardinal' && form === 'zero') return false
  const { target } = rules
  return (target.needed(kind) & bitOf(form)) === 0 && (neededForms(source, kind, rules) & bitOf(form)) === 0
}

/** A form, or undefined for the text. */
type Leaf = [kind: PluralKind, form: Form] | undefined

function* leavesIn(flags: number): Generator<Leaf> {
  if ((flags & TEXT) !== 0) yield undefined
  for (const kind of KINDS) {
    for (const form of FORMS) if ((formsIn(flags, kind) & bitOf(form)) !== 0) yield [kind, form]
  }
}

/** @returns undefined where `{{count}}` may be there or not */
function isCountDue(
  has: Leaves,
  wanted: Leaves,
  { leaf, model, due }: { leaf: Leaf; model: Leaf; due: readonly string[] },
  { source, target }: RulesOfBoth,
): boolean | undefined {
  if (!wanted.counts || leaf === undefined) return due.includes(COUNT)
  if (has.isSingle(leaf, target)) return undefined
  return due.includes(COUNT) || (model !== undefined && wanted.isSingle(model, source)) || undefined
}

/** How apps name a number that they have formatted themselves: `{{formattedCount}}`, `{{num}}`, `{{total}}`. */
const NUMBER =
  /(?:[{_.](?:count|num|number|total|amount|quantity|qty)|Count|Num|Number|Total|Amount|Quantity|Qty)(?![a-z])|^\{\{[nx]\}\}$/

/** The placeholders of a message by text and form. */
class Leaves {
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
  isSingle(leaf: NonNullable<Leaf>, rules: PluralRules): boolean {
    return rules.isSingle(...leaf, (formsIn(this.#flags, 'cardinal') & bitOf('zero')) !== 0)
  }

  at(leaf: Leaf): readonly string[] {
    return this.#lines.get(leaf ? suffix(...leaf) : '') ?? []
  }

  /** What a text or form of the target is a translation of. */
  modelFor(leaf: Leaf): Leaf {
    if (leaf && (formsIn(this.#flags, leaf[0]) & bitOf(leaf[1])) !== 0) return leaf
    const own = leaf && this.#mainOf([leaf[0]])
    return own ?? ((this.#flags & TEXT) !== 0 ? undefined : this.#mainOf(KINDS))
  }

  /** The form of the first of these kinds that says most: `other`, else the last that there is. */
  #mainOf(kinds: readonly PluralKind[]): Leaf {
    for (const kind of kinds) {
      const form = FORMS.findLast(form => (formsIn(this.#flags, kind) & bitOf(form)) !== 0)
      if (form) return [kind, form]
    }
    return undefined
  }
}

/** The numbers of a bundle, a language or a part of it: of the source's keys, but for `extra`. */
export interface Counts {
  keys: number
  translated: number
  empty: number
  incomplete: number
  missing: number
  stale: number
  problems: number
  extra: number
}

/** Marks of a key: its state, and further marks beside it. */
export const KEY_MARKS = ['missing', 'empty', 'incomplete', 'translated', 'stale', 'problems', 'extra'] as const
export type KeyMark = (typeof KEY_MARKS)[number]

/** A key with its marks; null where the source or the target lacks it. */
export interface KeyStatus {
  key: string
  is: KeyMark[]
  source: Message | null
  message: Message | null
  /** Forms that it lacks. */
  forms?: string[]
  problems?: PlaceholderProblem[]
}
