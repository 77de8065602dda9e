/** Comments on a key: what people ask and answer about its texts. */
import { MAX_COMMENT } from './comment-limits.ts'
import { authorFault, type EntryAuthor } from './entry-author.ts'
import { Failure } from './errors.ts'
import { checkItems } from './key-items.ts'
import { isLanguage, linesFault, shortKey } from './names.ts'

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

const MEMBERS: readonly string[] = ['id', 'language', 'by', 'at', 'text', 'resolved']

/** A comment's text in its stored form. @throws Failure `unfit` */
export function checkCommentText(value: string): string {
  const text = value.replaceAll(/\r\n?/g, '\n').trim()
  const fault = linesFault(text, MAX_COMMENT)
  if (fault === undefined) return text
  throw new Failure('unfit', `The text of a comment ${fault}.`)
}

/** The comments on a key in their canonical form and order. @throws Failure `unfit` naming the key and the member */
export const checkComments = (key: string, value: unknown): KeyComment[] =>
  checkItems(value, {
    named: `The comments on ${JSON.stringify(shortKey(key))}`,
    ...{ members: MEMBERS, fault: commentFault, canonical: canonicalComment },
  })

function commentFault({ language, by, text, resolved }: Record<string, unknown>): string | undefined {
  if (language !== undefined && !(typeof language === 'string' && isLanguage(language)))
    return '"language" must be a language tag such as de'
  const fault = authorFault(by)
  if (fault !== undefined) return fault
  if (typeof text !== 'string') return '"text" must be a string'
  const textFault = linesFault(text, MAX_COMMENT)
  if (textFault !== undefined) return `"text" ${textFault}`
  return resolved === undefined || resolved === true ? undefined : '"resolved" must be true, or absent'
}

function canonicalComment({ id, language, by, at, text, resolved }: KeyComment): KeyComment {
  return {
    ...{ id, ...(language !== undefined && { language }), by: { id: by.id, name: by.name }, at, text },
    ...(resolved && { resolved }),
  }
}
