/** The rendered lines of a long list: the visible ones, some around them, and the focused one. */
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/**
 * Px beyond the visible part. If less than `NEAR` of them is rendered, all lines up to `AHEAD` are rendered at once.
 * Lines that scroll away stay up to `BEHIND`. Most frames of a scroll then render nothing.
 */
const NEAR = 400
const BEHIND = 600
const AHEAD = 900

/** Lines by their index, `to` is behind the last. */
interface Range {
  from: number
  to: number
}

/**
 * Lines have their natural height. Each height is measured and used while its line is not rendered.
 * @param scroller the scrolling element
 * @param body has a child for each rendered line, with the index + 2 as `aria-rowindex`
 * @param focused index of the line with the focus, which is always rendered; -1 for none
 * @param usualHeight the estimated height of a line in px; another function measures all lines again
 * @returns the lines in their order, each with the px between it and the one that is drawn above it; the px below the
 * last one; and what draws the lines that have come into view
 */
export function useDrawn<Item extends { id: string }>(
  scroller: RefObject<HTMLElement | null>,
  body: RefObject<HTMLElement | null>,
  items: readonly Item[],
  focused: number,
  usualHeight: (item: Item) => number,
): { lines: { index: number; gap: number }[]; after: number; look: () => void } {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another function has other heights
  const known = useMemo(() => new Map<string, number>(), [usualHeight])
  const sizes = useMemo(
    () => Float64Array.from(items, item => known.get(item.id) ?? usualHeight(item)),
    [items, known, usualHeight],
  )
  const [range, setRange] = useState<Range>({ from: 0, to: 0 })
  /** The line that stays where it is when others are drawn above it. */
  const anchor = useRef(0)

  /** @returns the px that lines above the anchor gained by measuring */
  const note = (): number => {
    let more = 0
    for (const line of body.current!.children) {
      const index = Number(line.ariaRowIndex) - 2
      const { height } = line.getBoundingClientRect()
      if (index < anchor.current) more += height - sizes[index]!
      sizes[index] = height
      known.set(items[index]!.id, height)
    }
    return more
  }
  const look = (): Range => {
    const { scrollTop, clientHeight } = scroller.current!
    const end = scrollTop + clientHeight
    const near = between(sizes, scrollTop - NEAR, end + NEAR)
    const isUp = near.from < range.from
    const isDown = range.to < near.to
    const wanted = () => between(sizes, scrollTop - (isDown ? BEHIND : AHEAD), end + (isUp ? BEHIND : AHEAD))
    // After a print, or in a window that has become lower.
    const isMuch = lengthOf(range) > 2 * lengthOf(wanted())
    if (!isUp && !isDown && !isMuch) return range
    note()
    anchor.current = between(sizes, scrollTop, end).from
    return wanted()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it measures the rendered lines before they are painted
  useLayoutEffect(() => {
    const more = note()
    anchor.current = 0
    if (more !== 0) scroller.current!.scrollTop += more
    setRange(look())
  }, [range, sizes])
  const looks = useRef(() => {})
  useLayoutEffect(() => {
    looks.current = () => {
      const wanted = look()
      if (wanted === range) return
      const { scrollTop, clientHeight } = scroller.current!
      const seen = between(sizes, scrollTop, scrollTop + clientHeight)
      if (range.from <= seen.from && seen.to <= range.to) setRange(wanted)
      else flushSync(() => setRange(wanted))
    }
  })
  // As soon as the elements exist, and not later.
  useLayoutEffect(() => {
    const element = scroller.current!
    const listener = () => looks.current()
    const observer = new ResizeObserver(listener)
    observer.observe(element)
    element.addEventListener('scroll', listener, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', listener)
    }
  }, [scroller])

  const indexes: number[] = []
  for (let index = range.from; index < range.to && index < items.length; index++) indexes.push(index)
  if (focused !== -1 && !indexes.includes(focused)) indexes[focused < range.from ? 'unshift' : 'push'](focused)
  let end = 0
  const lines = indexes.map(index => {
    const gap = sum(sizes, end, index)
    end = index + 1
    return { index, gap }
  })
  return { lines, after: sum(sizes, end, sizes.length), look: () => setRange(look()) }
}

const lengthOf = ({ from, to }: Range) => to - from

const sum = (sizes: Float64Array, from: number, to: number): number =>
  sizes.subarray(from, to).reduce((sum, size) => sum + size, 0)

/** The lines between two heights. */
function between(sizes: Float64Array, top: number, bottom: number): Range {
  let from = 0
  let y = 0
  while (from < sizes.length && y + sizes[from]! < top) y += sizes[from++]!
  let to = from
  while (to < sizes.length && y < bottom) y += sizes[to++]!
  return { from, to }
}
