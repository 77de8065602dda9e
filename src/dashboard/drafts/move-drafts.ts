/** Unsaved texts, and the open editor, follow a key, a language or a namespace that any user renames. */
import { readSubject } from '../../bundle/read-subject.ts'
import type { LiveChange } from '../live/changes.ts'
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

/**
 * Moves what is unsaved of a language or a namespace that a commit renamed.
 * @param organization of the commit @param hash the address of the dashboard
 * @returns the rename and the new address, if the address of the editor has the old name
 */
export function followRename(
  drafts: Drafts,
  organization: string,
  { subject, project, bundles }: LiveChange,
  hash: string,
): { rename: PlaceRename; address: string } | undefined {
  const rename = project === null ? undefined : placeRenameIn(subject, project)
  // A caller may write any words above other changes.
  if (!rename || !bundles.some(bundle => bundle[rename.part] === rename.from && bundle.etag === null)) return undefined
  const { part, from, to } = rename
  const [moved] = movePlaceDrafts(drafts, { organization, project: project!, part, name: from }, to)
  const [path = '', query = ''] = hash.slice(1).split('?', 2)
  const parts = path.split('/').map(decodeURIComponent)
  const at = part === 'language' ? 3 : 4
  if (parts[2] !== project || parts[at] !== from) return undefined
  const search = new URLSearchParams(query)
  if (moved) search.set('key', moved.address.key)
  const asked = search.size > 0 ? `?${search}` : ''
  return { rename, address: parts.with(at, to).map(encodeURIComponent).join('/') + asked }
}
