/** Suggestions for a text: what someone proposes for a key in a language, until a reviewer accepts or rejects it. */
import { isObject } from './body.ts'
import { quoteSome } from './complaints.ts'
import { authorFault, authorLineFault, type EntryAuthor } from './entry-author.ts'
import { Failure } from './errors.ts'
import { icuFault } from './icu.ts'
import { checkItems } from './key-items.ts'
import { FORMS, KINDS, linesOf, type Message, messageOf, partsOf } from './message.ts'
import { shortKey, textFault } from './names.ts'
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
export const checkSuggestions = (key: string, value: unknown): Suggestion[] =>
  checkItems(value, {
    named: `The suggestions for ${JSON.stringify(shortKey(key))}`,
    ...{ members: MEMBERS, fault: suggestionFault, canonical: canonicalSuggestion },
  })

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

/** Whether a message has no text: no form has one. */
export const isBlank = (message: Message): boolean => linesOf(partsOf(message)).every(([, text]) => text === '')

function suggestionFault({ message, by, of }: Record<string, unknown>): string | undefined {
  const byFault = typeof by === 'string' ? authorLineFault(by, '"by"') : authorFault(by, 'be a name, or ')
  const fault = messageFault(message) ?? byFault
  if (fault !== undefined) return fault
  return typeof of === 'string' && DIGEST.test(of) ? undefined : '"of" must be 16 hexadecimal digits'
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

/** Whether the key of a suggestion is gone. A text that came before its source, such as by a push, has no key yet. */
export const hasLostKey = ({ of, message }: Suggestion, source: Message | null, present: Message | null): boolean =>
  source === null && present === null && of !== textDigest(null, message)

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

/** The failure of a suggestion without room. */
export const noRoom = (key: string): Failure => {
  const named = `key ${JSON.stringify(shortKey(key))}`
  return new Failure('unfit', `The ${named} has ${MAX_SUGGESTIONS} suggestions: accept or reject some first.`)
}

/**
 * The list with a suggestion in place of its author's earlier ones; the given list if it has an equal one already.
 * @throws Failure `unfit` for too many
 */
export function withSuggestion(list: Suggestion[], suggestion: Suggestion, key: string): Suggestion[] {
  if (equalSuggestion(list, suggestion)) return list
  if (!hasRoom(list, suggestion)) throw noRoom(key)
  const others = list.filter(one => !isSameAuthor(one, suggestion))
  return checkSuggestions(key, [...others, suggestion])
}
