/** Notes from the code by namespace and key: the member `notes` of a push. */
export type CodeNotes = Map<string, Map<string, CodeNote>>

/** What the code says about a key. */
export interface CodeNote {
  /** Different notes of several calls. */
  notes: Set<string>
  /** `src/cart.tsx:12`. */
  refs: Set<string>
}

export interface CodeNotesOptions {
  /** Beginnings of comments for translators. */
  marks?: readonly string[]
  /** Where to write the notes as JSON, relative to the working folder. */
  output?: string
}
