/** A cell of the grid. */
import { Pencil } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { afterFocus } from '../ui/focus.ts'
import { setSearch } from '../ui/location.ts'
import { EditCell } from './edit-cell.tsx'
import { type Column, type EditorPosition, type EditorState, useEditor } from './editor-context.ts'
import styles from './grid.module.css'
import { whenIdle } from './idle.ts'
import type { RowItem } from './model/items.ts'
import { linesIn, textsOf } from './model/leaves.ts'
import type { EditorRow } from './model/rows.ts'
import { ReadCell } from './read-cell.tsx'
import { type SaveState, type SaveStates, saveId } from './saving/save-state.ts'
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
  /** Where one is, if in this cell. */
  at: EditorPosition | undefined
  isOpen: boolean
  isUnsaved: boolean
  isGone: boolean
  states: SaveStates
}

/** The key, the source or a translation. The grid handles its keyboard events. */
export function GridCell({ item, column, index, at, isOpen, isUnsaved, isGone, states }: Props) {
  const editor = useEditor()
  const { actions, columns, showsNamespaces } = editor
  const { row, name, depth } = item
  const own = useRef<HTMLDivElement>(null)
  // A pressed cell becomes the current one after the press: a row that closed earlier would move it away.
  const isPressed = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only `move` moves the focus
  useEffect(() => {
    if (at && at.move > 0 && (!at.isEditing || typeof column !== 'number')) own.current?.focus({ preventScroll: true })
  }, [at?.move])
  const target = typeof column === 'number' ? column : undefined
  const language = target === undefined ? columns.source : columns.targets[target]!
  const state: SaveState | undefined = states.get(saveId(row.id, language))
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
        if (event.target !== event.currentTarget || isPressed.current) return
        actions.here(row.id, column, { isEditing: isOpen })
      }}
      onClick={event => {
        isPressed.current = false
        if (isOpen || document.getSelection()?.isCollapsed === false) {
          if (document.activeElement === event.currentTarget) actions.here(row.id, column, { isEditing: isOpen })
          return
        }
        if (target !== undefined) actions.go(row.id, target, { isEditing: true })
        else actions.go(row.id, column)
      }}
    >
      {column === 'key' ? (
        <>
          <code
            className={name.length > MOST_SHORT ? styles.long : undefined}
            title={depth > 0 || name.length > MOST_SHORT ? row.key : undefined}
            style={depth > 0 ? { paddingInlineStart: `${depth}em` } : undefined}
          >
            {name}
          </code>
          {showsNamespaces && <span className={styles.namespace}> {row.namespace}</span>}
        </>
      ) : target === undefined ? (
        sourceIn(row, isOpen, editor)
      ) : isOpen ? (
        <EditCell row={row} target={target} isGone={isGone && target === 0} state={state} at={at} />
      ) : (
        <ReadCell row={row} target={target} isUnsaved={isUnsaved} isGone={isGone && target === 0} state={state} />
      )}
    </div>
  )
}

/** Characters of a key that fill two lines of the narrowest column. */
const MOST_SHORT = 36

/** Of more lines it scrolls with its translation, else its end would be out of reach. */
const MOST_STUCK = 8

/** The source text. Not a component: each frame that is scrolled renders some. */
function sourceIn(row: EditorRow, isOpen: boolean, editor: EditorState) {
  const { columns, fields, sourcePermit, t } = editor
  if (row.source === undefined) return <span className="quiet">{t('noSource')}</span>
  const texts = textsOf(row.source)
  if (!isOpen) return clampedTexts(texts, columns.source, editor)
  const shown = shownTexts(texts, columns.source, editor)
  const isStuck = linesIn(row.source) < MOST_STUCK
  const edit = () => {
    setSearch({ with: [...columns.targets.slice(1), columns.source].join(',') })
    const [ending = ''] = Object.keys(texts)
    afterFocus(() => fields.get(row.id, columns.source, ending)?.focus())
  }
  return (
    <div className={`${styles.source} ${isStuck ? styles.sticks : ''}`}>
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
