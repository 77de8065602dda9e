/** What rows may be filtered by, and the filter as it stands in the address. */
import type { TFunction } from 'i18next'
import { linesOf, type Message, partsOf } from '../../../bundle/message.ts'
import { KEY_MARKS } from '../../../bundle/status.ts'
import type { GateFault } from '../../api/late-client.ts'
import type { EditorRow, NamespacedKey, RowCell } from './rows.ts'

/** Marks beside those of `KEY_MARKS`, in the order of the menu. */
export const ROW_MARKS = ['approved', 'unapproved', 'machine', 'refused', 'suggested'] as const
export type RowMark = (typeof ROW_MARKS)[number]

export interface RefusedRow extends NamespacedKey {
  machine: string
  faults: GateFault[]
}

/** Texts of a language by the ids of their rows. */
export interface RowMarks {
  suggested: ReadonlySet<string>
  machine: ReadonlySet<string>
  /** The gate refused a machine's translation. */
  refused: ReadonlyMap<string, RefusedRow>
  /** The approved texts, or the others where these are fewer. Undefined where approvals are not in use. */
  listed: ReadonlySet<string> | undefined
  lists: 'approved' | 'unapproved'
  /** Whether all of them are read. */
  isRead: boolean
}

const REST: ReadonlySet<string> = new Set(['missing', 'empty', 'stale'])

/** Whether a text has a mark. A missing or empty text is neither approved nor unapproved. */
export function hasMark(mark: RowMark, id: string, cell: RowCell, marks: RowMarks | undefined): boolean {
  if (!marks) return false
  if (mark === 'suggested' || mark === 'machine') return marks[mark].has(id)
  // A machine would translate a missing, empty or stale text.
  if (mark === 'refused') return marks.refused.has(id) && cell.is.some(one => REST.has(one))
  return marks.listed !== undefined && isFilled(cell) && (mark === marks.lists) === marks.listed.has(id)
}

/** Whether a cell has a text that can be approved. */
export const isFilled = ({ message, is }: RowCell): boolean => message !== undefined && !is.includes('empty')

const PLACEHOLDERS: ReadonlySet<string> = new Set(['interpolation', 'nesting', 'tag'])

/** The kind that readers know: placeholders are one. */
export const problemKind = (kind: string): string => (PLACEHOLDERS.has(kind) ? 'placeholder' : kind)

