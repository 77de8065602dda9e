/** What a change leaves out of a bundle, until it is reviewed. */
import type { BundleName } from '../../project/project.ts'

/** A bundle with texts that wait for a review, and its blob id without them. */
export interface DivertedBundle extends BundleName {
  id: string
  suggested: number
  /** Keys that have too many suggestions: their texts are not stored. */
  full: readonly string[]
  /** Keys that it does not get. */
  added: number
  updated: number
  /** Whether nothing of it is written. */
  isWhole: boolean
  /** The key of the first suggestion. */
  key: string | null
}
