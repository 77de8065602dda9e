/** The door of the glossary into the checks: what it finds in a text. */

/** A term of the source that its translation lacks (`term`), or a forbidden word in it (`avoid`). */
export interface GlossaryFault {
  kind: 'term' | 'avoid'
  /** A term of the glossary. */
  term: string
  /** The words to use; of a term that stays untranslated the term. */
  use: readonly string[]
  /** The forbidden word. */
  avoid?: string
}

/** Compares texts of one language with their sources by a glossary. */
export interface GlossaryCheck {
  faultsOf(source: string, target: string): GlossaryFault[]
}
