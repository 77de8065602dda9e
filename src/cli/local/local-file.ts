/** Locale files and their content. */

/** i18next's resource: keys and texts, nested or not. */
export type Resource = { [member: string]: unknown }

/** A namespace of a language on this machine. Merged namespaces share a path. */
export interface LocalFile {
  language: string
  namespace: string
  /** Relative to the root, with `/`. */
  path: string
}
