/** The text that the panel is about. */
import type { EditorRow } from '../model/rows.ts'

/** The props of each section. */
export interface PanelSubject {
  row: EditorRow
  /** The number of the language among the targets. */
  target: number
  /** The ending of the form in hand. */
  ending: string
  /** Replaces the text in its field, as typing does; opens the row first. */
  use: (text: string) => void
}
