/** The grid: one row for each key, and in the tree one for each heading. Only visible rows are rendered. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { useDrawn } from '../ui/use-drawn.ts'
import { type RowDensity, useDensity, usePrinting } from './browser-state.ts'
import { type EditorPosition, useEditor, useMove } from './editor-context.ts'
import styles from './grid.module.css'
import { GridCell } from './grid-cell.tsx'
import type { GroupItem, Item, RowItem } from './model/items.ts'
import { commandOf } from './model/keyboard.ts'
import { linesIn } from './model/leaves.ts'
import { type SaveStates, saveId } from './saving/save-state.ts'

interface Props {
  items: readonly Item[]
  at: EditorPosition | undefined
  unsaved: ReadonlySet<string>
  gone: ReadonlySet<string>
  states: SaveStates
  label: string
}

/** Roles and keys are those of WAI-ARIA's grid; the row with the focus stays drawn wherever one scrolls. */
export function Grid({ items, at, unsaved, gone, states, label }: Props) {
  const { actions, order, isMac, isTree, columns } = useEditor()
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const atId = at?.id
  const index = useMemo(() => (atId === undefined ? -1 : items.findIndex(({ id }) => id === atId)), [items, atId])
  const isPrinting = usePrinting()
  const density = useDensity()
  const drawn = useDrawn(scroller, body, items, index, HEIGHTS[density])
  const frame = useRef(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only `move` scrolls, not changed rows
  useLayoutEffect(() => {
    if (!at || at.move === 0 || index === -1) return
    const show = () => {
      const line = body.current?.querySelector<HTMLElement>(`[aria-rowindex="${index + 2}"]`)
      if (!line) return
      const fits = line.offsetHeight < scroller.current!.clientHeight * 0.9
      line.scrollIntoView({ block: fits ? 'nearest' : 'start' })
      const button = line.querySelector('[data-next]')
      if (button && at.pointer !== undefined) {
        scroller.current!.scrollTop += button.getBoundingClientRect().top - at.pointer
      }
      if (line.contains(document.activeElement)) document.activeElement!.scrollIntoView({ block: 'nearest' })
    }
    show()
    drawn.look()
    // An open row is taller than it was a moment ago.
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => {
      frame.current = requestAnimationFrame(show)
    })
  }, [at?.move])
  // Not in the effect above: the row gets the focus before it is visible, and that ends the move.
  useEffect(() => () => cancelAnimationFrame(frame.current), [])

  const keyed = (event: KeyboardEvent) => {
    const isCell = (event.target as HTMLElement).matches('[role="gridcell"], [role="rowheader"]')
    const asked = commandOf(event.nativeEvent, isCell ? 'grid' : 'field', isMac)
    if (!asked || asked.command === 'placeholder') return
    event.preventDefault()
    actions.command(asked.command)
  }
  const first = index === -1 ? items[0]?.id : undefined
  const atOf = (id: string) => (id === atId ? at : id === first ? FIRST : undefined)
  // Rows stand below each other. Padding stands for the rows that are not rendered.
  const lines = isPrinting ? items.map((_, index) => ({ index, gap: 0 })) : drawn.lines
  const padding = `${lines[0]?.gap ?? 0}px ${isPrinting ? 0 : drawn.after}px`
  return (
    <div ref={scroller} className={styles.scroller} data-density={density}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: each of its two roles is one of a grid */}
      {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles allow these */}
      <div
        role={isTree ? 'treegrid' : 'grid'}
        aria-label={label}
        aria-rowcount={items.length + 1}
        aria-colcount={order.length}
        className={styles.grid}
        style={{ '--targets': order.length - 1 } as CSSProperties}
        onKeyDown={keyed}
      >
        <Headings />
        <div ref={body} role="rowgroup" className={styles.body} style={{ paddingBlock: padding }}>
          {lines.map(({ index, gap }, line) => {
            const item = items[index]!
            const shared = { index, gap: line === 0 ? 0 : gap, at: atOf(item.id) }
            if (item.kind === 'group') return <GroupRow key={item.id} {...shared} item={item} />
            return (
              <GridRow
                key={item.id}
                {...shared}
                item={item}
                isUnsaved={unsaved.has(item.id)}
                isGone={gone.has(item.id)}
                states={columns.targets.some(one => states.has(saveId(item.id, one))) ? states : NONE}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Px. */
const LINE = 22.5
/** Lines of the text in a closed row. */
const MOST_LINES = 2

/** @param padding px, with the border @returns the height of a line before it is rendered: that of its longest text */
const heightWith = (padding: number) => (item: Item) => {
  const messages = item.kind === 'row' ? [item.row.source, ...item.row.cells.map(({ message }) => message)] : []
  return padding + LINE * Math.min(MOST_LINES, Math.max(1, ...messages.map(linesIn)))
}
const HEIGHTS: Record<RowDensity, (item: Item) => number> = { comfort: heightWith(21), compact: heightWith(9) }

/** The state of a row without a running save. One shared value avoids rerenders. */
const NONE: SaveStates = new Map()

/** The Tab stop of a grid without a current cell. */
const FIRST: EditorPosition = { id: '', column: 'key', isEditing: false, move: 0 }

/** One heading for each column, with its language. */
const Headings = memo(function Headings() {
  const { t, i18n } = useTranslation('editor')
  const { columns, order } = useEditor()
  return (
    <div role="rowgroup" className={styles.headings}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: headings are not moved to */}
      <div role="row" aria-rowindex={1} className={styles.row}>
        {order.map((column, index) => {
          const language = column === 'source' ? columns.source : columns.targets[column as number]
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: headings are not moved to
            <div key={column} role="columnheader" aria-colindex={index + 1} className={styles.cell}>
              {language === undefined ? (
                t('common:key')
              ) : (
                <>
                  {languageName(language, i18n.language)} <code>{language}</code>
                  {language === columns.source && <span className="quiet"> · {t('source')}</span>}
                </>
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
})

interface GridLine {
  index: number
  /** Px between it and the line that is drawn above it. */
  gap: number
  /** Where one is, if in this line. */
  at: EditorPosition | undefined
}

const lineProps = ({ index, gap }: GridLine) => ({
  // From 1: the heading is the first.
  'aria-rowindex': index + 2,
  ...(gap > 0 && { style: { marginBlockStart: gap } }),
})

interface RowProps extends GridLine {
  item: RowItem
  isUnsaved: boolean
  isGone: boolean
  states: SaveStates
}

/** A key: its cells; while it is edited with its fields. */
const GridRow = memo(function GridRow(props: RowProps) {
  const { item, at, isGone } = props
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
          {...props}
          column={column}
          index={index}
          at={at?.column === column ? at : undefined}
          isOpen={isOpen}
        />
      ))}
    </div>
  )
})

/** A namespace, or keys that begin alike. Opens and closes with Enter, the arrows of its direction, or a click. */
const GroupRow = memo(function GroupRow(props: GridLine & { item: GroupItem }) {
  const { item, at } = props
  const { actions, order } = useEditor()
  const own = useRef<HTMLDivElement>(null)
  useMove(at, () => own.current?.focus({ preventScroll: true }))
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
