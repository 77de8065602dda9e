/** Comments on a key: what people ask and answer about its texts. */
import { isObject } from './body.ts'
import { MAX_COMMENT } from './comment-limits.ts'
import { quoteSome } from './complaints.ts'
import { type EntryAuthor, MAX_AUTHOR } from './entry-author.ts'
import { Failure } from './errors.ts'
import { isLanguage, lineFault, linesFault, shortKey } from './names.ts'

/** A comment. */
export interface KeyComment {
  /** Unique in its file. */
  id: string
  /** The translation that it is about; absent for the key. */
  language?: string
  by: EntryAuthor
  /** ISO 8601, in UTC. */
  at: string
  text: string
  resolved?: true
}

const ID = /^[A-Za-z0-9_-]{1,40}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const MEMBERS: readonly string[] = ['id', 'language', 'by', 'at', 'text', 'resolved']

/** A comment's text in its stored form. @throws Failure `unfit` */
export function checkCommentText(value: string): string {
  const text = value.replaceAll(/\r\n?/g, '\n').trim()
  const fault = linesFault(text, MAX_COMMENT)
  if (fault === undefined) return text
  throw new Failure('unfit', `The text of a comment ${fault}.`)
}

/** The comments on a key in their canonical form and order. @throws Failure `unfit` naming the key and the member */
export function checkComments(key: string, value: unknown): KeyComment[] {
  const refuse = (why: string): never => {
    throw new Failure('unfit', `The comments on ${JSON.stringify(shortKey(key))} do not fit: ${why}.`)
  }
  if (!Array.isArray(value)) return refuse('they must be a list')
  const comments = value.map(comment => {
    const fault = commentFault(comment)
    return fault === undefined ? canonicalComment(comment) : refuse(fault)
  })
  if (new Set(comments.map(({ id }) => id)).size < comments.length) return refuse('two have the same "id"')
  return byTime(comments)
}

function commentFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'each must be an object'
  const unknown = Object.keys(value).filter(name => !MEMBERS.includes(name))
  if (unknown.length > 0) return `unknown ${unknown.length === 1 ? 'field' : 'fields'} ${quoteSome(unknown)}`
  const { id, language, by, at, text, resolved } = value
  if (!isItemId(id)) return '"id" must have 1 to 40 of A-Z a-z 0-9 _ -'
  if (language !== undefined && !(typeof language === 'string' && isLanguage(language)))
    return '"language" must be a language tag such as de'
  if (!isObject(by) || Object.keys(by).length !== 2) return '"by" must have "id" and "name" alone'
  for (const name of ['id', 'name'] as const) {
    const fault = typeof by[name] === 'string' ? lineFault(by[name], MAX_AUTHOR) : 'must be a string'
    if (fault !== undefined) return `"by.${name}" ${fault}`
  }
  if (!isItemTime(at)) return '"at" must be a time such as 2026-11-22T09:30:00.000Z'
  if (typeof text !== 'string') return '"text" must be a string'
  const fault = linesFault(text, MAX_COMMENT)
  if (fault !== undefined) return `"text" ${fault}`
  return resolved === undefined || resolved === true ? undefined : '"resolved" must be true, or absent'
}

function canonicalComment({ id, language, by, at, text, resolved }: KeyComment): KeyComment {
  return {
    ...{ id, ...(language !== undefined && { language }), by: { id: by.id, name: by.name }, at, text },
    ...(resolved && { resolved }),
  }
}

/** Whether a value is the id of an item in a list beside a key, such as a comment. */
export const isItemId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/** Whether a value is the time of such an item. */
export const isItemTime = (value: unknown): value is string =>
  typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))

/** Sorts in place by time, then by id. */
export const byTime = <Item extends Pick<KeyComment, 'at' | 'id'>>(items: Item[]): Item[] =>
  items.sort((a, b) => order(a.at, b.at) || order(a.id, b.id))

const order = (a: string, b: string): number => (a < b ? -1 : Number(a > b))
