/** Suggestions for a text: what someone proposes for a key in a language, until a reviewer accepts or rejects it. */
import { isObject } from './body.ts'
import { byTime, isItemId, isItemTime } from './comment.ts'
import { quoteSome } from './complaints.ts'
import { type EntryAuthor, MAX_AUTHOR } from './entry-author.ts'
import { Failure } from './errors.ts'
import { icuFault } from './icu.ts'
import { FORMS, KINDS, linesOf, type Message, messageOf, partsOf } from './message.ts'
import { lineFault, shortKey, textFault } from './names.ts'
import { textDigest } from './text-digest.ts'

/** A suggestion. */
export interface Suggestion {
  /** Unique in its file. */
  id: string
  message: Message
  /** A machine's name, or the user or token that suggests it. */
  by: EntryAuthor | string
  /** ISO 8601, in UTC. */
  at: string
  /** The digest of the source and the suggested message, see `text-digest.ts`: it fits while the source stays. */
  of: string
}

/** Maximum suggestions for a key. */
export const MAX_SUGGESTIONS = 20

const MEMBERS: readonly string[] = ['id', 'message', 'by', 'at', 'of']
const DIGEST = /^[0-9a-f]{16}$/

/** The suggestions for a key in their canonical form and order. @throws Failure `unfit` naming key and member */
export function checkSuggestions(key: string, value: unknown): Suggestion[] {
  const refuse = (why: string): never => {
    throw new Failure('unfit', `The suggestions for ${JSON.stringify(shortKey(key))} do not fit: ${why}.`)
  }
  if (!Array.isArray(value)) return refuse('they must be a list')
  const suggestions = value.map(suggestion => {
    const fault = suggestionFault(suggestion)
    return fault === undefined ? canonicalSuggestion(suggestion) : refuse(fault)
  })
  if (new Set(suggestions.map(({ id }) => id)).size < suggestions.length) return refuse('two have the same "id"')
  return byTime(suggestions)
}

/** A suggested message in its canonical form. @param key for a sentence @throws Failure `unfit` */
export function checkMessage(key: string, value: unknown): Message {
  const fault =
    messageFault(value) ??
    linesOf(partsOf(value as Message))
      .map(([, text]) => icuFault(text))
      .find(Boolean)
  if (fault === undefined) return messageOf(partsOf(value as Message))
  throw new Failure('unfit', `The text for ${JSON.stringify(shortKey(key))} does not fit: ${fault}.`)
}

function suggestionFault(value: unknown): string | undefined {
  if (!isObject(value)) return 'each must be an object'
  const unknown = Object.keys(value).filter(name => !MEMBERS.includes(name))
  if (unknown.length > 0) return `unknown ${unknown.length === 1 ? 'field' : 'fields'} ${quoteSome(unknown)}`
  const { id, message, by, at, of } = value
  if (!isItemId(id)) return '"id" must have 1 to 40 of A-Z a-z 0-9 _ -'
  const fault = messageFault(message) ?? authorFault(by)
  if (fault !== undefined) return fault
  if (!isItemTime(at)) return '"at" must be a time such as 2026-11-22T09:30:00.000Z'
  return typeof of === 'string' && DIGEST.test(of) ? undefined : '"of" must be 16 hexadecimal digits'
}

function authorFault(by: unknown): string | undefined {
  const line = (value: unknown, name: string) => {
    const fault = typeof value === 'string' ? lineFault(value, MAX_AUTHOR) : 'must be a string'
    return fault === undefined ? undefined : `${name} ${fault}`
  }
  if (typeof by === 'string') return line(by, '"by"')
  if (!isObject(by) || Object.keys(by).length !== 2) return '"by" must be a name, or have "id" and "name" alone'
  return line(by.id, '"by.id"') ?? line(by.name, '"by.name"')
}

