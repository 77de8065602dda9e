/** Replaces in a worker: terminating the worker ends an endless regular expression. */
import { type ReplaceQuery, type ReplaceSubject, replacer } from './replacer.ts'

export interface ReplaceRequest {
  query: ReplaceQuery
  subjects: readonly ReplaceSubject[]
}

/** The worker's messages: that it begins, then the new text of each subject, null for an unchanged one. */
export type ReplaceReply = { is: 'begun' } | { is: 'done'; texts: (string | null)[] } | { is: 'wrong'; why: string }

const post = (reply: ReplaceReply) => postMessage(reply)

addEventListener('message', ({ data: { query, subjects } }: MessageEvent<ReplaceRequest>) => {
  post({ is: 'begun' })
  try {
    const replaced = replacer(query)
    const texts = subjects.map(subject => {
      const made = replaced(subject)
      return made === subject.text ? null : made
    })
    post({ is: 'done', texts })
  } catch (error) {
    post({ is: 'wrong', why: error instanceof Error ? error.message : String(error) })
  }
})
