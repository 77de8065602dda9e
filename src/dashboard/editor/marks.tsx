/** The status of a text as a word and an icon, and that of its save. */
import type { KeyMark } from '../../bundle/status.ts'
import { Badge } from '../ui/badge.tsx'
import '../ui/sign.css'
import { Notice, type NoticeKind } from '../ui/notice.tsx'
import { type EditorState, useEditor } from './editor-context.ts'
import styles from './marks.module.css'
import { hasMark, type KindOfRow, ROW_MARKS, type RowMark } from './model/filter.ts'
import type { EditorRow } from './model/rows.ts'
import type { SaveState } from './saving/save-state.ts'

/** The tone of each kind; the others have none. */
const TONES: Partial<Record<KindOfRow, NoticeKind>> = {
  missing: 'bad',
  empty: 'bad',
  incomplete: 'warn',
  stale: 'warn',
  problems: 'bad',
  extra: 'info',
  unapproved: 'info',
  refused: 'warn',
  suggested: 'info',
  unsaved: 'info',
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
    <span className={`quiet ${styles.translated}`} data-sign={quiet} {...(isBrief && { title: t(`is.${quiet}`) })}>
      {isBrief ? <span className="hidden">{t(`is.${quiet}`)}</span> : t(`is.${quiet}`)}
    </span>
  )
  // One element: each scrolled frame renders some.
  if (word && loud.length === 0 && !gone) return word
  return (
    <span className={styles.marks}>
      {word}
      {loud.map(kind => (
        <Badge key={kind} sign={kind} kind={TONES[kind]}>
          {t(`is.${kind}`)}
        </Badge>
      ))}
      {conflict && (
        <Badge sign="problems" kind="warn">
          {t('conflict')}
        </Badge>
      )}
      {gone && <Badge sign="gone">{t('noLongerMatches')}</Badge>}
    </span>
  )
}

/** That a save is running, or why it failed. */
export function StateOfSave({ state }: { state: SaveState }) {
  const { t } = useEditor()
  if (!('why' in state)) return <span className="quiet">{t('saving')}</span>
  return (
    <Notice kind="bad" announced>
      {t('notSavedWhy', { why: state.why })}
    </Notice>
  )
}
