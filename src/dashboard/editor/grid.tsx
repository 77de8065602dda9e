/** The grid: one row for each key. Only visible rows are rendered. */
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName } from '../i18n/languages.ts'
import { useDrawn } from '../ui/use-drawn.ts'
import { type RowDensity, useDensity } from './density.ts'
import { type Column, type EditorPosition, useEditor } from './editor-context.ts'
import styles from './grid.module.css'
import { GridRow } from './grid-row.tsx'
import { GroupRow } from './group-row.tsx'
import type { Item } from './model/items.ts'
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
  const languages = columns.targets
  const scroller = useRef<HTMLDivElement>(null)
  const atId = at?.id
  const index = useMemo(() => (atId === undefined ? -1 : items.findIndex(({ id }) => id === atId)), [items, atId])
  const isPrinting = usePrinting()
  const body = useRef<HTMLDivElement>(null)
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
    const target = event.target as HTMLElement
    const isCell = target.matches('[role="gridcell"], [role="rowheader"]')
    const asked = commandOf(event.nativeEvent, isCell ? 'grid' : 'field', isMac)
    if (!asked || asked.command === 'placeholder') return
    event.preventDefault()
    actions.command(asked.command)
  }
  const first = at === undefined || index === -1 ? items[0]?.id : undefined
  const atOf = (id: string) => (id === atId ? at : id === first ? FIRST : undefined)
  // Rows stand below each other. Padding stands for the rows that are not rendered.
  const lines = isPrinting ? items.map((_, index) => ({ index, gap: 0 })) : drawn.lines
  const before = lines[0]?.gap ?? 0
  const after = isPrinting ? 0 : drawn.after
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
        style={{ '--targets': order.length - 1 } as React.CSSProperties}
        onKeyDown={keyed}
      >
        <Headings order={order} />
        <div ref={body} role="rowgroup" className={styles.body} style={{ paddingBlock: `${before}px ${after}px` }}>
          {lines.map(({ index: here, gap }, at) => {
            const item = items[here]!
            const shared = {
              index: here,
              gap: at === 0 ? 0 : gap,
              at: atOf(item.id),
            }
            if (item.kind === 'group') return <GroupRow key={item.id} {...shared} item={item} />
            return (
              <GridRow
                key={item.id}
                {...shared}
                item={item}
                isUnsaved={unsaved.has(item.id)}
                isGone={gone.has(item.id)}
                states={languages.some(one => states.has(saveId(item.id, one))) ? states : NONE}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Px of a line's text. */
const LINE = 22.5
/** Lines of the text in a closed row. */
const MOST_LINES = 2

/** @param padding px, with the border @returns the height of a line before it is rendered: that of its longest text */
const heightWith = (padding: number) => (item: Item) => {
  const { source, cells } = item.kind === 'row' ? item.row : { source: undefined, cells: [] }
  const most = cells.reduce((most, { message }) => Math.max(most, linesIn(message)), 1)
  return padding + LINE * Math.min(MOST_LINES, Math.max(most, linesIn(source)))
}
const HEIGHTS: Record<RowDensity, (item: Item) => number> = { comfort: heightWith(21), compact: heightWith(9) }

/** The state of a row without a running save. One shared value avoids rerenders. */
const NONE: SaveStates = new Map()

/** The Tab stop of a grid without a current cell. */
const FIRST: EditorPosition = { id: '', column: 'key', isEditing: false, move: 0 }

/** One heading for each column, with its language. */
const Headings = memo(function Headings({ order }: { order: readonly Column[] }) {
  const { t, i18n } = useTranslation('editor')
  const { columns } = useEditor()
  return (
    <div role="rowgroup" className={styles.headings}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: headings are not moved to */}
      <div role="row" aria-rowindex={1} className={styles.row}>
        {order.map((column, index) => {
          const language = column === 'source' ? columns.source : columns.targets[column as number]
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: headings are not moved to
            <div key={column} role="columnheader" aria-colindex={index + 1} className={styles.cell}>
              {column === 'key' ? (
                t('common:key')
              ) : (
                <>
                  {languageName(language!, i18n.language)} <code>{language}</code>
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

let isPrinting = false

function subscribe(changed: () => void): () => void {
  const noted = ({ type }: Event) => {
    isPrinting = type === 'beforeprint'
    changed()
  }
  for (const name of ['beforeprint', 'afterprint']) addEventListener(name, noted)
  return () => {
    for (const name of ['beforeprint', 'afterprint']) removeEventListener(name, noted)
  }
}

/** True from before the browser's snapshot until after it, so that the snapshot has everything rendered. */
const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting)
