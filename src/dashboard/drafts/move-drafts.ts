/** Unsaved texts follow what they belong to: the renames in subjects of commits, and the moves. */
import { readSubject } from '../../bundle/read-subject.ts'
import { moveKeyDrafts } from './draft-storage.ts'
import type { AddressedDraft, DraftAddress, Drafts } from './drafts.ts'

/** A language or a namespace with another name. */
export interface PlaceRename {
  part: 'language' | 'namespace'
  from: string
  to: string
}

/** Reads it in the subject of a commit; an undo renames back. @param slug of the project */
export function placeRenameIn(text: string, slug: string): PlaceRename | undefined {
  const subject = readSubject(text, slug)
  if (!subject) return undefined
  const { language, namespace } = subject
  if (subject.kind === 'rename-language') return { part: 'language', from: language!, to: subject.to }
  if (subject.kind === 'rename-namespace') return { part: 'namespace', from: namespace!, to: subject.to }
  if (subject.kind !== 'undo' && subject.kind !== 'redo') return undefined
  const undone = placeRenameIn(`${slug} ${language ?? namespace}: ${subject.what}`, slug)
  return undone && subject.kind === 'undo' ? { ...undone, from: undone.to, to: undone.from } : undone
}

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
