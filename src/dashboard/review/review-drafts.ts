/** Typed and unsent texts of a review: an edited suggestion, and the reason of a rejection. */
import { draftStorage } from '../drafts/draft-storage.ts'

/** A typed text, by form; the reason stands apart. */
interface ReviewDraft {
  texts?: Record<string, string>
  reason?: string
}

/** By user, organization, project and the id of the suggestion. */
export const reviewDrafts = draftStorage<ReviewDraft>('parlance review ', value => {
  const { texts, reason } = value as ReviewDraft
  const areTexts = typeof texts === 'object' && Object.values(texts).every(text => typeof text === 'string')
  const draft = { ...(areTexts && { texts }), ...(typeof reason === 'string' && reason !== '' && { reason }) }
  return Object.keys(draft).length > 0 ? draft : undefined
})