/** How many rows have a problem of each kind, in alphabetical order of the kinds. */
export function countProblems(rows: readonly EditorRow[]): [kind: string, rows: number][] {
  const kinds = rows.flatMap(({ cells }) => [...new Set(cells[0]!.problems.map(({ kind }) => problemKind(kind)))])
  return [...Map.groupBy(kinds, kind => kind)]
    .map(([kind, all]): [string, number] => [kind, all.length])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

/** The kind in words. @param t of the namespace `editor` */
export const problemName = (kind: string, t: TFunction<'editor'>): string =>
  t(`problemKind.${problemKind(kind)}`, { defaultValue: t('problemKind.other', { kind }) })

/** The conditions on a row's main language, in the order of the menu. */
export const KINDS_OF_ROW = [...KEY_MARKS, ...ROW_MARKS, 'unsaved'] as const
export type KindOfRow = (typeof KINDS_OF_ROW)[number]

export const SEARCH_PLACES = ['key', 'source', 'target'] as const
type SearchPlace = (typeof SEARCH_PLACES)[number]

export interface RowFilter {
  /** Any of these; none asks for all rows. */
  is: readonly KindOfRow[]
  /** Of rows with problems, those of any of these kinds; none asks for all kinds. */
  problems: readonly string[]
  /** Each of its words must be found, ignoring case. */
  search: string
  places: readonly SearchPlace[]
  /** An author's e-mail address. */
  by: string
  /** A revision, release, or time. */
  since: string
}

export const ALL: RowFilter = { is: [], problems: [], search: '', places: SEARCH_PLACES, by: '', since: '' }

export function filterOf(query: URLSearchParams): RowFilter {
  const list = (name: string) => (query.get(name) ?? '').split(',')
  const places = SEARCH_PLACES.filter(place => list('find').includes(place))
  const problems = [...new Set(list('problem').filter(Boolean))]
  return {
    is: KINDS_OF_ROW.filter(kind => list('is').includes(kind) || (kind === 'problems' && problems.length > 0)),
    problems,
    search: query.get('q') ?? '',
    places: places.length > 0 ? places : SEARCH_PLACES,
    by: query.get('by') ?? '',
    since: query.get('since') ?? '',
  }
}

/** The parts of an address that say the filter; null is absent. */
export const queryOf = ({ is, problems, search, places, by, since }: RowFilter): Record<string, string | null> => ({
  is: is.join(',') || null,
  problem: (is.includes('problems') && problems.join(',')) || null,
  q: search || null,
  find: places.length === SEARCH_PLACES.length ? null : places.join(','),
  by: by || null,
  since: since || null,
})

export const asksForAll = ({ is, search, by, since }: RowFilter): boolean =>
  is.length === 0 && search.trim() === '' && by === '' && since === ''

export interface FilterFacts {
  /** Ids of rows with unsaved texts. */
  unsaved: ReadonlySet<string>
  /** Of the main language. */
  marks?: RowMarks | undefined
  /** Ids of rows that were changed as the filter asks; undefined while that is not known. */
  changed?: ReadonlySet<string> | undefined
}

export function matcher(filter: RowFilter, { unsaved, marks, changed }: FilterFacts): (row: EditorRow) => boolean {
  const words = folded(filter.search).split(/\s+/u).filter(Boolean)
  const asksChanged = filter.by !== '' || filter.since !== ''
  const hasProblem = ({ problems }: RowCell) =>
    filter.problems.length === 0 || problems.some(({ kind }) => filter.problems.includes(problemKind(kind)))
  return row => {
    const cell = row.cells[0]!
    const isKind = (kind: KindOfRow) => {
      if (kind === 'unsaved') return unsaved.has(row.id)
      if (isRowMark(kind)) return hasMark(kind, row.id, cell, marks)
      return cell.is.includes(kind) && (kind !== 'problems' || hasProblem(cell))
    }
    if (filter.is.length > 0 && !filter.is.some(isKind)) return false
    if (asksChanged && !changed?.has(row.id)) return false
    return words.length === 0 || hasWords(row, words, filter.places)
  }
}

export const isRowMark = (kind: KindOfRow): kind is RowMark => (ROW_MARKS as readonly string[]).includes(kind)

export function countKinds(rows: readonly EditorRow[], { unsaved, marks }: FilterFacts): Record<KindOfRow, number> {
  const counts = Object.fromEntries(KINDS_OF_ROW.map(kind => [kind, 0])) as Record<KindOfRow, number>
  for (const row of rows) {
    const cell = row.cells[0]!
    for (const kind of cell.is) counts[kind]++
    for (const mark of ROW_MARKS) if (hasMark(mark, row.id, cell, marks)) counts[mark]++
    if (unsaved.has(row.id)) counts.unsaved++
  }
  return counts
}

/** Each typed letter searches all rows, so their lower-case texts are cached as long as the rows live. */
const known = new WeakMap<EditorRow, Record<SearchPlace, string>>()

function hasWords(row: EditorRow, words: readonly string[], places: readonly SearchPlace[]): boolean {
  const says = known.get(row) ?? {
    key: folded(`${row.namespace}:${row.key}`),
    source: folded(saidIn(row.source)),
    target: folded(row.cells.map(({ message }) => saidIn(message)).join('\n')),
  }
  known.set(row, says)
  return words.every(word => places.some(place => says[place].includes(word)))
}

const saidIn = (message: Message | undefined) =>
  linesOf(partsOf(message))
    .map(([, text]) => text)
    .join('\n')

/** Equal for what differs in case or composition alone: `Straße` and `STRASSE`, `é` and `e` with an accent. */
export const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
