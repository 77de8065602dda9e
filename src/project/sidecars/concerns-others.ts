/** Whether a change concerns what other people wrote beside the texts: suggestions, comments. */
import { bundleIn } from '../../bundle/canonical.ts'

/** What a person wrote for a key. */
export interface OwnedItem {
  key: string
  /** Whether the author of the change wrote it. */
  isOwn: boolean
  /** Another content is a change. */
  content: string
}

/** Two versions of a bundle by their bytes, null for a missing file. */
type BothVersions = Record<'before' | 'after', Uint8Array | null>

/**
 * Items may move with their keys, and go and return with them.
 * @param was items by id before the change @param is after it @param bundles those that keys stand in
 */
export function concernsOthers(
  was: ReadonlyMap<string, OwnedItem>,
  is: ReadonlyMap<string, OwnedItem>,
  bundles: readonly BothVersions[],
): boolean {
  const ids = [...new Set([...was.keys(), ...is.keys()])]
  const changed = ids.filter(id => was.get(id)?.content !== is.get(id)?.content)
  const others = changed.map(id => (was.get(id) ?? is.get(id))!).filter(({ isOwn }) => !isOwn)
  if (others.length === 0) return false
  const parsed = bundles.map(({ before, after }) => [bundleIn(before), bundleIn(after)] as const)
  return others.some(({ key }) =>
    parsed.every(([then, now]) => (then.message(key) === undefined) === (now.message(key) === undefined)),
  )
}
