/** The heading of a namespace, or of keys that begin alike, in the tree. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { memo, useEffect, useRef } from 'react'
import { useEditor } from './editor-context.ts'
import styles from './grid.module.css'
import { type GridLine, lineProps } from './grid-row.tsx'
import type { GroupItem } from './model/items.ts'

/** Opens and closes with Enter, the arrows of its direction, or a click. */
export const GroupRow = memo(function GroupRow(props: GridLine & { item: GroupItem }) {
  const { item, at } = props
  const { actions, order } = useEditor()
  const own = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only `move` moves the focus
  useEffect(() => {
    if (at && at.move > 0) own.current?.focus({ preventScroll: true })
  }, [at?.move])
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the cell of the heading is what has the focus
    <div
      {...lineProps(props)}
      role="row"
      aria-level={item.depth + 1}
      aria-expanded={item.isOpen}
      className={`${styles.row} ${styles.group}`}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the grid hears the keys */}
      <div
        ref={own}
        role="rowheader"
        aria-colindex={1}
        aria-colspan={order.length}
        tabIndex={at ? 0 : -1}
        className={`${styles.cell} ${styles.heading}`}
        onFocus={() => actions.here(item.id, 'key')}
        onClick={() => {
          actions.here(item.id, 'key')
          actions.toggle(item.id)
        }}
        style={{ paddingInlineStart: `${item.depth + 0.5}em` }}
      >
        {item.isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden className={styles.turned} />}
        <code>{item.name}</code> <span className="quiet">{item.count}</span>
      </div>
    </div>
  )
})
