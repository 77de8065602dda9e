/** Shows changes of notes from the code. */
import type { Context } from '../context.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'
import { cut } from '../terminal/width.ts'
import type { NoteChange } from './note-changes.ts'

/** Maximum listed notes. */
const MAX_LISTED = 40

/** The changed notes, one a line; the first push of an app changes the places of all keys, which are not listed. */
export function listedNotes({ terminal }: Pick<Context, 'terminal'>, changes: readonly NoteChange[]): string[] {
  const notes = changes.filter(isOfText)
  if (notes.length === 0) return []
  const lines = notes.slice(0, MAX_LISTED).map(({ namespace, key, before, after }) => {
    const [sign, colour] = before === null ? (['+', 'green'] as const) : (['~', 'yellow'] as const)
    const texts = [before, after].filter(text => text !== null).map(text => JSON.stringify(text))
    const [mark, paint] = after === null ? (['-', 'red'] as const) : [sign, colour]
    const line = `  ${mark} ${asLine(`${namespace}:${key}`)}  ${texts.join(' → ')}`
    return terminal.style(paint, cut(line, Math.max(60, terminal.columns)))
  })
  const more = notes.length > MAX_LISTED ? [`  … and ${notes.length - MAX_LISTED} more`] : []
  return [[`Notes from the code: ${counted(notes.length, 'key')}`, ...lines, ...more].join('\n')]
}

/** `notes of 2 keys, places of 40 keys`. */
export function notesText(changes: readonly NoteChange[] = []): string[] {
  const notes = changes.filter(isOfText).length
  const places = changes.length - notes
  return [
    ...(notes > 0 ? [`notes of ${counted(notes, 'key')}`] : []),
    ...(places > 0 ? [`places in the code of ${counted(places, 'key')}`] : []),
  ]
}

const isOfText = ({ before, after }: NoteChange) => before !== after
