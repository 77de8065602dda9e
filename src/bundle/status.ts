/** How far a translation is: each key of the source is missing, empty, incomplete or translated in the target. */
import { FORMS, type Form, type Forms, KINDS, type Kind, linesOf, type Message, type Parts, suffix } from './message.ts'
import { COUNT, kindOf, type PlaceholderKind, placeholdersOf } from './placeholders.ts'
import { bitOf, type FormSet, type PluralRules } from './plural-rules.ts'

/** What a key is: exactly one of these. */
export type State = 'missing' | 'empty' | 'incomplete' | 'translated'

/** Placeholders that the source has and a text or form of the target lacks, or the other way round. */
export interface Problem {
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string
  kind: PlaceholderKind
  missing: string[]
  extra: string[]
}

/** What a status depends on of a message: few messages differ in it, and most take four bytes. */
export interface Facts {
  /** Cardinal forms in the lowest six bits, then ordinal ones, then {@link TEXT} and {@link EMPTY}. */
  flags: number
  /** The placeholders of each text and form that has some, as JSON of [ending, placeholders][]; `''` without any. */
  placeholders: string
}

const SHIFT: Record<Kind, number> = { cardinal: 0, ordinal: FORMS.length }
const ALL_FORMS = (1 << FORMS.length) - 1
/** There is a text beside or instead of forms. */
const TEXT = 1 << (2 * FORMS.length)
/** A text or form is `""`. */
const EMPTY = TEXT << 1
/** Greater than all flags, a power of two. */
export const FLAGS = EMPTY << 1

/** See {@link Facts}. */
export function factsOf(parts: Parts): Facts {
  if (parts.text !== undefined && !parts.cardinal && !parts.ordinal) {
    const found = placeholdersOf(parts.text)
    const flags = parts.text === '' ? TEXT | EMPTY : TEXT
    return { flags, placeholders: found.length === 0 ? '' : JSON.stringify([['', found]]) }
  }
  let flags = parts.text === undefined ? 0 : TEXT
  for (const kind of KINDS) flags |= setOf(parts[kind]) << SHIFT[kind]
  const placeholders: Line[] = []
  for (const [ending, text] of linesOf(parts)) {
    if (text === '') flags |= EMPTY
    const found = placeholdersOf(text)
    if (found.length > 0) placeholders.push([ending, found])
  }
  return { flags, placeholders: placeholders.length === 0 ? '' : JSON.stringify(placeholders) }
}

type Line = [ending: string, placeholders: readonly string[]]

const setOf = (forms: Forms | undefined): FormSet =>
  forms ? FORMS.reduce((set, form) => (forms[form] === undefined ? set : set | bitOf(form)), 0) : 0

const formsIn = (flags: number, kind: Kind): FormSet => (flags >> SHIFT[kind]) & ALL_FORMS

/** The plural rules of the source's language and the target's. */
export interface RulesOfBoth {
  source: PluralRules
  target: PluralRules
}

/** The state of a key by the flags of its messages; 0 is no message. */
export function stateOf(source: number, target: number, { target: rules }: RulesOfBoth): State {
  if (target === 0) return 'missing'
  if (isEmpty(target)) return 'empty'
  if ((source & TEXT) !== 0 && (target & TEXT) === 0) return 'incomplete'
  if ((source & (TEXT - 1)) === 0) return 'translated'
  return KINDS.some(kind => lackedForms(source, target, kind, rules) !== 0) ? 'incomplete' : 'translated'
}

/** Whether a text or form is `""`, by the flags of the message. */
export const isEmpty = (flags: number): boolean => (flags & EMPTY) !== 0

/** The forms of a kind that the target's language has, and the message lacks though its source has the kind. */
const lackedForms = (source: number, target: number, kind: Kind, rules: PluralRules): FormSet =>
  formsIn(source, kind) === 0 ? 0 : rules.needed(kind) & ~formsIn(target, kind)

/** The names of lacked forms (`few`, `ordinal_few`), in CLDR's order. */
export function lackedNames(source: number, target: number, { target: rules }: RulesOfBoth): string[] {
  return KINDS.flatMap(kind => {
    const lacked = lackedForms(source, target, kind, rules)
    return FORMS.filter(form => (lacked & bitOf(form)) !== 0).map(form => nameOf(kind, form))
  })
}

