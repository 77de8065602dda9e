/** Letting go of unsaved texts, with a way back. */
import { useTranslation } from 'react-i18next'
import { announce } from '../ui/announce.ts'
import type { AddressedDraft, Draft, DraftAddress } from './drafts.ts'
import { useDraftStore } from './use-drafts.tsx'

/** The result of discarding drafts. */
export interface DiscardedDrafts {
  said: string
  /** Undoes it. The undo can be undone too. */
  back: () => void
}

/** @param tell shows the result @returns discards drafts of this tab */
export function useDiscard(tell: (done: DiscardedDrafts) => void): (texts: readonly AddressedDraft[]) => void {
  const { t } = useTranslation()
  const drafts = useDraftStore()
  const swap = (texts: readonly { address: DraftAddress; draft: Draft | undefined }[], said: string, other: string) => {
    // With what may have been typed there meanwhile.
    const were = texts.map(({ address }) => ({ address, draft: drafts?.get(address) }))
    for (const { address, draft } of texts) {
      if (draft) drafts?.set(address, draft)
      else drafts?.discard(address)
    }
    announce(said)
    tell({ said, back: () => swap(were, other, said) })
  }
  return texts => {
    if (texts.length === 0) return
    const count = texts.length
    const gone = texts.map(({ address }) => ({ address, draft: undefined }))
    swap(gone, t('discarded', { count }), t('broughtBack', { count }))
  }
}
