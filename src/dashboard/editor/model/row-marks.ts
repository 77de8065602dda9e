/** What the server alone knows of the texts of a language: approvals, machines, suggestions. */
import type { GateFault } from '../../api/late-client.ts'
import type { NamespacedKey, RowCell } from './rows.ts'

/** Marks beside those of `KEY_MARKS`, in the order of the menu. */
export const ROW_MARKS = ['approved', 'unapproved', 'machine', 'refused', 'suggested'] as const
export type RowMark = (typeof ROW_MARKS)[number]

/** A refused translation. */
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

/** Whether a text has a mark. A missing or empty text is neither approved nor unapproved. */
export function hasMark(mark: RowMark, id: string, cell: RowCell, marks: RowMarks | undefined): boolean {
  if (!marks) return false
  if (mark === 'suggested' || mark === 'machine') return marks[mark].has(id)
  if (mark === 'refused') return marks.refused.has(id) && isRest(cell)
  return marks.listed !== undefined && isFilled(cell) && (mark === marks.lists) === marks.listed.has(id)
}

/** Whether a machine would translate the cell: its text is missing, empty or stale. */
const isRest = ({ is }: RowCell): boolean => is.some(one => one === 'missing' || one === 'empty' || one === 'stale')

/** Whether a cell has a text that can be approved. */
export const isFilled = ({ message, is }: RowCell): boolean => message !== undefined && !is.includes('empty')
