/** The problems of a translation beside its source, by text and form, and by check. */
import { FORMS, type Form, KINDS, type PluralKind } from '../message.ts'
import { INTERPOLATION } from '../placeholders.ts'
import { bitOf } from '../plural-rules.ts'
import { type Facts, formName, formsIn, neededForms, type RulesOfBoth, TEXT, type TextProblem } from '../status.ts'
import type { CheckKind, CheckSettings } from './check-settings.ts'
import { differentControls } from './different-controls.ts'
import { DifferentPlaceholders, type MessageLeafName } from './different-placeholders.ts'
import { differentSpace } from './different-space.ts'
import type { GlossaryFault } from './glossary-check.ts'
import { graphemeLength } from './grapheme-length.ts'
import type { TextDifference } from './text-difference.ts'

/** A check of one text or form, in linear time. @param language of the translation, BCP 47 */
type TextCheck = (source: string, target: string, language: string) => TextDifference | undefined

/** The checks of a text beside its source. */
export const TEXT_CHECKS: readonly (readonly [kind: CheckKind, check: TextCheck])[] = [
  ['space', differentSpace],
  ['control', differentControls],
]

/**
 * Each text and form must match the same form of the source, else its `other`. A form that the language never uses is
 * not checked, and neither is an empty one.
 * @param max of grapheme clusters in each text and form, where the key has one
 */
export function problemsOf(source: Facts, target: Facts, rules: RulesOfBoth, max?: number): TextProblem[] {
  const problems: TextProblem[] = []
  const placeholders = haveSame(source, target) ? undefined : new DifferentPlaceholders(source, target, rules)
  // A text alone on both sides: the usual.
  if (placeholders === undefined && source.flags === TEXT && target.flags === TEXT) {
    checkTexts(source.parts.text!, target.parts.text!, { leaf: undefined, rules, max, problems })
    return problems
  }
  for (const leaf of leavesIn(target.flags)) {
    if (leaf && isUnused(source.flags, leaf, rules)) continue
    const model = modelFor(source.flags, leaf)
    if (placeholders) problems.push(...placeholders.at(leaf, model))
    checkTexts(textAt(source, model), textAt(target, leaf), { leaf, rules, max, problems })
  }
  return problems
}

/** Whether no placeholder differs, by a quick look. */
function haveSame(source: Facts, target: Facts): boolean {
  if (source.placeholders.size + target.placeholders.size === 0) return true
  if (source.flags !== TEXT || target.flags !== TEXT) return false
  return source.placeholders.get('')?.join() === target.placeholders.get('')?.join()
}

interface CheckedLeaf {
  leaf: MessageLeafName
  rules: RulesOfBoth
  max: number | undefined
  problems: TextProblem[]
}

function checkTexts(source: string, target: string, { leaf, rules, max, problems }: CheckedLeaf): void {
  if (source === '' || target === '') return
  for (const [kind, check] of TEXT_CHECKS) {
    if (rules.checks?.[kind] === 'off') continue
    const found = check(source, target, rules.language)
    if (found) problems.push({ ...placeOf(leaf), kind, ...found })
  }
  const faults = rules.glossary?.faultsOf(source, target) ?? []
  if (faults.length > 0) problems.push(...glossaryProblems(faults, rules.checks, placeOf(leaf)?.form))
  if (max === undefined || target.length <= max || rules.checks?.length === 'off') return
  const length = graphemeLength(target, rules.interpolation ?? INTERPOLATION)
  if (length > max) problems.push({ ...placeOf(leaf), kind: 'length', missing: [], extra: [], length, max })
}

const placeOf = (leaf: MessageLeafName): { form: string } | undefined => leaf && { form: formName(...leaf) }

const textAt = ({ parts }: Facts, leaf: MessageLeafName): string =>
  (leaf ? parts[leaf[0]]?.[leaf[1]] : parts.text) ?? ''

/** Whether a target's language never uses a form. i18next uses `_zero` for 0 in every language. */
function isUnused(source: number, [kind, form]: [PluralKind, Form], rules: RulesOfBoth): boolean {
  if (kind === 'cardinal' && form === 'zero') return false
  const { target } = rules
  return (target.needed(kind) & bitOf(form)) === 0 && (neededForms(source, kind, rules) & bitOf(form)) === 0
}

function* leavesIn(flags: number): Generator<MessageLeafName> {
  if ((flags & TEXT) !== 0) yield undefined
  for (const kind of KINDS) {
    for (const form of FORMS) if ((formsIn(flags, kind) & bitOf(form)) !== 0) yield [kind, form]
  }
}

/** What a text or form of a target is a translation of, by the flags of the source. */
function modelFor(source: number, leaf: MessageLeafName): MessageLeafName {
  if (leaf && (formsIn(source, leaf[0]) & bitOf(leaf[1])) !== 0) return leaf
  const own = leaf && mainForm(source, [leaf[0]])
  return own ?? ((source & TEXT) !== 0 ? undefined : mainForm(source, KINDS))
}

/** The form of the first of these kinds that says most: `other`, else the last that there is. */
function mainForm(flags: number, kinds: readonly PluralKind[]): MessageLeafName {
  for (const kind of kinds) {
    const form = FORMS.findLast(form => (formsIn(flags, kind) & bitOf(form)) !== 0)
    if (form) return [kind, form]
  }
  return undefined
}

/** What the glossary finds in a text: one problem for each kind. @param form absent of a text */
function glossaryProblems(
  faults: readonly GlossaryFault[],
  checks: CheckSettings | undefined,
  form: string | undefined,
): TextProblem[] {
  return (['term', 'avoid'] as const).flatMap(kind => {
    const these = checks?.[kind] === 'off' ? [] : faults.filter(fault => fault.kind === kind)
    if (these.length === 0) return []
    const words = these.map(({ use, avoid }) => (kind === 'term' ? (use[0] ?? '') : (avoid ?? '')))
    const terms = these.map(({ term, use }) => ({ term, use: [...use] }))
    const [missing, extra] = kind === 'term' ? [words, []] : [[], words]
    return [{ ...(form !== undefined && { form }), kind, missing, extra, terms }]
  })
}
