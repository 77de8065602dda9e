/** The rows of the editor: keys with their source, their translations and their state. */
import { problemsOf } from '../../../bundle/checks/problems-of.ts'
import { type Message, partsOf } from '../../../bundle/message.ts'
import {
  factsOf,
  type KeyMark,
  lackedNames,
  type RulesOfBoth,
  rulesOf,
  stateOf,
  type TextProblem,
  type TextRules,
} from '../../../bundle/status.ts'
import { same } from './leaves.ts'

/** A problem of a translation. The server may name kinds that the dashboard does not compute. */
export interface CellProblem extends Omit<TextProblem, 'kind'> {
  kind: string
}

/** The kinds that the dashboard computes. Others need notes or glossaries, which the server compares. */
const COMPUTED: ReadonlySet<string> = new Set(['interpolation', 'nesting', 'tag', 'space', 'control'])
const NO_PROBLEMS: readonly CellProblem[] = []

/** The problems that the server alone finds. */
export function reportedAlone(problems: readonly CellProblem[] | undefined): readonly CellProblem[] {
  const found = problems?.filter(({ kind }) => !COMPUTED.has(kind)) ?? NO_PROBLEMS
  return found.length === 0 ? NO_PROBLEMS : found
}

/** A language's message of a key, and its status. */
export interface RowCell {
  message: Message | undefined
  is: readonly KeyMark[]
  problems: readonly CellProblem[]
  /** The kinds of problems that are dismissed for this text. */
  dismissed: readonly string[]
  /** Forms that it lacks (`few`, `ordinal_few`). */
  lacks: readonly string[]
  /** Of a stale one: the source that it is a translation of. */
  sourceThen?: Message
}

/** A key. */
export interface EditorRow extends NamespacedKey {
  /** Unlike that of any other row; see {@link idOf}. */
  id: string
  /** Undefined where the source language lacks it. */
  source: Message | undefined
  /** By {@link Columns.targets}. */
  cells: readonly RowCell[]
}

/** Languages, BCP 47, and the project's rules of texts. */
export interface Columns extends TextRules {
  source: string
  /** The edited languages, the main one first; the source language may be one of them. */
  targets: readonly string[]
}

/** A key of a language, as the API has it. */
export interface KeyRow extends NamespacedKey {
  message: unknown
}

/** A stale key of a language, or one with problems that the server alone finds or that are dismissed. */
export interface StaleKey extends NamespacedKey {
  message?: unknown
  sourceThen?: unknown
  problems?: readonly CellProblem[]
  dismissed?: readonly CellProblem[]
}

const NO_KINDS: readonly string[] = []

/** The kinds of dismissed problems of a message; a list that was read before a save is of another one. */
function dismissedOf(listed: StaleKey | undefined, message: Message | undefined): readonly string[] {
  return listed?.dismissed && same(listed.message, message) ? listed.dismissed.map(({ kind }) => kind) : NO_KINDS
}

/** A key of a project, in any language. */
export interface NamespacedKey {
  namespace: string
  key: string
}

/** A text or form of the editor. */
export interface LeafPlace extends NamespacedKey {
  language: string
  ending: string
}

/** A key of a language. */
export interface KeyAddress extends NamespacedKey {
  slug: string
  language: string
}

/** A row's id, which is unlike that of any other key. */
export const idOf = (namespace: string, key: string): string => `${namespace}\n${key}`

/** The key that has an id. */
export function keyIn(id: string): NamespacedKey {
  const at = id.indexOf('\n')
  return { namespace: id.slice(0, at), key: id.slice(at + 1) }
}

/** The input of {@link rowsOf}. */
export interface RowSources {
  source: readonly KeyRow[]
  /** By target. */
  targets: readonly (readonly KeyRow[])[]
  /** By target. */
  stale: readonly (readonly StaleKey[])[]
  columns: Columns
  /** All of them, when undefined. */
  namespace: string | undefined
}

/** @param before the rows so far: unchanged ones stay the same objects, which avoids rerenders */
export function rowsOf(
  { source, targets, stale, columns, namespace }: RowSources,
  before: ReadonlyMap<string, EditorRow>,
): EditorRow[] {
  const wanted = (row: { namespace: string }) => namespace === undefined || row.namespace === namespace
  const sources = byId(source.filter(wanted))
  const messages = targets.map(rows => byId(rows.filter(wanted)))
  const thens = stale.map(keys => new Map(keys.filter(wanted).map(row => [idOf(row.namespace, row.key), row])))
  const all = new Map(sources)
  for (const rows of messages) for (const [id, row] of rows) if (!all.has(id)) all.set(id, row)
  const rules = columns.targets.map(language => rulesFor(columns, language))
  return inOrder([...all.values()]).map(({ namespace, key }) => {
    const id = idOf(namespace, key)
    const from = sources.get(id)?.message as Message | undefined
    const known = before.get(id)
    const cells = columns.targets.map((_, at): RowCell => {
      const message = messages[at]!.get(id)?.message as Message | undefined
      const listed = thens[at]!.get(id)
      const then = listed?.sourceThen as Message | undefined
      const reported = reportedAlone(listed?.problems)
      const dismissed = dismissedOf(listed, message)
      const was = known?.cells[at]
      const isSame = was && same(was.sourceThen, then) && same(reportedAlone(was.problems), reported)
      if (isSame && same(was.dismissed, dismissed) && same(was.message, message) && same(known.source, from)) return was
      return cellOf(from, message, then, rules[at]!, reported, dismissed)
    })
    if (known && same(known.source, from) && sameCells(known.cells, cells)) return known
    return { id, namespace, key, source: from, cells }
  })
}

