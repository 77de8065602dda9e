/** What the source has and the translation lacks, and the other way round. */
export interface TextDifference {
  missing: string[]
  extra: string[]
}
