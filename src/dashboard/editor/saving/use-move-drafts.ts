/** Unsaved texts follow a renamed key. */
import { useCallback } from 'react'
import { useMember } from '../../api/session.ts'
import { moveDrafts } from '../../drafts/move-drafts.ts'
import { useDraftStore } from '../../drafts/use-drafts.tsx'
import { isIn, type NamespacedKey } from './unsaved-texts.ts'

/** Moves the drafts of a key, in all languages, to its new name; a text that is being typed there stays. */
export function useMoveDrafts(slug: string): (from: NamespacedKey, to: NamespacedKey) => void {
  const { organization } = useMember().who
  const drafts = useDraftStore()
  return useCallback(
    (from, to) => {
      const isFrom = isIn(organization.id, slug, from)
      if (drafts) moveDrafts(drafts, draft => (isFrom(draft) ? { ...draft.address, ...to } : undefined))
    },
    [drafts, organization.id, slug],
  )
}