const nameOf = (kind: Kind, form: Form): string => suffix(kind, form).slice(1)

/**
 * The placeholders in which a target differs from its source. Each form of it is held to the same form of the source,
 * else to its `other`. `{{count}}` is free in a form that stands for one number, whatever the source's form has: where
 * English says "one item", Russian's `one`, which is for 21 too, needs the number.
 */
export function problemsOf(source: Facts, target: Facts, rules: RulesOfBoth): Problem[] {
  if (source.placeholders === '' && target.placeholders === '') return []
  // A text alone on both sides, with the same ones: the usual.
  if (source.flags === TEXT && target.flags === TEXT && source.placeholders === target.placeholders) return []
  const [has, wanted] = [new Leaves(target), new Leaves(source)]
  const problems: Problem[] = []
  for (const leaf of leavesIn(target.flags)) {
    const model = wanted.modelFor(leaf)
    const [there, due] = [has.at(leaf), wanted.at(model)]
    const missing = without(due, there)
    const extra = without(there, due)
    const counts = { there: there.includes(COUNT), due: isCountDue(leaf, model, due, wanted.counts, rules) }
    if (counts.due === true && !counts.there) missing.unshift(COUNT)
    if (counts.due === false && counts.there) extra.unshift(COUNT)
    for (const kind of ['interpolation', 'nesting', 'tag'] as const) {
      const [lacks, adds] = [missing, extra].map(all => all.filter(one => kindOf(one) === kind)) as [string[], string[]]
      if (lacks.length + adds.length === 0) continue
      problems.push({ ...(leaf && { form: nameOf(...leaf) }), kind, missing: lacks, extra: adds })
    }
  }
  return problems
}

/** Placeholders from which a set finds one faster than a walk. */
const MANY = 16

/** Those, but `{{count}}`, that the others lack: one text may hold ten thousand. */
function without(placeholders: readonly string[], others: readonly string[]): string[] {
  const known = others.length < MANY ? undefined : new Set(others)
  return placeholders.filter(one => one !== COUNT && !(known ? known.has(one) : others.includes(one)))
}

/** A form, or undefined for the text. */
type Leaf = [kind: Kind, form: Form] | undefined

function* leavesIn(flags: number): Generator<Leaf> {
  if ((flags & TEXT) !== 0) yield undefined
  for (const kind of KINDS) {
    for (const form of FORMS) if ((formsIn(flags, kind) & bitOf(form)) !== 0) yield [kind, form]
  }
}

/** @returns undefined where `{{count}}` may be there or not */
function isCountDue(
  leaf: Leaf,
  model: Leaf,
  due: readonly string[],
  counts: boolean,
  { source, target }: RulesOfBoth,
): boolean | undefined {
  if (!counts || leaf === undefined) return due.includes(COUNT)
  if (target.isSingle(...leaf)) return undefined
  return due.includes(COUNT) || (model !== undefined && source.isSingle(...model)) || undefined
}

/** The placeholders of a message by text and form. */
class Leaves {
  readonly #flags: number
  readonly #lines: ReadonlyMap<string, readonly string[]>

  constructor({ flags, placeholders }: Facts) {
    this.#flags = flags
    this.#lines = new Map(placeholders === '' ? [] : (JSON.parse(placeholders) as Line[]))
  }

  /** Whether any of them has `{{count}}`. */
  get counts(): boolean {
    return [...this.#lines.values()].some(found => found.includes(COUNT))
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
  #mainOf(kinds: readonly Kind[]): Leaf {
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

export const noCounts = (): Counts => ({
  keys: 0,
  translated: 0,
  empty: 0,
  incomplete: 0,
  missing: 0,
  stale: 0,
  problems: 0,
  extra: 0,
})

/** Adds numbers to others. */
export function addCounts(sum: Counts, counts: Counts): void {
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += counts[name]
}

/** What a key is: its state, then what is told beside it. */
export const TOLD = ['missing', 'empty', 'incomplete', 'translated', 'stale', 'problems', 'extra'] as const
export type Told = (typeof TOLD)[number]

/** A key with what there is to tell of it; null where the source or the target lacks it. */
export interface KeyStatus {
  key: string
  is: Told[]
  source: Message | null
  message: Message | null
  /** Forms that it lacks. */
  forms?: string[]
  problems?: Problem[]
}
