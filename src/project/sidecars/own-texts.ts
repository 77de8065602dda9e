/** Finds the last author of texts in the versions of a translation. */
import { bundleIn } from '../../bundle/canonical.ts'
import { sameMessage } from '../../bundle/diff.ts'

/** A version of a translation, null for a missing file, and whether the person in question wrote it. */
export interface VersionByAuthor {
  target: Uint8Array | null
  isOwn: boolean
}

/** @param versions the newest first; texts older than the last one are not the person's */
export function ownTexts(versions: readonly VersionByAuthor[]): (key: string) => boolean {
  const parsed = versions.map(({ target, isOwn }) => ({ bundle: bundleIn(target), isOwn }))
  return key => {
    const at = parsed.findIndex(({ bundle }, nth) => {
      const older = parsed[nth + 1]
      return older && !sameMessage(bundle.message(key) ?? null, older.bundle.message(key) ?? null)
    })
    return at >= 0 && parsed[at]!.isOwn
  }
}
