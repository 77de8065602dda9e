/** How far a translation is: each key of the source is missing, empty, incomplete or translated in the target. */
import type { CheckKind, CheckSettings } from './checks/check-settings.ts'
import type { GlossaryCheck } from './checks/glossary-check.ts'
import type { EntryAuthor } from './entry-author.ts'
import type { TextMark } from './mark.ts'
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
import { COUNT, type Interpolation, placeholdersOf } from './placeholders.ts'
import { bitOf, type FormSet, type PluralRules, pluralRules } from './plural-rules.ts'

/** The state of a key: exactly one of these. */
export type KeyState = 'missing' | 'empty' | 'incomplete' | 'translated'

/** What the source has and a text or form of the target lacks, or the other way round, by one check. */
export interface TextProblem {
  /** `few`, `ordinal_few`; absent of a text. */
  form?: string
  kind: CheckKind
  /**
   * Placeholders; of `space` the ends `start` and `end`; of `control` characters such as `U+200B`; of `term` the best
   * word for each term, and of `avoid` the forbidden words.
   */
  missing: string[]
  extra: string[]
  /** Of `term` and `avoid`: the terms of the glossary, and the words to use for them. */
  terms?: { term: string; use: string[] }[]
  /** Of `length`: the grapheme clusters of the text, and their maximum. */
  length?: number
  max?: number
}

/** The facts of a message that a status depends on. */
export interface Facts {
  /** Cardinal forms in the lowest six bits, then ordinal ones, then {@link TEXT} and {@link EMPTY}. */
  flags: number
  /** The placeholders of each text and form that has some, by the ending of its name. */
  placeholders: ReadonlyMap<string, readonly string[]>
  /** The message itself. */
  parts: MessageParts
}

const SHIFT: Record<PluralKind, number> = { cardinal: 0, ordinal: FORMS.length }
const ALL_FORMS = (1 << FORMS.length) - 1
/** There is a text beside or instead of forms. */
export const TEXT: number = 1 << (2 * FORMS.length)
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
  return { flags, placeholders: placeholders ?? NO_PLACEHOLDERS, parts }
}

/** Most messages share it. */
const NO_PLACEHOLDERS: Facts['placeholders'] = new Map()

const setOf = (forms: Forms | undefined): FormSet =>
  forms ? FORMS.reduce((set, form) => (forms[form] === undefined ? set : set | bitOf(form)), 0) : 0

/** The forms of a kind, by the flags of the message. */
export const formsIn = (flags: number, kind: PluralKind): FormSet => (flags >> SHIFT[kind]) & ALL_FORMS

/** What a project sets for the comparison of texts; undefined where it has the default. */
export interface TextRules {
  interpolation?: Interpolation | undefined
  checks?: CheckSettings | undefined
  /** The glossaries as bytes, for the worker; undefined where no check needs them. */
  glossaries?: GlossaryFiles | undefined
}

/** The files of glossaries that hold for a project. */
export interface GlossaryFiles {
  /** The ids of the files, with their organization: equal names have equal terms. */
  name: string
  /** Null where there is none. */
  organization: Uint8Array | null
  project: Uint8Array | null
}

/** The plural rules of the source's language and the target's, and the rules of the project. */
export interface RulesOfBoth extends Omit<TextRules, 'glossaries'> {
  source: PluralRules
  target: PluralRules
  /** The target's language. */
  language: string
  glossary?: GlossaryCheck | undefined
}

/** The rules of a source language and another one. @param rules of the project */
export const rulesOf = (
  source: string,
  target: string,
  { interpolation, checks }: TextRules = {},
  glossary?: GlossaryCheck,
): RulesOfBoth => ({
  source: pluralRules(source),
  target: pluralRules(target),
  language: target,
  interpolation,
  checks,
  glossary,
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
    return FORMS.filter(form => (lacked & bitOf(form)) !== 0).map(form => formName(kind, form))
  })
}

/** A form's name as problems have it: `few`, `ordinal_few`. */
export const formName = (kind: PluralKind, form: Form): string => suffix(kind, form).slice(1)

/** The numbers of a bundle, a language or a part of it: of the source's keys, but for `extra` and `suggested`. */
export interface Counts {
  keys: number
  translated: number
  empty: number
  incomplete: number
  missing: number
  stale: number
  problems: number
  extra: number
  /** With an approval that holds. */
  approved: number
  /** By a machine, and unchanged since. */
  machine: number
  /** With a suggestion that waits: of the source's keys, and of extra ones. */
  suggested: number
}

/** Marks of a key: its state, and further marks beside it. */
export const KEY_MARKS = ['missing', 'empty', 'incomplete', 'translated', 'stale', 'problems', 'extra'] as const
export type KeyMark = (typeof KEY_MARKS)[number]

/** What keys are listed by: their marks, a dismissed problem, marks on their filled text, and a waiting suggestion. */
export const KEY_FILTERS = [...KEY_MARKS, 'dismissed', 'approved', 'unapproved', 'machine', 'suggested'] as const
export type KeyFilter = (typeof KEY_FILTERS)[number]

/** A key with its marks; null where the source or the target lacks it. */
export interface KeyStatus {
  key: string
  is: KeyMark[]
  source: Message | null
  message: Message | null
  /** Forms that it lacks. */
  forms?: string[]
  problems?: TextProblem[]
  /** Problems that a user dismissed. */
  dismissed?: TextProblem[]
  /** The approval that holds for the text. */
  approved?: TextMark
  machine?: TextMark<EntryAuthor | string>
}
