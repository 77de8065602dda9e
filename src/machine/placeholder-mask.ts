/** Hides placeholders in a text from an engine that reads markup, and restores them in its answer. */
import { outermost, tagPairs } from '../bundle/gate/gate-faults.ts'
import { COUNT, type Interpolation } from '../bundle/placeholders.ts'
import { withSpaceOf } from './translation.ts'

/** Markup that an engine does not translate. */
export interface MaskStyle {
  /** Stands for a placeholder. */
  hold(id: number, text: string): string
  /** The beginning and the end of what a pair of tags encloses. */
  pair(id: number): [open: string, close: string]
}

/** A text as markup for an engine. */
export interface EngineText {
  text: string
  /** @returns undefined for an answer that lacks the number which stands for `{{count}}`, or repeats it */
  restore(answer: string): string | undefined
}

interface MaskOptions {
  style: MaskStyle
  interpolation: Interpolation | undefined
  /** Stands for `{{count}}`, so that the engine inflects the text for a number. */
  number: number | undefined
  /** The language of the answer, which may write the number in its own way. */
  to: string
}

/** White space around a text stays out of the engine: see `withSpaceOf`. */
export function maskText(source: string, { style, interpolation, number, to }: MaskOptions): EngineText {
  const inner = source.trim()
  const placed = outermost(inner, interpolation)
  const pairs = tagPairs(placed.map(({ placeholder }) => placeholder))
  const held = new Map<string, string>()
  let count: string | undefined
  let text = ''
  let behind = 0
  for (const [index, { placeholder, from, to }] of placed.entries()) {
    text += escapeMarkup(inner.slice(behind, from))
    behind = to
    const written = inner.slice(from, to)
    const pair = pairs.get(index)
    if (placeholder === COUNT && number !== undefined && count === undefined) {
      count = written
      text += String(number)
    } else if (pair) {
      text += style.pair(pair.id)[pair.side]
      held.set(`${pair.id} ${pair.side}`, written)
    } else {
      text += style.hold(index, escapeMarkup(written))
      held.set(String(index), written)
    }
  }
  text += escapeMarkup(inner.slice(behind))
  return {
    text,
    restore: answer => {
      const restored = restoreText(answer.trim(), held)
      const counted = count === undefined ? restored : replaceNumber(restored, number!, count, to)
      return counted === undefined ? undefined : withSpaceOf(source, counted)
    },
  }
}

const MARKUP = /<(\/?)([a-z][\w-]*)((?:[\s/][^<>]*)?)>/gi
/** Elements inside each other: an engine adds no more. */
const MOST_OPEN = 100

/** Replaces the engine's markup by what it stands for. Faults in it are left to the gate. */
function restoreText(answer: string, held: ReadonlyMap<string, string>): string {
  let text = ''
  let behind = 0
  /** Open elements: what their end becomes, and where the text of a held one began. */
  const open: { name: string; end: string; at: number | undefined }[] = []
  for (const { 0: whole, 1: slash, 2: name = '', 3: rest = '', index } of answer.matchAll(MARKUP)) {
    text += readEntities(answer.slice(behind, index))
    behind = index + whole.length
    if (slash !== '') {
      const element = open.findLast(one => one.name === name)
      if (element === undefined) continue
      open.splice(open.indexOf(element))
      text = element.at === undefined ? text + element.end : text.slice(0, element.at) + element.end
      continue
    }
    const id = /\bid\s*=\s*["']?(\d+)/.exec(rest)?.[1]
    const [one, start] = [held.get(String(id)), held.get(`${id} 0`)]
    const isEmpty = rest.endsWith('/') || name === 'img'
    if (start !== undefined) {
      text += start
      open.push({ name, end: held.get(`${id} 1`) ?? '', at: undefined })
    } else if (isEmpty) text += one ?? ''
    else if (open.length === MOST_OPEN) return text
    else open.push({ name, end: one ?? '', at: one === undefined ? undefined : text.length })
  }
  return text + readEntities(answer.slice(behind))
}

/** The number as the language writes it, or in Latin digits, must stand there once. */
function replaceNumber(text: string, number: number, count: string, language: string): string | undefined {
  const written = new Set([
    String(number),
    new Intl.NumberFormat(language).format(number),
    String(number).replace('.', ','),
  ])
  for (const one of written) {
    const parts = text.split(new RegExp(`(?<![\\p{Nd}.,])${one.replaceAll('.', '\\.')}(?![\\p{Nd}]|[.,]\\p{Nd})`, 'u'))
    if (parts.length === 2) return parts.join(count)
    if (parts.length > 2) return undefined
  }
  return undefined
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

const escapeMarkup = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const readEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
  })
