/** The status of a text as a word and a sign. */
import type { KeyMark } from '../../bundle/status.ts'
import { Badge } from '../ui/badge.tsx'
import type { NoticeKind } from '../ui/notice.tsx'
import { type EditorState, useEditor } from './editor-context.ts'
import styles from './marks.module.css'
import type { KindOfRow } from './model/filter.ts'
import { hasMark, ROW_MARKS, type RowMark } from './model/row-marks.ts'
import type { EditorRow } from './model/rows.ts'

/** The sign and tone of each kind. */
export const SIGNS: Record<KindOfRow, { sign: string; kind?: NoticeKind }> = {
  missing: { sign: '○', kind: 'bad' },
  empty: { sign: '◌', kind: 'bad' },
  incomplete: { sign: '◐', kind: 'warn' },
  stale: { sign: '↻', kind: 'warn' },
  problems: { sign: '!', kind: 'bad' },
  translated: { sign: '✓', kind: 'good' },
  extra: { sign: '+', kind: 'info' },
  approved: { sign: '✓✓', kind: 'good' },
  unapproved: { sign: '?', kind: 'info' },
  machine: { sign: '⚙' },
  refused: { sign: '⊘', kind: 'warn' },
  suggested: { sign: '◇', kind: 'info' },
  unsaved: { sign: '✎', kind: 'info' },
}

interface Props {
  is: readonly KeyMark[]
  marked: readonly RowMark[]
  /** The mark of an approval is a sign, with its word for screen readers. */
  isBrief?: boolean
  unsaved?: boolean
  /** Another text was saved since the unsaved one was begun. */
  conflict?: boolean
  gone?: boolean
}

/**
 * The marks of a row to show. A text that is not approved is an ordinary one without a review, and in a closed row
 * where most texts are like it.
 */
export function marksOf({ marks, permits }: EditorState, row: EditorRow, target: number, isOpen: boolean): RowMark[] {
  const cell = row.cells[target]!
  const isException = permits[target]!.isReviewed && (isOpen || marks[target]!.lists === 'unapproved')
  const isShown = (mark: RowMark) => mark !== 'unapproved' || isException
  return ROW_MARKS.filter(mark => hasMark(mark, row.id, cell, marks[target]) && isShown(mark))
}

/** Badges. The status `translated`, where it is all, and an approval have a quiet word. */
export function Marks({ is, marked, isBrief, unsaved, conflict, gone }: Props) {
  const { t } = useEditor()
  const kinds: KindOfRow[] = [...is, ...marked, ...(unsaved ? ['unsaved' as const] : [])]
  const loud = kinds.filter(kind => kind !== 'translated' && kind !== 'approved')
  const quiet = marked.includes('approved') ? 'approved' : loud.length === 0 && !gone ? 'translated' : undefined
  const word = quiet && (
    <span
      className={`quiet ${styles.translated}`}
      data-sign={SIGNS[quiet].sign}
      {...(isBrief && { title: t(`is.${quiet}`) })}
    >
      {isBrief ? <span className="hidden">{t(`is.${quiet}`)}</span> : t(`is.${quiet}`)}
    </span>
  )
  // One element: each scrolled frame renders some.
  if (word && loud.length === 0 && !gone) return word
  return (
    <span className={styles.marks}>
      {word}
      {loud.map(kind => (
        <Badge key={kind} mark={SIGNS[kind].sign} {...(SIGNS[kind].kind && { kind: SIGNS[kind].kind })}>
          {t(`is.${kind}`)}
        </Badge>
      ))}
      {conflict && (
        <Badge mark="≠" kind="warn">
          {t('conflict')}
        </Badge>
      )}
      {gone && <Badge mark="↷">{t('noLongerMatches')}</Badge>}
    </span>
  )
}
