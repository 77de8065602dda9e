/** Finds out whether an undo concerns the comments of others, by bytes alone, for the worker. */
import { commentsIn } from './comments-file.ts'
import { concernsOthers } from './concerns-others.ts'

/** A file of comments in a change, and the source texts of its keys. Null for a missing file. */
export interface ChangesCommentsTask {
  before: Uint8Array | null
  after: Uint8Array | null
  source: Record<'before' | 'after', Uint8Array | null>
  /** The id of the author of the change. */
  by: string
}

/** Every member resolves comments: their texts count. */
export function changesComments({ before, after, source, by }: ChangesCommentsTask): boolean {
  const [was, is] = [before, after].map(bytes => {
    const all = [...commentsIn(bytes)].flatMap(([key, list]) => list.map(comment => ({ key, comment })))
    return new Map(
      all.map(({ key, comment }) => [comment.id, { key, isOwn: comment.by.id === by, content: comment.text }]),
    )
  })
  return concernsOthers(was!, is!, [source])
}
