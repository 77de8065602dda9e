/** The state that the parts of the editor share. */
import type { TFunction } from 'i18next'
import { createContext, useContext, useEffect, useMemo } from 'react'
import { useProjects } from '../api/queries.ts'
import { type LanguagePermit, permitIn } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { faultsOf } from './field/faults-of.ts'
import type { OpenFields } from './field/translation-field.tsx'
import type { RowMarks } from './model/filter.ts'
import type { EditorCommand } from './model/keyboard.ts'
import { type SameText, sameTexts } from './model/related-rows.ts'
import type { Columns, EditorRow } from './model/rows.ts'
import type { Lookup } from './preview/preview-of.ts'

/** A column: the key, the source, or a target language by its number. */
export type Column = 'key' | 'source' | number

/** Where one is. */
export interface EditorPosition {
  id: string
  column: Column
  /** A text is being edited, and what there is to know of its row is shown. */
  isEditing: boolean
  /** The form that is edited; the first one where it is absent. */
  ending?: string
  /** Px from the top of the window, where a mouse pressed "Save and next": there the row's own button gets. */
  pointer?: number
  /** Changes when the focus must move there; stays when the user moved it. */
  move: number
}

type Opening = Partial<Pick<EditorPosition, 'isEditing' | 'ending' | 'pointer'>>

export interface EditorActions {
  /** Goes to a row; `isEditing` opens it. */
  go: (id: string, column: Column, options?: Opening) => void
  /** Reports that the focus has arrived. */
  here: (id: string, column: Column, options?: Opening) => void
  /** @param pointer of the next position */
  saveNext: (row: EditorRow, target: number, pointer?: number) => void
  saveStay: (row: EditorRow, target: number) => void
  confirm: (row: EditorRow, target: number) => void
  /** @param approves false withdraws the approval */
  approve: (row: EditorRow, target: number, approves: boolean) => void
  enter: () => void
  toggle: (id: string) => void
  /** Does what a key of the table asks for, but for what concerns a field alone. */
  command: (command: EditorCommand) => void
}

/** What the address asks for. */
export interface EditorPlace {
  slug: string
  name: string
  languages: readonly string[]
  namespaces: readonly string[]
  namespace: string | undefined
  columns: Columns
}

/** The place, and how it is shown. */
export interface EditorState extends EditorPlace {
  order: readonly Column[]
  /** Rows stand under headings. */
  isTree: boolean
  /** Rows say their namespace. */
  showsNamespaces: boolean
  showsInvisible: boolean
  isMac: boolean
  actions: EditorActions
  fields: OpenFields
  /** By target. */
  permits: readonly LanguagePermit[]
  sourcePermit: LanguagePermit
  /** By target. */
  marks: readonly RowMarks[]
  /** Of the namespace `editor`. Rows do not subscribe to translations themselves. */
  t: TFunction<'editor'>
}

export const EditorContext = createContext<EditorState | undefined>(undefined)

export const useEditor = (): EditorState => useContext(EditorContext)!

interface AllRows {
  /** The other rows with the same source text. */
  alike: (row: EditorRow) => readonly EditorRow[]
  /** The rows with a source that nests it. */
  uses: (row: EditorRow) => readonly EditorRow[]
  /** Finds saved texts, for the preview. */
  lookup: Lookup
}

/** Separate from {@link EditorState}, since each save changes it: only the open row may read it. */
export const AllRowsContext = createContext<AllRows | undefined>(undefined)

export const useAllRows = (): AllRows => useContext(AllRowsContext)!

/** @returns translations of the same source that fit a leaf of this row, found when called */
export function useSameTexts(row: EditorRow, target: number) {
  const { columns } = useEditor()
  const language = columns.targets[target]!
  return (alike: (row: EditorRow) => readonly EditorRow[], ending: string): SameText[] =>
    sameTexts(
      alike(row),
      target,
      ending,
      text => faultsOf({ source: row.source, text, language, ending }, columns).length === 0,
    )
}

/** By language. The same list until a right or the review of the project changes. */
export function usePermits(slug: string, languages: readonly string[]): readonly LanguagePermit[] {
  const { who } = useMember()
  const { data } = useProjects()
  const project = data?.find(one => one.slug === slug) ?? { slug }
  const permits = JSON.stringify(languages.map(language => permitIn(who, project, language)))
  return useMemo(() => JSON.parse(permits), [permits])
}

/** Focuses what one has moved to. @param at the position, if it is there */
export function useMove(at: EditorPosition | undefined, focus: () => void): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only `move` moves the focus, not a changed text
  useEffect(() => {
    if (at && at.move > 0) focus()
  }, [at?.move])
}
