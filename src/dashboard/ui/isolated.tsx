/** A text with placeholders and tags that hold their order among words of the other direction. */
import { createContext, useContext } from 'react'
import { type Interpolation, placedIn } from '../../bundle/placeholders.ts'

/** The interpolation of the project, if it has its own. */
export const InterpolationContext = createContext<Interpolation | undefined>(undefined)

/** Maximum number of placeholders with an element of their own. Long texts would freeze the tab. */
const MOST_PLACED = 200
/** Characters of one text that are searched for placeholders. */
const MOST_CHARACTERS = 20_000

/** Splits a text at its placeholders. `from` is the start of a part in code units. */
export function splitText(text: string, interpolation?: Interpolation) {
  const parts: { is: 'text' | 'placeholder'; from: number; text: string }[] = []
  let at = 0
  for (const { from, to } of placedIn(text.slice(0, MOST_CHARACTERS), interpolation).slice(0, MOST_PLACED)) {
    if (from < at) continue
    if (from > at) parts.push({ is: 'text', from: at, text: text.slice(at, from) })
    parts.push({ is: 'placeholder', from, text: text.slice(from, to) })
    at = to
  }
  if (at < text.length) parts.push({ is: 'text', from: at, text: text.slice(at) })
  return parts
}

/** In Arabic and Hebrew, `</1>` would read `<1/>`: each placeholder is isolated from left to right. */
export function Isolated({ text }: { text: string }) {
  const parts = splitText(text, useContext(InterpolationContext))
  if (parts.every(({ is }) => is === 'text')) return text
  return parts.map(({ is, from, text }) =>
    is === 'text' ? (
      text
    ) : (
      <bdi key={from} dir="ltr">
        {text}
      </bdi>
    ),
  )
}

/** The same within a sentence, which has no elements: Unicode isolates, on a page from right to left. */
export const isolated = (placeholder: string): string =>
  document.documentElement.dir === 'rtl' ? `\u2066${placeholder}\u2069` : placeholder
