/** Translations of the same source that fit, for the panel and for the key that uses the first one. */
import { useEditor } from './editor-context.ts'
import { faultsOf } from './field/faults-of.ts'
import { type SameText, sameTexts } from './model/related-rows.ts'
import type { EditorRow } from './model/rows.ts'

/** @returns the texts for a leaf of this row, found when called */
export function useSameTexts(row: EditorRow, target: number) {
  const { columns } = useEditor()
  const { source } = row
  const language = columns.targets[target]!
  return (alike: (row: EditorRow) => readonly EditorRow[], ending: string): SameText[] =>
    sameTexts(alike(row), target, ending, text => faultsOf({ source, text, language, ending }, columns).length === 0)
}
