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

/** The problems that the server alone finds. */
export const reportedAlone = (problems: readonly CellProblem[] = []): readonly CellProblem[] =>
  problems.filter(({ kind }) => !COMPUTED.has(kind))

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

export function keyIn(id: string): NamespacedKey {
  const at = id.indexOf('\n')
  return { namespace: id.slice(0, at), key: id.slice(at + 1) }
}

export interface RowSources {
  source: readonly KeyRow[]
  /** Both by target. */
  targets: readonly (readonly KeyRow[])[]
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
  const byId = <T extends NamespacedKey>(rows: readonly T[]) => {
    const wanted = rows.filter(row => namespace === undefined || row.namespace === namespace)
    return new Map(wanted.map(row => [idOf(row.namespace, row.key), row]))
  }
  const sources = byId(source)
  const messages = targets.map(byId)
  const listed = stale.map(byId)
  const all = new Map(sources)
  for (const rows of messages) for (const [id, row] of rows) if (!all.has(id)) all.set(id, row)
  const rules = columns.targets.map(language => rulesFor(columns, language))
  return inOrder([...all.values()]).map(({ namespace, key }) => {
    const id = idOf(namespace, key)
    const from = sources.get(id)?.message as Message | undefined
    const known = before.get(id)
    const isSame = known !== undefined && same(known.source, from)
    const cells = rules.map((rules, at) =>
      readCell(from, messages[at]!.get(id), listed[at]!.get(id), rules, isSame ? known.cells[at] : undefined),
    )
    if (isSame && cells.every((cell, at) => cell === known.cells[at])) return known
    return { id, namespace, key, source: from, cells }
  })
}

/** The cell of a key as the API has it. @param was the cell so far, where the source is the same */
function readCell(
  source: Message | undefined,
  row: KeyRow | undefined,
  listed: StaleKey | undefined,
  rules: RulesOfBoth,
  was?: RowCell,
): RowCell {
  const message = row?.message as Message | undefined
  const then = listed?.sourceThen as Message | undefined
  const reported = reportedAlone(listed?.problems)
  // A list that was read before a save is about another message.
  const isAbout = listed?.dismissed !== undefined && same(listed.message, message)
  const dismissed = isAbout ? listed.dismissed!.map(({ kind }) => kind) : []
  const isSame = was && same(was.sourceThen, then) && same(reportedAlone(was.problems), reported)
  if (isSame && same(was.dismissed, dismissed) && same(was.message, message)) return was
  return cellOf(source, message, then, rules, reported, dismissed)
}

/** Above this number of changes, building all rows is cheaper than patching. */
const MOST_PATCHED = 20

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
    for (const id of differing(was.stale[at]!, is.stale[at]!)) changed.add(id)
  }
  if (changed.size > MOST_PATCHED) return undefined
  if (changed.size === 0) return rows as EditorRow[]
  const patched = rows.map(row => {
    if (!changed.delete(row.id)) return row
    const isThis = ({ namespace, key }: NamespacedKey) => key === row.key && namespace === row.namespace
    const cells = columns.targets.map((language, at) =>
      readCell(row.source, is.targets[at]!.find(isThis), is.stale[at]!.find(isThis), rulesFor(columns, language)),
    )
    return { ...row, cells }
  })
  return changed.size === 0 ? patched : undefined
}

/** Ids of the keys that two lists say different things of. */
function differing(one: readonly StaleKey[], other: readonly StaleKey[]): string[] {
  if (one === other) return []
  const saysOf = ({ sourceThen, problems, dismissed }: StaleKey) =>
    JSON.stringify([sourceThen, reportedAlone(problems), dismissed])
  const byId = (keys: readonly StaleKey[]) => new Map(keys.map(key => [idOf(key.namespace, key.key), saysOf(key)]))
  const [before, now] = [byId(one), byId(other)]
  return [...new Set([...before.keys(), ...now.keys()])].filter(id => before.get(id) !== now.get(id))
}

export const rulesFor = ({ source, ...rules }: Omit<Columns, 'targets'>, target: string): RulesOfBoth =>
  rulesOf(source, target, rules)

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
  dismissed: readonly string[] = [],
): RowCell {
  const nothing = { message, problems: [], dismissed: [], lacks: [] }
  if (source === undefined) return { ...nothing, is: ['extra'] }
  if (message === undefined) return { ...nothing, is: ['missing'] }
  const from = factsOf(partsOf(source), rules.interpolation)
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
function inOrder<T extends NamespacedKey>(rows: readonly T[]): T[] {
  const placeOf = (key: string) => key.replaceAll('_', '\u0001').replaceAll('.', '\u0002')
  const placed = rows.map(row => ({ row, place: `${row.namespace}\u0000${placeOf(row.key)}` }))
  return placed.sort((a, b) => (a.place < b.place ? -1 : 1)).map(({ row }) => row)
}
