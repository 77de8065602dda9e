/** Typed and unsent comments. */
import { draftStorage } from '../../../drafts/draft-storage.ts'

/** A typed text. */
interface CommentDraft {
  text: string
}

/** By user, organization, project, namespace and key; of a comment that one changes, by its id, too. */
export const commentDrafts = draftStorage<CommentDraft>('parlance comment ', value => {
  const { text } = value as CommentDraft
  return typeof text === 'string' && text !== '' ? { text } : undefined
})
