/** Coloured parts of fields by the CSS Custom Highlight API: the text itself stays the browser's own. */
import { type Interpolation, placedIn } from '../../../bundle/placeholders.ts'
import { isHeavy } from '../model/leaves.ts'
import { type Invisible, invisibleIn } from './invisible.ts'
import { rangesIn, readText } from './text-dom.ts'

/** Names in `highlights.css`. */
type Name = 'parlance-placeholder' | 'parlance-unknown' | 'parlance-space'

/** Spaces that are coloured in one field; more would slow each key press down. */
const MOST_SPACES = 200

/** The content of a field to highlight. */
interface FieldContent {
  /** The placeholders of the source; others are marked as unknown. Undefined marks none. */
  placeholders: readonly string[] | undefined
  interpolation: Interpolation | undefined
  invisible: boolean
}

/** The highlights of one field. */
export class FieldHighlights {
  #ranges: [Name, Range][] = []

  /** Of a heavy text nothing is coloured. @returns what has no width of its own, to be shown beside the text */
  show(field: HTMLElement, { placeholders, interpolation, invisible }: FieldContent): Invisible[] {
    this.clear()
    const text = readText(field)
    if (!('highlights' in CSS) || isHeavy(text, interpolation)) return []
    const spots = placedIn(text, interpolation).map(
      ({ placeholder, from, to }): [Name, { from: number; to: number }] => [
        !placeholders || placeholders.includes(placeholder) ? 'parlance-placeholder' : 'parlance-unknown',
        { from, to },
      ],
    )
    const unseen = invisible ? invisibleIn(text) : []
    const spaces = unseen.filter(({ is }) => is === 'space').slice(0, MOST_SPACES)
    for (const one of spaces) spots.push(['parlance-space', one])
    const ranges = rangesIn(
      field,
      spots.map(([, place]) => place),
    )
    this.#ranges = spots.map(([name], at) => [name, ranges[at]!])
    for (const [name, range] of this.#ranges) highlightOf(name).add(range)
    return unseen.filter(({ is }) => is === 'mark')
  }

  clear(): void {
    for (const [name, range] of this.#ranges) highlightOf(name).delete(range)
    this.#ranges = []
  }
}

/** Shared by all fields: highlight names are global to the document. */
function highlightOf(name: Name): Highlight {
  let highlight = CSS.highlights.get(name)
  if (!highlight) {
    highlight = new Highlight()
    CSS.highlights.set(name, highlight)
  }
  return highlight
}
