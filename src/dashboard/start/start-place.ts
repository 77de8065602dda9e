/** The place of the first text. */
import type { Project } from '../api/client.ts'

/** As the address of the first run names it. */
export interface StartPlace {
  project: Project
  /** The language that is translated into; BCP 47. */
  language: string
  namespace: string
  /** The key; '' while there is none. */
  name: string
}
