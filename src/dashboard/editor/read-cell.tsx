/** A translation, to be read: its text, its status as words and icons, and the state of its save. */
import type { KeyMark } from '../../bundle/status.ts'
import type { AddressedDraft } from '../drafts/drafts.ts'
import '../ui/sign.css'
import { Badge, Notice, type NoticeKind } from '../ui/notice.tsx'
import styles from './cell.module.css'
import { type EditorState, useEditor } from './editor-context.ts'
import { hasMark, type KindOfRow, ROW_MARKS, type RowMark } from './model/filter.ts'
import { textsOf, withTexts } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import type { SaveState } from './saving/save-state.ts'
import { conflictsIn, textsIn, useOwnDrafts } from './saving/unsaved-texts.ts'
import { clampedTexts } from './shown-text.tsx'

export interface TranslationCellProps {
  row: EditorRow
  /** The number of the language among the targets. */
  target: number
  isGone: boolean
  state: SaveState | undefined
}

/** The saved text or the draft. Only rows with an unsaved text rerender while the user types. */
export function ReadCell({ isUnsaved, ...props }: TranslationCellProps & { isUnsaved: boolean }) {
  const editor = useEditor()
  return isUnsaved ? <TypedCell {...props} /> : read(props, editor, [])
}

function TypedCell(props: TranslationCellProps) {
  const editor = useEditor()
  return read(props, editor, useOwnDrafts(editor.slug, props.row, editor.columns.targets[props.target]!))
}

/** Not a component of its own: each frame that is scrolled draws some. */
function read(
  { row, target, isGone, state }: TranslationCellProps,
  editor: EditorState,
  drafts: readonly AddressedDraft[],
) {
  const cell = row.cells[target]!
  const marked = marksOf(editor, row, target, false)
  const isTyped = drafts.length > 0
  const texts = textsOf(isTyped ? withTexts(cell.message, textsIn(drafts)) : cell.message)
  return (
    <div className={styles.beside}>
      {Object.keys(texts).length > 0 && clampedTexts(texts, editor.columns.targets[target]!, editor)}
      {(isGone || marked.length > 0 || isTyped || cell.is.some(kind => kind !== 'translated')) && (
        <Marks
          is={cell.is}
          marked={marked}
          isBrief
          unsaved={isTyped}
          conflict={isTyped && conflictsIn(drafts, cell).length > 0}
          gone={isGone}
        />
      )}
      {state && <StateOfSave state={state} />}
    </div>
  )
}

/**
 * The marks of a row to show. A text that is not approved is an ordinary one without a review, and in a closed row
 * where most texts are like it.
 */
export function marksOf({ marks, permits }: EditorState, row: EditorRow, target: number, isOpen: boolean): RowMark[] {
  const isException = permits[target]!.isReviewed && (isOpen || marks[target]!.lists === 'unapproved')
  return ROW_MARKS.filter(
    mark => hasMark(mark, row.id, row.cells[target]!, marks[target]) && (mark !== 'unapproved' || isException),
  )
}

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

interface MarksProps {
  is: readonly KeyMark[]
  marked: readonly RowMark[]
  /** The mark of an approval is a sign, with its word for screen readers. */
  isBrief?: boolean
  unsaved: boolean
  /** Another text was saved since the unsaved one was begun. */
  conflict?: boolean
  gone: boolean
}

/** Badges. The status `translated`, where it is all, and an approval have a quiet word. */
export function Marks({ is, marked, isBrief, unsaved, conflict, gone }: MarksProps) {
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
    <span className={`row1 ${styles.marks}`}>
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
