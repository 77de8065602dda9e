/** A key in the grid. */
import { memo } from 'react'
import { type EditorPosition, useEditor } from './editor-context.ts'
import styles from './grid.module.css'
import { GridCell } from './grid-cell.tsx'
import type { RowItem } from './model/items.ts'
import type { SaveStates } from './saving/save-state.ts'

/** The props of each line of the grid. */
export interface GridLine {
  /** Among all lines, from 0. */
  index: number
  /** Px between it and the line that is drawn above it. */
  gap: number
  /** Where one is, if in this line. */
  at: EditorPosition | undefined
}

/** The attributes of a line's element. */
export const lineProps = ({ index, gap }: GridLine) => ({
  // From 1: the heading is the first.
  'aria-rowindex': index + 2,
  ...(gap > 0 && { style: { marginBlockStart: gap } }),
})

interface Props extends GridLine {
  item: RowItem
  isUnsaved: boolean
  isGone: boolean
  states: SaveStates
}

/** Its cells; while it is edited with its fields. */
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
        <GridCell
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
    </div>
  )
})
