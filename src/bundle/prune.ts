/** Pushes a body as the whole bundle. */
import type { Detail, MergeOutcome, Push } from './merge.ts'
import type { LeafName } from './message.ts'
import { refuseGaps, treeWithout } from './remove.ts'
import { Bundle, type Fragment } from './resource.ts'
import type { SourcePlaces } from './source-places.ts'

/**
 * Removes the keys and forms that a fragment lacks, then pushes it. Removal comes first, so that the rest moves to the
 * body's places (`{"a":"x"}` pruned to `{"a":{"b":"y"}}`). A key that loses a form counts as updated.
 * @param push `overwrite` or `fill`
 * @throws Failure `unfit` when an array would lack an item before its last (see `refuseGaps`), or as `push`
 */
export function prune(bundle: Bundle, fragment: Fragment, push: Push, source?: SourcePlaces): MergeOutcome {
  const { leaves, removed, cut } = lacking(bundle, fragment)
  if (leaves.length === 0) return push(bundle, fragment, source)
  // Array items have no forms: one that becomes a plural must move.
  const keepsPlace = (key: string) => cut.has(key) && !bundle.tree.get(key)!.home.list
  const kept = new Bundle(bundle.format, treeWithout(bundle.tree, leaves, keepsPlace), { expendable: true })
  const outcome = push(kept, fragment, source)
  refuseGaps(outcome.bundle.tree)

  const details: Detail[] = [
    ...outcome.details.filter(({ key }) => !cut.has(key)),
    ...Array.from(cut, key => ({ key, result: 'updated' as const })),
    ...removed.map(key => ({ key, result: 'removed' as const })),
  ]
  const count = (result: Detail['result']) => details.filter(detail => detail.result === result).length
  return {
    bundle: outcome.bundle,
    added: count('added'),
    updated: count('updated'),
    skipped: count('skipped'),
    unchanged: fragment.tree.size - (details.length - removed.length),
    removed: removed.length,
    details,
  }
}

/** The stored leaves that a fragment lacks, and the keys that go or are cut with them. */
function lacking(bundle: Bundle, fragment: Fragment) {
  const leaves: LeafName[] = []
  const removed: string[] = []
  const cut = new Set<string>()
  for (const entry of bundle.tree.entries()) {
    const pushed = fragment.tree.get(entry.key)
    const lacked = entry.leaves().filter(([leaf]) => pushed?.value(leaf) === undefined)
    if (lacked.length === 0) continue
    for (const [leaf] of lacked) leaves.push(leaf)
    if (pushed) cut.add(entry.key)
    else removed.push(entry.key)
  }
  return { leaves, removed, cut }
}
