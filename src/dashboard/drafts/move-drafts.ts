/** Unsaved texts follow what they belong to. */
import { moveKeyDrafts } from './draft-storage.ts'
import type { AddressedDraft, DraftAddress, Drafts } from './drafts.ts'
import type { PlaceRename } from './place-rename.ts'

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

/** A language or a namespace of a project. */
interface DraftPlace {
  organization: string
  project: string
  part: PlaceRename['part']
  name: string
}

export const isInPlace = (address: DraftAddress, { organization, project, part, name }: DraftPlace): boolean =>
  address.organization === organization && address.project === project && address[part] === name

/** Moves what is unsaved of a renamed language or namespace. @returns the texts, as {@link moveDrafts} */
export function movePlaceDrafts(drafts: Drafts, place: DraftPlace, to: string): AddressedDraft[] {
  const { organization, project, part, name } = place
  if (part === 'namespace') moveKeyDrafts([organization, project, name], [organization, project, to])
  return moveDrafts(drafts, ({ address }) => (isInPlace(address, place) ? { ...address, [part]: to } : undefined))
}
