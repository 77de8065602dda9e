/** The author of an entry beside a bundle, such as a comment or a mark. Git forgets nothing: no e-mail address. */

/** A user or an API token, with its name at that time. */
export interface EntryAuthor {
  id: string
  name: string
}

/** Maximum characters of each. */
export const MAX_AUTHOR = 100
