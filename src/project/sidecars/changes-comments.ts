/** Finds out whether an undo concerns the comments of others, by bytes alone, for the worker. */
import { bundleIn } from '../../bundle/canonical.ts'
import type { KeyComment } from '../../bundle/comment.ts'
import { commentsIn } from './comments-file.ts'

/** A file of comments in a change, and the source texts of its keys. Null for a missing file. */
export interface ChangesCommentsTask {
  before: Uint8Array | null
  after: Uint8Array | null
  source: Record<'before' | 'after', Uint8Array | null>
  /** The id of the author of the change. */
  by: string
}

/** Comments may move with their keys, and go and return with them. Every member resolves them. */
export function changesComments({ before, after, source, by }: ChangesCommentsTask): boolean {
  const [was, is] = [itemsIn(before), itemsIn(after)]
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter(
    id => was.get(id)?.comment.text !== is.get(id)?.comment.text,
  )
  const others = changed.map(id => (was.get(id) ?? is.get(id))!).filter(({ comment }) => comment.by.id !== by)
  if (others.length === 0) return false
  const [then, now] = [bundleIn(source.before), bundleIn(source.after)]
  const existsIn = (bundle: typeof then, key: string) => bundle.message(key) !== undefined
  return others.some(({ key }) => existsIn(then, key) === existsIn(now, key))
}

function itemsIn(bytes: Uint8Array | null): Map<string, { key: string; comment: KeyComment }> {
  const items = [...commentsIn(bytes)].flatMap(([key, list]) => list.map(comment => ({ key, comment })))
  return new Map(items.map(item => [item.comment.id, item]))
}
