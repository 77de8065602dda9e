/** A plugin of i18next-cli that collects notes for translators from the code. */
export interface ParlanceNotesOptions {
  /** Beginnings of comments for translators; `translators:` and `translator:` by default. */
  marks?: readonly string[]
  /** A file for the notes, as the member `notes` of a push, relative to the working folder. */
  output?: string
}

/** Use it last in `plugins`. */
export declare function parlanceNotes(options?: ParlanceNotesOptions): { name: string; onEnd(): void }