function messageFault(message: unknown): string | undefined {
  if (typeof message === 'string') return textsFault([message])
  if (!isObject(message)) return '"message" must be a text, or an object of "text", "cardinal" and "ordinal"'
  const { text, ...rest } = message
  const texts: unknown[] = text === undefined ? [] : [text]
  for (const [kind, forms] of Object.entries(rest)) {
    if (!(KINDS as readonly string[]).includes(kind)) return `"message" has the unknown member ${quoteSome([kind])}`
    if (!isObject(forms) || Object.keys(forms).length === 0) return `"message.${kind}" must have forms`
    const unknown = Object.keys(forms).filter(form => !(FORMS as readonly string[]).includes(form))
    if (unknown.length > 0) return `"message.${kind}" has the unknown form ${quoteSome(unknown)}`
    texts.push(...Object.values(forms))
  }
  return texts.length === 0 ? '"message" must have a text or a form' : textsFault(texts)
}

function textsFault(texts: readonly unknown[]): string | undefined {
  for (const text of texts) {
    if (typeof text !== 'string') return '"message" must have strings'
    const fault = textFault(text)
    if (fault !== undefined) return `"message" ${fault}`
  }
  return undefined
}

function canonicalSuggestion({ id, message, by, at, of }: Suggestion): Suggestion {
  const author = typeof by === 'string' ? by : { id: by.id, name: by.name }
  return { id, message: messageOf(partsOf(message)), by: author, at, of }
}

/** Whether an author is the one with this id. A machine's name is no id. */
export const isBy = ({ by }: Pick<Suggestion, 'by'>, id: string): boolean => typeof by !== 'string' && by.id === id

/** Whether two authors are the same: the id of a person or token counts, or the name of a machine. */
const isSameAuthor = (a: Suggestion, b: Suggestion): boolean =>
  typeof b.by === 'string' ? a.by === b.by : isBy(a, b.by.id)

/**
 * A suggestion of some forms, with the other forms of its author's earlier one: the forms of a plural may come one by
 * one. An earlier suggestion for another source adds nothing.
 * @param before the present message: a form that equals it was not written
 */
export function withEarlierForms(
  list: readonly Suggestion[],
  suggestion: Suggestion,
  { before, source }: { before: Message | null; source: Message | null },
): Suggestion {
  const earlier = list.find(one => isSameAuthor(one, suggestion))
  const isPlural = [earlier?.message, suggestion.message].every(message => typeof message === 'object')
  if (!earlier || !isPlural || earlier.of !== textDigest(source, earlier.message)) return suggestion
  const [now, was, own] = [suggestion.message, before, earlier.message].map(partsOf)
  const parts = { ...now! }
  if (now!.text === was!.text) parts.text = own!.text ?? now!.text
  for (const kind of KINDS) {
    const forms = { ...now![kind] }
    for (const form of FORMS) {
      const ownForm = own![kind]?.[form]
      if (ownForm !== undefined && forms[form] === was![kind]?.[form]) forms[form] = ownForm
    }
    if (Object.keys(forms).length > 0) parts[kind] = forms
  }
  const message = messageOf(parts)
  return { ...suggestion, message, of: textDigest(source, message) }
}

/** The suggestion in a list with the author, the text and the source of another one. */
export const equalSuggestion = (list: readonly Suggestion[], like: Suggestion): Suggestion | undefined =>
  list.find(
    one =>
      isSameAuthor(one, like) && one.of === like.of && JSON.stringify(one.message) === JSON.stringify(like.message),
  )

/** Whether a list has room for a suggestion: its author's earlier ones go. */
export const hasRoom = (list: readonly Suggestion[], suggestion: Suggestion): boolean =>
  equalSuggestion(list, suggestion) !== undefined ||
  list.filter(one => !isSameAuthor(one, suggestion)).length < MAX_SUGGESTIONS

/** The failure of a suggestion without room. @param named the key, for a sentence */
export const noRoom = (named: string): Failure =>
  new Failure('unfit', `The ${named} has ${MAX_SUGGESTIONS} suggestions: accept or reject some first.`)

/**
 * The list with a suggestion in place of its author's earlier ones; the given list if it has an equal one already.
 * @param named the key, for a sentence
 * @throws Failure `unfit` for too many
 */
export function withSuggestion(list: Suggestion[], suggestion: Suggestion, named: string): Suggestion[] {
  if (equalSuggestion(list, suggestion)) return list
  if (!hasRoom(list, suggestion)) throw noRoom(named)
  const others = list.filter(one => !isSameAuthor(one, suggestion))
  return checkSuggestions('', [...others, suggestion])
}
