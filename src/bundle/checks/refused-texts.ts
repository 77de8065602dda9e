/** The texts that a write brings and that a project's checks refuse, from bytes alone, for the worker. */
import { bundleIn } from '../canonical.ts'
import { quoteSome } from '../complaints.ts'
import { diffBundles, type KeyChange } from '../diff.ts'
import type { KeyRenaming } from '../edit-key.ts'
import { Failure } from '../errors.ts'
import { entriesIn } from '../key-entries.ts'
import { linesOf, partsOf } from '../message.ts'
import { shorten } from '../names.ts'
import { factsOf, rulesOf, type TextRules } from '../status.ts'
import type { CheckKind } from './check-settings.ts'
import type { GlossaryCheck } from './glossary-check.ts'
import { maximaIn } from './maxima-in.ts'
import { problemsOf } from './problems-of.ts'
import { dismissedIn, splitDismissed } from './split-dismissed.ts'

/** A translation's file before and after a change. */
export interface RefusedTextsTask {
  /** The source language's file after the change; null without one. */
  source: Uint8Array | null
  before: Uint8Array | null
  after: Uint8Array | null
  /** The notes of the namespace, which have the maxima of lengths; null where they do not matter. */
  notes: Uint8Array | null
  /** The marks of the bundle, which have dismissed problems; null without any. */
  marks: Uint8Array | null
  /** The changed keys as JSON (`KeyChange[]`) where they are known; both versions are null then. */
  keys: Uint8Array | null
  /** Keys with new names: their texts are the stored ones. */
  renamed: readonly KeyRenaming[]
  sourceLanguage: string
  language: string
  /** With the levels of `onlyRefused`: each problem that they find is refused. */
  rules: TextRules
}

/** Names of texts and forms (`item_few`) by the check that refuses them, and what the glossary says to them. */
export type RefusedTexts = [kind: CheckKind, names: string[], terms: string[]][]

/**
 * Each text is compared with the source beside it. A key that the source lacks, an empty text, and a problem that is
 * dismissed for the very text are not checked.
 * @param glossary of the project, if it has one
 */
export function refusedTexts(
  { rules, sourceLanguage, language, ...task }: RefusedTextsTask,
  glossary?: GlossaryCheck,
): RefusedTexts {
  const both = rulesOf(sourceLanguage, language, rules, glossary)
  const refused = new Map<CheckKind, { names: string[]; terms: Set<string> }>()
  const { tree } = bundleIn(task.source)
  const maxima = maximaIn(task.notes)
  const dismissed = dismissedIn(entriesIn(task.marks))
  for (const { key, before, after } of changedKeys(task)) {
    const source = after === null ? undefined : tree.get(key)
    if (source === undefined) continue
    const [due, has] = [source, partsOf(after)].map(parts => factsOf(parts, rules.interpolation))
    const [old, now] = [before, after].map(message => new Map(linesOf(partsOf(message))))
    const problems = problemsOf(due!, has!, both, maxima.get(key))
    for (const { kind, form, terms = [] } of splitDismissed(problems, dismissed.get(key), due!, has!).open) {
      const ending = form === undefined ? '' : `_${form}`
      const text = now!.get(ending)
      if (text === '' || text === old!.get(ending)) continue
      const found = refused.get(kind) ?? { names: [], terms: new Set() }
      refused.set(kind, found)
      found.names.push(key + ending)
      for (const { term, use } of terms) if (found.terms.size < NAMED) found.terms.add(termText(term, use))
    }
  }
  return Array.from(refused, ([kind, { names, terms }]) => [kind, names, [...terms]])
}

const termText = (term: string, use: readonly string[]): string =>
  `${JSON.stringify(term)} is ${use.length === 0 ? 'not translated so' : use.map(word => JSON.stringify(word)).join(' or ')}`

function changedKeys({
  before,
  after,
  keys,
  renamed,
}: Pick<RefusedTextsTask, 'before' | 'after' | 'keys' | 'renamed'>): KeyChange[] {
  if (keys !== null) return JSON.parse(Buffer.from(keys).toString('utf8'))
  const [old, now] = [bundleIn(before), bundleIn(after)]
  const changes = diffBundles(old, now)
  const names = new Map(renamed.map(({ from, to }) => [to, from]))
  return changes.map(change => {
    const from = names.get(change.key)
    return from === undefined ? change : { ...change, before: old.message(from) ?? null }
  })
}

const RULES: Record<CheckKind, string> = {
  interpolation: 'other interpolations than their source',
  nesting: 'other nestings than their source',
  tag: 'other tags than their source',
  space: 'white space around them where their source has none, or the reverse',
  control: 'control or stray direction characters that their source lacks',
  term: 'other words than the glossary has for a term of their source',
  avoid: 'words that the glossary forbids',
  length: 'more characters than the maximum of their note',
}

/** @param bundle the name of the texts' bundle @throws Failure `unfit` naming each check, key and form */
export function throwRefused(refused: readonly (readonly [bundle: string, texts: RefusedTexts])[]): void {
  const keys = refused.flatMap(([, texts]) => texts.flatMap(([, names]) => names))
  if (keys.length === 0) return
  const sentences = refused.flatMap(([bundle, texts]) =>
    texts.map(
      ([kind, names, terms]) =>
        `${bundle}: the check "${kind}" refuses texts with ${RULES[kind]}: ${quoteSome(names)}.` +
        (terms.length === 0 ? '' : ` In the glossary ${terms.join(', ')}.`),
    ),
  )
  const more = sentences.length - NAMED
  const named = sentences.slice(0, NAMED).join(' ') + (more > 0 ? ` And ${more} more.` : '')
  throw new Failure('unfit', named, { keys: keys.slice(0, NAMED).map(shorten), count: keys.length })
}

/** Sentences, and keys in the data of a failure. */
const NAMED = 10
