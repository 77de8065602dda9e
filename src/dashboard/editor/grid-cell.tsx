/** A cell of the grid. */
import { Pencil } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { afterFocus } from '../ui/focus.ts'
import { setSearch } from '../ui/location.ts'
import { whenIdle } from './browser-state.ts'
import { EditCell } from './edit-cell.tsx'
import { type Column, type EditorPosition, type EditorState, useEditor, useMove } from './editor-context.ts'
import styles from './grid.module.css'
import type { RowItem } from './model/items.ts'
import { linesIn, textsOf } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import { ReadCell } from './read-cell.tsx'
import { type SaveStates, saveId } from './saving/save-state.ts'
import shownText from './shown-text.module.css'
import { clampedTexts, shownTexts } from './shown-text.tsx'

/** Until the browser is idle, and if it cannot be loaded, the source has no marked terms. */
const SourceTerms = lazy(() =>
  new Promise<void>(done => void whenIdle(done))
    .then(() => import('./panel/terms-section.tsx'))
    .catch(() => ({ default: ({ children }: { row: EditorRow; children: ReactNode }) => children })),
)

interface Props {
  item: RowItem
  column: Column
  index: number
  at: EditorPosition | undefined
  isOpen: boolean
  isUnsaved: boolean
  isGone: boolean
  states: SaveStates
}

/** The key, the source or a translation. The grid handles its keyboard events. */
export function GridCell({ item, column, index, at, isOpen, isUnsaved, isGone, states }: Props) {
  const editor = useEditor()
  const { actions, columns } = editor
  const { row } = item
  const own = useRef<HTMLDivElement>(null)
  // A pressed cell becomes the current one after the press: a row that closed earlier would move it away.
  const isPressed = useRef(false)
  const target = typeof column === 'number' ? column : undefined
  useMove(at, () => {
    if (!at?.isEditing || target === undefined) own.current?.focus({ preventScroll: true })
  })
  const language = target === undefined ? columns.source : columns.targets[target]!
  const arrive = () => actions.here(row.id, column, { isEditing: isOpen })
  const translation = (target: number) => {
    const shared = { row, target, isGone: isGone && target === 0, state: states.get(saveId(row.id, language)) }
    return isOpen ? <EditCell {...shared} at={at} /> : <ReadCell {...shared} isUnsaved={isUnsaved} />
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
    // biome-ignore lint/a11y/noStaticElementInteractions: each of its two roles is one of a cell
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles allow these
    <div
      ref={own}
      role={column === 'key' ? 'rowheader' : 'gridcell'}
      aria-colindex={index + 1}
      tabIndex={at && !at.isEditing ? 0 : -1}
      className={`${styles.cell} ${column === 'key' ? styles.key : ''} ${isOpen && at ? styles.active : ''}`}
      data-language={language}
      onPointerDown={() => {
        isPressed.current = true
      }}
      onBlur={() => {
        isPressed.current = false
      }}
      onFocus={event => {
        if (event.target === event.currentTarget && !isPressed.current) arrive()
      }}
      onClick={event => {
        isPressed.current = false
        if (isOpen || document.getSelection()?.isCollapsed === false) {
          if (document.activeElement === event.currentTarget) arrive()
        } else actions.go(row.id, column, { isEditing: target !== undefined })
      }}
    >
      {column === 'key' && nameIn(item, isOpen, editor)}
      {column === 'source' && sourceIn(row, isOpen, editor)}
      {target !== undefined && translation(target)}
    </div>
  )
}

/** Characters of a key that fill two lines of the narrowest column. */
const MOST_SHORT = 36

/** A sentence as a key would have a row as high as a paragraph. */
function nameIn({ row, name, depth }: RowItem, isOpen: boolean, { showsNamespaces }: EditorState) {
  const isLong = name.length > MOST_SHORT
  return (
    <>
      <code
        className={isLong && !isOpen ? shownText.clamped : undefined}
        title={depth > 0 || isLong ? row.key : undefined}
        style={depth > 0 ? { paddingInlineStart: `${depth}em` } : undefined}
      >
        {name}
      </code>
      {showsNamespaces && <span className="quiet"> {row.namespace}</span>}
    </>
  )
}

/** Of more lines it scrolls with its translation, else its end would be out of reach. */
const MOST_STUCK = 8

/** The source text. Not a component: each frame that is scrolled renders some. */
function sourceIn(row: EditorRow, isOpen: boolean, editor: EditorState) {
  const { columns, fields, sourcePermit, t } = editor
  if (row.source === undefined) return <span className="quiet">{t('noSource')}</span>
  const texts = textsOf(row.source)
  if (!isOpen) return clampedTexts(texts, columns.source, editor)
  const shown = shownTexts(texts, columns.source, editor)
  const edit = () => {
    setSearch({ with: [...columns.targets.slice(1), columns.source].join(',') })
    const [ending = ''] = Object.keys(texts)
    afterFocus(() => fields.get(row.id, columns.source, ending)?.focus())
  }
  return (
    <div className={`${styles.source} ${linesIn(row.source) < MOST_STUCK ? styles.sticks : ''}`}>
      <Suspense fallback={shown}>
        <SourceTerms row={row}>{shown}</SourceTerms>
      </Suspense>
      {sourcePermit.mode !== 'read' && (
        <Button
          small
          look="quiet"
          icon={<Pencil aria-hidden />}
          aria-label={t('editSource', { key: row.key })}
          onPress={edit}
        />
      )}
    </div>
  )
}