/**
 * The rows after few texts changed, as they do with a save: a hundredth of the work of {@link rowsOf}.
 * @param was the input of the rows
 * @returns undefined where more changed than texts of keys that have a row
 */
export function patchedRows(rows: readonly EditorRow[], was: RowSources, is: RowSources): EditorRow[] | undefined {
  const { columns } = is
  if (was.source !== is.source || was.namespace !== is.namespace || !same(was.columns, columns)) return undefined
  const changed = new Set<string>()
  for (const [at, now] of is.targets.entries()) {
    const before = was.targets[at]!
    if (now.length < before.length) return undefined
    for (const [index, row] of now.entries()) if (row !== before[index]) changed.add(idOf(row.namespace, row.key))
    for (const key of differing(was.stale[at]!, is.stale[at]!)) changed.add(key)
  }
  if (changed.size > MOST_PATCHED) return undefined
  if (changed.size === 0) return rows as EditorRow[]
  const patched = rows.slice()
  for (const [index, { id, namespace, key, source }] of rows.entries()) {
    if (!changed.delete(id)) continue
    const isThis = (row: NamespacedKey) => row.key === key && row.namespace === namespace
    const cells = columns.targets.map((language, at) => {
      const message = is.targets[at]!.find(isThis)?.message as Message | undefined
      const listed = is.stale[at]!.find(isThis)
      const then = listed?.sourceThen as Message | undefined
      const reported = reportedAlone(listed?.problems)
      return cellOf(source, message, then, rulesFor(columns, language), reported, dismissedOf(listed, message))
    })
    patched[index] = { id, namespace, key, source, cells }
  }
  return changed.size === 0 ? patched : undefined
}

/** Above this number of changes, building all rows is cheaper than patching. */
const MOST_PATCHED = 20

/** Ids of what only one of two lists has. */
function differing(one: readonly StaleKey[], other: readonly StaleKey[]): string[] {
  if (one === other || (one.length === 0 && other.length === 0)) return []
  const [before, now] = [one, other].map(list => new Map(list.map(key => [idOf(key.namespace, key.key), key])))
  const saysOf = ({ sourceThen, problems, dismissed }: StaleKey) => [
    sourceThen ?? null,
    reportedAlone(problems),
    dismissed ?? null,
  ]
  const differs = ([id, key]: [string, StaleKey], others: Map<string, StaleKey>) =>
    !others.has(id) || !same(saysOf(others.get(id)!), saysOf(key))
  return [
    ...[...before!].filter(entry => differs(entry, now!)),
    ...[...now!].filter(entry => differs(entry, before!)),
  ].map(([id]) => id)
}

/** The rules for comparing a language with the source. */
export const rulesFor = ({ source, ...rules }: Omit<Columns, 'targets'>, target: string): RulesOfBoth =>
  rulesOf(source, target, rules)

const byId = (rows: readonly KeyRow[]) => new Map(rows.map(row => [idOf(row.namespace, row.key), row]))

const sameCells = (one: readonly RowCell[], other: readonly RowCell[]) =>
  one.length === other.length && one.every((cell, at) => cell === other[at])

/**
 * The status of a message, by the server's own rules.
 * @param reported problems of other kinds, from the server @param dismissed kinds of problems that do not count
 */
export function cellOf(
  source: Message | undefined,
  message: Message | undefined,
  sourceThen: Message | undefined,
  rules: RulesOfBoth,
  reported: readonly CellProblem[] = [],
  dismissed = NO_KINDS,
): RowCell {
  const nothing = { message, problems: [], dismissed: NO_KINDS, lacks: [] }
  if (source === undefined) return { ...nothing, is: ['extra'] }
  const from = factsOf(partsOf(source), rules.interpolation)
  if (message === undefined) return { ...nothing, is: ['missing'] }
  const has = factsOf(partsOf(message), rules.interpolation)
  const is: KeyMark[] = [stateOf(from.flags, has.flags, rules)]
  const isFilled = is[0] !== 'empty'
  const found: CellProblem[] = isFilled ? [...problemsOf(from, has, rules), ...reported] : []
  const problems = found.filter(({ kind }) => !dismissed.includes(kind))
  const isStale = isFilled && sourceThen !== undefined
  if (isStale) is.push('stale')
  if (problems.length > 0) is.push('problems')
  const lacks = lackedNames(from.flags, has.flags, rules)
  return { message, is, problems, dismissed, lacks, ...(isStale && { sourceThen }) }
}

/** By namespace, then so that a key's contexts (`friend_male`) and children (`friend.name`) follow it. */
function inOrder<T extends { namespace: string; key: string }>(rows: T[]): T[] {
  const places = new Map(rows.map(row => [row, row.key.replaceAll('_', '\u0001').replaceAll('.', '\u0002')]))
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return rows.sort((a, b) => compare(a.namespace, b.namespace) || compare(places.get(a)!, places.get(b)!))
}
