/** The filter of rows, as it stands in the address. */
import { linesOf, type Message, partsOf } from '../../../bundle/message.ts'
import { KEY_MARKS } from '../../../bundle/status.ts'
import { hasProblem } from './problem-kinds.ts'
import { hasMark, ROW_MARKS, type RowMark, type RowMarks } from './row-marks.ts'
import type { EditorRow } from './rows.ts'

/** The conditions on a row's main language, in the order of the menu. */
export const KINDS_OF_ROW = [...KEY_MARKS, ...ROW_MARKS, 'unsaved'] as const
export type KindOfRow = (typeof KINDS_OF_ROW)[number]

/** Where a search looks. */
export const SEARCH_PLACES = ['key', 'source', 'target'] as const
type SearchPlace = (typeof SEARCH_PLACES)[number]

/** The filter's values. */
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

/** All rows. */
export const ALL: RowFilter = { is: [], problems: [], search: '', places: SEARCH_PLACES, by: '', since: '' }

/** The filter of an address. */
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

/** Whether it asks for all rows. */
export const asksForAll = ({ is, search, by, since }: RowFilter): boolean =>
  is.length === 0 && search.trim() === '' && by === '' && since === ''

/** The data that a filter needs beside the rows. */
export interface FilterFacts {
  /** Ids of rows with unsaved texts. */
  unsaved: ReadonlySet<string>
  /** Of the main language. */
  marks?: RowMarks | undefined
  /** Ids of rows that were changed as the filter asks; undefined while that is not known. */
  changed?: ReadonlySet<string> | undefined
}

/** A test of rows by a filter. */
export function matcher(filter: RowFilter, { changed, ...facts }: FilterFacts): (row: EditorRow) => boolean {
  const words = folded(filter.search).split(/\s+/u).filter(Boolean)
  const asksChanged = filter.by !== '' || filter.since !== ''
  return row => {
    const fits = (kind: KindOfRow) =>
      isKind(row, kind, facts) && (kind !== 'problems' || hasProblem(row, filter.problems))
    if (filter.is.length > 0 && !filter.is.some(fits)) return false
    if (asksChanged && !changed?.has(row.id)) return false
    return words.length === 0 || hasWords(row, words, filter.places)
  }
}

/** Whether a row's main language is so. */
function isKind(row: EditorRow, kind: KindOfRow, { unsaved, marks }: FilterFacts): boolean {
  if (kind === 'unsaved') return unsaved.has(row.id)
  const cell = row.cells[0]!
  return isRowMark(kind) ? hasMark(kind, row.id, cell, marks) : cell.is.includes(kind)
}

export const isRowMark = (kind: KindOfRow): kind is RowMark => (ROW_MARKS as readonly string[]).includes(kind)

/** How many rows are of each kind. */
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
  let says = known.get(row)
  if (!says) {
    says = {
      key: folded(`${row.namespace}:${row.key}`),
      source: folded(saidIn(row.source)),
      target: folded(row.cells.map(({ message }) => saidIn(message)).join('\n')),
    }
    known.set(row, says)
  }
  return words.every(word => places.some(place => says[place].includes(word)))
}

const saidIn = (message: Message | undefined) =>
  linesOf(partsOf(message))
    .map(([, text]) => text)
    .join('\n')

/** Equal for what differs in case or composition alone: `Straße` and `STRASSE`, `é` and `e` with an accent. */
export const folded = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase()
