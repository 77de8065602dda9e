/** Unsaved texts follow what they belong to. */
import type { AddressedDraft, DraftAddress, Drafts } from './drafts.ts'

/**
 * Moves unsaved texts of this tab. A text stays at its address if another one is being typed at the new one.
 * @param addressOf the new address; undefined for a text that stays
 * @returns the moved ones, the newest first
 */
export function moveDrafts(
  drafts: Drafts,
  addressOf: (draft: AddressedDraft) => DraftAddress | undefined,
): AddressedDraft[] {
  const moved = drafts.all.flatMap(draft => {
    const { address: from, ...text } = draft
    const address = addressOf(draft)
    if (!address || drafts.get(address)) return []
    drafts.set(address, text)
    return [{ ...text, address, from }]
  })
  // Stored before the old ones are deleted: a crash between the two leaves both.
  drafts.flush()
  for (const { from } of moved) drafts.discard(from)
  return moved
}
