/** The state that the parts of the editor share. */
import type { TFunction } from 'i18next'
import { createContext, useContext } from 'react'
import type { LanguagePermit } from '../api/language-permit.ts'
import type { OpenFields } from './field/open-fields.ts'
import type { RowMarks } from './model/filter.ts'
import type { EditorCommand } from './model/keyboard.ts'
import type { Columns, EditorRow } from './model/rows.ts'
import type { Lookup } from './preview/preview-of.ts'

/** A column: the key, the source, or a target language by its number. */
export type Column = 'key' | 'source' | number

/** Where one is. */
export interface EditorPosition {
  /** Of a row or heading. */
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

/** The actions of rows. */
export interface EditorActions {
  /** Goes to a row; `isEditing` opens it. */
  go: (id: string, column: Column, options?: { isEditing?: boolean; ending?: string; pointer?: number }) => void
  /** Reports that the focus has arrived. */
  here: (id: string, column: Column, options?: { isEditing?: boolean; ending?: string }) => void
  /** @param pointer of the next position */
  saveNext: (row: EditorRow, target: number, pointer?: number) => void
  saveStay: (row: EditorRow, target: number) => void
  confirm: (row: EditorRow, target: number) => void
  /** @param approves false withdraws the approval */
  approve: (row: EditorRow, target: number, approves: boolean) => void
  /** Goes to the first line of the list. */
  enter: () => void
  /** Opens or closes a heading. */
  toggle: (id: string) => void
  /** Does what a key of the table asks for, but for what concerns a field alone. */
  command: (command: EditorCommand) => void
}

/** What the address asks for. */
export interface EditorPlace {
  slug: string
  /** Of the project. */
  name: string
  languages: readonly string[]
  namespaces: readonly string[]
  /** The one that is shown; undefined for all. */
  namespace: string | undefined
  columns: Columns
}

/** The place, and how it is shown. */
export interface EditorState extends EditorPlace {
  /** The columns in their order. */
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

/** Look-ups in other rows. */
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

/** All rows as they are now, below the editor. */
export const useAllRows = (): AllRows => useContext(AllRowsContext)!

/** The shared state, below the editor. */
export const useEditor = (): EditorState => useContext(EditorContext)!
