/** The fields of the open row, for parts of the editor outside of it. */
import type { TranslationFieldHandle } from './translation-field.tsx'

/** Fields by the ending of their leaf. */
type CellFields = ReadonlyMap<string, TranslationFieldHandle>

/** Reaches a field by its row, language and leaf. */
export class OpenFields {
  readonly #cells = new Map<string, CellFields>()

  /** Adds the fields of a cell. @returns removes them */
  add(rowId: string, language: string, fields: CellFields): () => void {
    const id = `${language}\n${rowId}`
    this.#cells.set(id, fields)
    return () => this.#cells.get(id) === fields && this.#cells.delete(id)
  }

  /** Undefined where the row is closed. */
  get(rowId: string, language: string, ending: string): TranslationFieldHandle | undefined {
    return this.#cells.get(`${language}\n${rowId}`)?.get(ending)
  }
}
