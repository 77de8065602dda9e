/** A key in the grid. */
import { memo, useEffect, useRef } from 'react'
import type { At, Column } from './context.ts'
import { useEditor } from './context.ts'
import { Details } from './details.tsx'
import styles from './grid.module.css'
import type { RowItem } from './model/items.ts'
import { textsOf } from './model/leaves.ts'
import { shownTexts } from './shown-text.tsx'
import { SourceChange } from './source-change.tsx'
import { EditCell, ReadCell } from './target-cell.tsx'
import type { SaveState, SaveStates } from './use-saves.ts'
import { saveId } from './use-saves.ts'

/** What each line of the grid is given. */
export interface Line {
  /** Among all lines, from 0. */
  index: number
  /** Px between it and the line that is drawn above it. */
  gap: number
  /** Where one is, if in this line. */
  at: At | undefined
}

/** The attributes of a line's element. */
export const lineProps = ({ index, gap }: Line) => ({
  // From 1: the heading is the first.
  'aria-rowindex': index + 2,
  ...(gap > 0 && { style: { marginBlockStart: gap } }),
})

interface Props extends Line {
  item: RowItem
  isUnsaved: boolean
  isGone: boolean
  states: SaveStates
}

/** Its cells; while it is edited with its fields, and with what there is to know below. */
export const GridRow = memo(function GridRow(props: Props) {
  const { item, at, isUnsaved, isGone, states } = props
  const { order } = useEditor()
  const isOpen = at?.isEditing === true
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the cells of a grid are what has the focus
    <div
      {...lineProps(props)}
      role="row"
      {...(item.depth > 0 && { 'aria-level': item.depth + 1 })}
      className={`${styles.row} ${isOpen ? styles.open : ''}`}
      data-gone={isGone || undefined}
    >
      {order.map((column, index) => (
        <Cell
          key={column}
          item={item}
          column={column}
          index={index}
          at={at?.column === column ? at : undefined}
          isOpen={isOpen}
          isUnsaved={isUnsaved}
          isGone={isGone}
          states={states}
        />
      ))}
      {isOpen && (
        // biome-ignore lint/a11y/useFocusableInteractive: nothing in it is moved to by arrows
        <div role="gridcell" aria-colindex={1} aria-colspan={order.length} className={styles.details}>
          <Details row={item.row} />
        </div>
      )}
    </div>
  )
})

interface CellProps extends Omit<Props, Exclude<keyof Line, 'at'>> {
  column: Column
  index: number
  isOpen: boolean
}

function Cell({ item, column, index, at, isOpen, isUnsaved, isGone, states }: CellProps) {
  const editor = useEditor()
  const { actions, columns, showsNamespaces, t } = editor
  const { row, name, depth } = item
  const own = useRef<HTMLDivElement>(null)
  // What has the focus by a press is gone to when that is over: a row that closed before would move this one away.
  const isPressed = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it goes there when it is told to
  useEffect(() => {
    if (at && at.move > 0 && (!at.isEditing || typeof column !== 'number')) own.current?.focus({ preventScroll: true })
  }, [at?.move])
  const target = typeof column === 'number' ? column : undefined
  const language = target === undefined ? columns.source : columns.targets[target]!
  const state: SaveState | undefined = states.get(saveId(row.id, language))
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role of a cell, of two
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both of them take these
    <div
      ref={own}
      role={column === 'key' ? 'rowheader' : 'gridcell'}
      aria-colindex={index + 1}
      tabIndex={at && !at.isEditing ? 0 : -1}
      className={`${styles.cell} ${column === 'key' ? styles.key : ''}`}
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
          {showsNamespaces && <span className="quiet">{row.namespace}</span>}
          <code {...(depth > 0 && { title: row.key, style: { paddingInlineStart: `${depth}em` } })}>{name}</code>
        </>
      ) : target === undefined ? (
        <>
          {row.source === undefined ? (
            <span className="quiet">{t('noSource')}</span>
          ) : (
            shownTexts(textsOf(row.source), columns.source, editor)
          )}
          {isOpen && <SourceChange row={row} />}
        </>
      ) : isOpen ? (
        <EditCell row={row} target={target} isGone={isGone && target === 0} state={state} at={at} />
      ) : (
        <ReadCell row={row} target={target} isUnsaved={isUnsaved} isGone={isGone && target === 0} state={state} />
      )}
    </div>
  )
}
