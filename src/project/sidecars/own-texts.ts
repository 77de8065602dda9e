/** Finds the last author of texts in the versions of a translation. */
import { bundleIn } from '../../bundle/canonical.ts'
import { sameMessage } from '../../bundle/diff.ts'
import { type Message, messageOf } from '../../bundle/message.ts'
import type { Bundle } from '../../bundle/resource.ts'

/** A version of a translation, null for a missing file, and whether the person in question wrote it. */
export interface VersionByAuthor {
  target: Uint8Array | null
  isOwn: boolean
}

/** @param versions the newest first; texts older than the last one are not the person's */
export function ownTexts(versions: readonly VersionByAuthor[]): (key: string) => boolean {
  const parsed = versions.map(({ target, isOwn }) => ({ bundle: bundleIn(target), isOwn }))
  return key => {
    let name = key
    for (const [at, { bundle, isOwn }] of parsed.entries()) {
      const older = parsed[at + 1]?.bundle
      const message = bundle.message(name) ?? null
      if (older === undefined || message === null) return false
      const before = older.message(name) ?? null
      if (sameMessage(before, message)) continue
      const renamed = before === null ? nameBefore(message, bundle, older) : undefined
      if (renamed === undefined) return isOwn
      name = renamed
    }
    return false
  }
}

/** The key that had a message in an older version, and that the newer one lacks: it was renamed. */
const nameBefore = (message: Message, newer: Bundle, older: Bundle): string | undefined =>
  older.tree.entries().find(entry => sameMessage(messageOf(entry), message) && newer.message(entry.key) === undefined)
    ?.key
