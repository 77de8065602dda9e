/** What is unsaved follows a renamed key. */
import { useCallback } from 'react'
import { useMember } from '../../api/session.ts'
import { moveKeyDrafts } from '../../drafts/draft-storage.ts'
import { moveDrafts } from '../../drafts/move-drafts.ts'
import { useDraftStore } from '../../drafts/use-drafts.tsx'
import type { NamespacedKey } from '../model/rows.ts'
import { isIn } from './unsaved-texts.ts'

/** Moves what was typed for a key, in all languages, to its new name; what is being typed there stays. */
export function useMoveDrafts(slug: string): (from: NamespacedKey, to: NamespacedKey) => void {
  const { organization } = useMember().who
  const drafts = useDraftStore()
  return useCallback(
    (from, to) => {
      moveKeyDrafts([organization.id, slug, from.namespace, from.key], [organization.id, slug, to.namespace, to.key])
      const isFrom = isIn(organization.id, slug, from)
      if (drafts) moveDrafts(drafts, draft => (isFrom(draft) ? { ...draft.address, ...to } : undefined))
    },
    [drafts, organization.id, slug],
  )
}
