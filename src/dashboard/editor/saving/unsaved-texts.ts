/** Typed and unsaved texts, by row. */
import { useMemo } from 'react'
import { threeWay } from '../../../bundle/three-way.ts'
import { useMember } from '../../api/session.ts'
import type { AddressedDraft, DraftAddress } from '../../drafts/drafts.ts'
import { useDraftState, useDraftStore, useDrafts } from '../../drafts/use-drafts.tsx'
import { type LeafTexts, textsOf } from '../model/leaves.ts'
import { idOf, keyIn, type LeafPlace, type NamespacedKey, type RowCell } from '../model/rows.ts'

export function useDraftAddress(slug: string): (place: LeafPlace) => DraftAddress {
  const { organization } = useMember().who
  return ({ language, namespace, key, ending }) => ({
    organization: organization.id,
    project: slug,
    language,
    namespace,
    key,
    ...(ending !== '' && { form: ending.slice(1) }),
  })
}

/** Whether a draft is one of a project, or of a key in it. */
export const isIn =
  (organization: string, project: string, name?: NamespacedKey) =>
  ({ address }: AddressedDraft) =>
    address.organization === organization &&
    address.project === project &&
    (!name || (address.namespace === name.namespace && address.key === name.key))

export type UnsavedTexts = ReturnType<typeof useUnsaved>

/** The unsaved texts of a project's languages. Typing rerenders nothing here once a row has an unsaved text. */
export function useUnsaved(slug: string, languages: readonly string[]) {
  const { organization } = useMember().who
  const drafts = useDraftStore()
  const own = (name?: NamespacedKey) => (drafts?.all ?? []).filter(isIn(organization.id, slug, name))
  const idsOf = (texts: readonly AddressedDraft[]) => {
    const shown = texts.filter(({ address }) => languages.includes(address.language))
    return JSON.stringify([...new Set(shown.map(({ address }) => idOf(address.namespace, address.key)))].sort())
  }
  const ownIds = useDraftState(() => idsOf(own()))
  const allIds = useDraftState(() => idsOf([...own(), ...(drafts?.others ?? []).filter(isIn(organization.id, slug))]))
  return {
    /** Ids of rows; the same set as long as it has the same. */
    ids: useMemo(() => new Set<string>(JSON.parse(ownIds)), [ownIds]),
    /** The same with the user's other tabs: the counts outside the editor include them. */
    allIds: useMemo(() => new Set<string>(JSON.parse(allIds)), [allIds]),
    /** The drafts of a key, as they are now. */
    of: (namespace: string, key: string, language: string) =>
      own({ namespace, key }).filter(({ address }) => address.language === language),
  }
}

/** The drafts of a key, while the user types. */
export const useKeyDrafts = (slug: string, name: NamespacedKey) =>
  useDrafts().filter(isIn(useMember().who.organization.id, slug, name))

/** The same in a language. */
export const useOwnDrafts = (slug: string, row: NamespacedKey, language: string) =>
  useKeyDrafts(slug, row).filter(({ address }) => address.language === language)

/** Missing keys with an unsaved text: another user renamed or deleted them. */
export function typedWithout(
  rows: readonly { id: string }[],
  unsaved: ReadonlySet<string>,
  within: string | undefined,
): NamespacedKey[] {
  if (unsaved.size === 0) return []
  const there = new Set(rows.map(({ id }) => id))
  const gone = [...unsaved].filter(id => !there.has(id)).map(keyIn)
  return gone.filter(({ namespace }) => within === undefined || namespace === within)
}

/** The texts of drafts by the ending of their leaf. */
export const textsIn = (drafts: readonly AddressedDraft[]): LeafTexts =>
  Object.fromEntries(drafts.map(({ address, text }) => [endingOf(address), text]))

/** Drafts that were begun on a text which is another one now. */
export const conflictsIn = (drafts: readonly AddressedDraft[], { message }: Pick<RowCell, 'message'>) =>
  drafts.filter(({ address, before, text }) => {
    const theirs = textsOf(message)[endingOf(address)] ?? null
    return threeWay(before, text, theirs) === 'conflict'
  })

/** Of the leaf that a draft is for. */
export const endingOf = ({ form }: DraftAddress) => (form === undefined ? '' : `_${form}`)
