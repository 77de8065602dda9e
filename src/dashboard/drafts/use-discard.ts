/** Letting go of unsaved texts, with a way back. */
import { useTranslation } from 'react-i18next'
import { announce } from '../ui/announce.ts'
import type { AddressedDraft, Draft, DraftAddress } from './drafts.ts'
import { useDraftStore } from './use-drafts.tsx'

/** The result of discarding drafts. */
export interface DiscardedDrafts {
  sentence: string
  /** Undoes it. The undo can be undone too. */
  undo: () => void
}

/** @param show shows the result @returns discards drafts of this tab */
export function useDiscard(show: (done: DiscardedDrafts) => void): (texts: readonly AddressedDraft[]) => void {
  const { t } = useTranslation()
  const drafts = useDraftStore()
  const swap = (
    texts: readonly { address: DraftAddress; draft: Draft | undefined }[],
    sentence: string,
    other: string,
  ) => {
    // Includes text that was typed there meanwhile.
    const were = texts.map(({ address }) => ({ address, draft: drafts?.get(address) }))
    for (const { address, draft } of texts) {
      if (draft) drafts?.set(address, draft)
      else drafts?.discard(address)
    }
    announce(sentence)
    show({ sentence, undo: () => swap(were, other, sentence) })
  }
  return texts => {
    if (texts.length === 0) return
    const count = texts.length
    const removed = texts.map(({ address }) => ({ address, draft: undefined }))
    swap(removed, t('discarded', { count }), t('broughtBack', { count }))
  }
}

/** @param show shows the result @returns discards one thing that another store has, and announces it */
export function useDiscardOther(
  show: (done: DiscardedDrafts | undefined) => void,
): (discard: () => void, restore: () => void) => void {
  const { t } = useTranslation()
  return (discard, restore) => {
    const sentence = t('discarded', { count: 1 })
    discard()
    announce(sentence)
    const undo = () => {
      restore()
      announce(t('broughtBack', { count: 1 }))
      show(undefined)
    }
    show({ sentence, undo })
  }
}
