/** The file with the comments of a namespace: `<slug>/comments/<namespace>.json`. */
import { checkComments, type KeyComment } from '../../bundle/comment.ts'
import { MAX_COMMENTS } from '../../bundle/comment-limits.ts'
import { Failure } from '../../bundle/errors.ts'
import type { KeyEntries } from '../../bundle/key-entries.ts'
import { shortKey } from '../../bundle/names.ts'
import { entryOf, orNone, parseLists, renderWithin, validEntries } from './key-file.ts'

const checkList = orNone(checkComments)

/** Reads a file by the rules of a write. @throws Failure `invalid` or `unfit` naming the culprit */
export const parseComments = (bytes: Uint8Array): KeyEntries<KeyComment[]> => parseLists(bytes, 'comments', checkList)

/** The comments at HEAD: a list that breaks the rules is left out. */
export const commentsIn = (bytes: Uint8Array | null | undefined): KeyEntries<KeyComment[]> =>
  validEntries(bytes, checkList)

/** What happens to a comment on a key. `by` is the author that it must have, null for any. */
export type CommentChange = { key: string } & (
  | { kind: 'add'; comment: KeyComment }
  | { kind: 'edit'; id: string; by: string | null; text?: string; resolved?: boolean }
  | { kind: 'remove'; id: string; by: string | null }
)

/** A change of a namespace's comments. */
export interface CommentsTask {
  path: string
  namespace: string
  /** The stored file. */
  file: Uint8Array | null
  /** A {@link CommentChange} as JSON. */
  change: Uint8Array
}

/** The new file, null for none, and the comment after the change; before it, if it was removed. */
export interface CommentsAnswer {
  file: Uint8Array | null
  comment: KeyComment
}

/**
 * Changes comments.
 * @throws Failure `not-found` or `forbidden` for another's comment, `unfit` for too many on a key, `too-large`
 */
export function changeComments({ path, namespace, file, change: bytes }: CommentsTask): CommentsAnswer {
  const change: CommentChange = JSON.parse(Buffer.from(bytes).toString('utf8'))
  const { key } = change
  const comments = commentsIn(file)
  const list = comments.get(key) ?? []
  const [changed, comment] = changeList(
    list,
    change,
    `key ${JSON.stringify(shortKey(key))} of namespace "${namespace}"`,
  )
  if (changed === list) return { file, comment }
  if (changed.length === 0) comments.delete(key)
  else comments.set(key, changed)
  return { file: renderWithin(path, comments, [file]), comment }
}

/** The new list, the same one if nothing changes, and the comment. @param named the key, for a sentence */
function changeList(list: KeyComment[], change: CommentChange, named: string): [KeyComment[], KeyComment] {
  if (change.kind === 'add') {
    if (list.length >= MAX_COMMENTS) {
      throw new Failure('unfit', `The ${named} has ${list.length} comments: delete some before you add one.`)
    }
    return [checkComments(change.key, [...list, change.comment]), change.comment]
  }
  const found = list.find(({ id }) => id === change.id)
  if (!found) throw new Failure('not-found', `The ${named} has no comment "${change.id}".`)
  if (change.by !== null && found.by.id !== change.by) {
    const words = change.kind === 'edit' ? 'change its text' : 'delete it, and owners and admins'
    throw new Failure('forbidden', `The comment "${found.id}" is another user's: only its author may ${words}.`)
  }
  if (change.kind === 'remove') return [list.filter(comment => comment !== found), found]
  const { resolved: was, ...rest } = found
  const isResolved = change.resolved ?? was === true
  const comment = { ...rest, text: change.text ?? rest.text, ...(isResolved && { resolved: true as const }) }
  const isSame = comment.text === found.text && isResolved === (was === true)
  return [isSame ? list : list.map(one => (one === found ? comment : one)), comment]
}

/** The comments on one key. */
export const commentsOn = ({ file, key }: { file: Uint8Array | null; key: string }): KeyComment[] =>
  (file && entryOf(file, key, checkList)) ?? []

/** How many comments each key has, and how many of them are open, as JSON. */
export function countComments({ file }: { file: Uint8Array | null }): Uint8Array {
  const counts = [...commentsIn(file)].map(([key, list]): [string, object] => {
    return [key, { comments: list.length, open: list.filter(({ resolved }) => !resolved).length }]
  })
  return Buffer.from(JSON.stringify(Object.fromEntries(counts)))
}
