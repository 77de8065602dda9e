/** A translation, to be read. */
import type { AddressedDraft } from '../drafts/drafts.ts'
import styles from './cell.module.css'
import { type EditorState, useEditor } from './editor-context.ts'
import { Marks, marksOf, StateOfSave } from './marks.tsx'
import { textsOf, withTexts } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import type { SaveState } from './saving/save-state.ts'
import { conflictsIn, textsIn, useOwnDrafts } from './saving/unsaved-texts.ts'
import { clampedTexts } from './shown-text.tsx'

/** The props of a translation's cell, whether read or edited. */
export interface TranslationCellProps {
  row: EditorRow
  /** The number of the language among the targets. */
  target: number
  isGone: boolean
  state: SaveState | undefined
}

interface Props extends TranslationCellProps {
  isUnsaved: boolean
}

/** The saved text or the draft, for reading. */
export function ReadCell(props: Props) {
  const editor = useEditor()
  return props.isUnsaved ? <TypedCell {...props} /> : read(props, editor, NONE)
}

const NONE: readonly AddressedDraft[] = []

/** Only rows with an unsaved text rerender while the user types. */
function TypedCell(props: Props) {
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
  const texts = textsOf(drafts.length > 0 ? withTexts(cell.message, textsIn(drafts)) : cell.message)
  const shown = Object.keys(texts).length > 0 && clampedTexts(texts, editor.columns.targets[target]!, editor)
  return (
    <div className={styles.beside}>
      {shown}
      {(isGone || marked.length > 0 || drafts.length > 0 || cell.is.some(kind => kind !== 'translated')) && (
        <Marks
          is={cell.is}
          marked={marked}
          isBrief
          unsaved={drafts.length > 0}
          conflict={drafts.length > 0 && conflictsIn(drafts, cell).length > 0}
          gone={isGone}
        />
      )}
      {state && <StateOfSave state={state} />}
    </div>
  )
}
