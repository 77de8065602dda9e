/** Writes whole messages into a bundle: accepted suggestions, and texts that go back to what they were. */
import { applyLeafChanges, type LeafChanges, refuseGaps } from './leaf-changes.ts'
import { join, type LeafName, linesOf, type Message, partsOf, peel } from './message.ts'
import { Bundle } from './resource.ts'
import type { SourcePlaces } from './source-places.ts'

/** Where an absent key stands: where the source has it, else as in another version of the bundle. */
interface MessagePlaces {
  source?: SourcePlaces | undefined
  other?: Bundle
}

/**
 * The bundle with other messages; null removes a key.
 * @param messages in the order in which keys of an array stand
 * @throws Failure `unfit` for a gap in an array, or a form of an array item with a text
 */
export function setMessages(
  bundle: Bundle,
  messages: ReadonlyMap<string, Message | null>,
  { source, other }: MessagePlaces,
): Bundle {
  const changes: LeafChanges[] = []
  for (const [key, message] of messages) {
    const set = message === null ? [] : leavesIn(key, message)
    const names = new Set(set.map(([leaf]) => join(leaf)))
    const leaves = bundle.tree.get(key)?.leaves() ?? []
    changes.push({ key, set, drop: leaves.map(([leaf]) => leaf).filter(leaf => !names.has(join(leaf))) })
  }
  const tree = bundle.tree.copy()
  applyLeafChanges(tree, changes, { ...(other && { other: other.tree }), source })
  refuseGaps(tree)
  return new Bundle(bundle.format, tree)
}

function leavesIn(key: string, message: Message): [LeafName, string][] {
  return linesOf(partsOf(message)).map(([ending, text]) => {
    // A key such as `item_one` with a text of its own does not exist: a suffix always means a form.
    const leaf: LeafName = ending === '' ? { key, kind: 'text' } : { ...peel(`x${ending}`), key }
    return [leaf, text]
  })
}
