/** The changes of keys that a request asks for, checked and in a canonical form. */
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { endsOrdinal, FORMS, type Form, peel, withoutOrdinal } from '../../bundle/message.ts'
import { checkKey, checkLanguage, checkLine, checkNamespace } from '../../bundle/names.ts'

/** Texts that one request may set, and keys that it may delete or rename. */
export const MOST_SET = 2_000
export const MOST_REMOVED = 200

/** Equal changes have equal JSON. */
export interface RequestedChanges {
  /** By language, namespace and key; each leaf by its name. */
  set: { language: string; namespace: string; key: string; leaves: [name: string, text: string][] }[]
  delete: { namespace: string; key: string }[]
  rename: Renaming[]
}

interface Renaming {
  namespace: string
  from: string
  to: string
}

interface GivenChanges {
  set?: { language: string; namespace: string; key: string; value: string | Record<string, string> }[] | undefined
  delete?: { namespace: string; key: string }[] | undefined
  rename?: Renaming | Renaming[] | undefined
  message?: string | undefined
}

/** @throws Failure `invalid` naming the culprit */
export function requestedChanges({
  set = [],
  delete: removed = [],
  rename = [],
  message,
}: GivenChanges): RequestedChanges {
  if (message !== undefined) checkLine(message, 'The body does not fit: "message"', 200)
  const renames = [rename].flat()
  if (set.length + removed.length + renames.length === 0) throw misfit('it names no change')
  const gone = removed.map(one => ({ namespace: checkNamespace(one.namespace), key: wholeKey(one.key) }))
  const texts = set.map(({ language, namespace, key, value }) => ({
    language: checkLanguage(language),
    namespace: checkNamespace(namespace),
    ...leavesOf(checkKey(key), value),
  }))
  const moved = renames.map(({ namespace, from, to }) => {
    return { namespace: checkNamespace(namespace), from: checkKey(from), to: checkKey(to) }
  })
  refuseTwice(texts, gone, moved)
  return { set: sortByJson(texts), delete: sortByJson(gone), rename: sortByJson(moved) }
}

/** `item_one` with a text, or `item` with forms; `place_ordinal` with forms is an ordinal plural. */
function leavesOf(name: string, value: string | Record<string, string>): { key: string; leaves: [string, string][] } {
  const leaf = peel(name)
  if (typeof value === 'string') return { key: leaf.key, leaves: [[name, value]] }
  const unknown = Object.keys(value).filter(form => !FORMS.includes(form as Form))
  if (unknown.length > 0) throw misfit(`the forms of a plural are ${FORMS.join(', ')}, not ${quoteSome(unknown)}`)
  if (leaf.kind !== 'text') throw misfit(`${quoteSome([name])} is a form and needs a text`)
  const forms = FORMS.filter(form => Object.hasOwn(value, form))
  if (forms.length === 0) throw misfit(`${quoteSome([name])} has no form`)
  const key = endsOrdinal(name) ? withoutOrdinal(name) : name
  return { key, leaves: forms.map((form): [string, string] => [`${name}_${form}`, value[form]!]) }
}

function wholeKey(name: string): string {
  const { key, kind } = peel(checkKey(name))
  if (kind === 'text') return key
  throw misfit(`${quoteSome([name])} is a form: delete the key ${quoteSome([key])}, or set its other forms`)
}

function refuseTwice(texts: RequestedChanges['set'], gone: RequestedChanges['delete'], moved: Renaming[]): void {
  const named = new Set(texts.map(({ namespace, key }) => JSON.stringify([namespace, key])))
  const claim = (namespace: string, key: string, fault: string) => {
    const name = JSON.stringify([namespace, key])
    if (named.has(name)) throw misfit(`${quoteSome([key])} is ${fault}`)
    named.add(name)
  }
  for (const { namespace, key } of gone) claim(namespace, key, 'deleted, and set or deleted again')
  // A chain or a swap would depend on an order, and a text under a new name may wait for a review.
  for (const { namespace, from, to } of moved)
    for (const key of new Set([from, to])) claim(namespace, key, 'renamed: this alone may name it')
  const leaves = new Set<string>()
  for (const { language, namespace, leaves: own } of texts) {
    for (const [name] of own) {
      const leaf = JSON.stringify([language, namespace, name])
      if (leaves.has(leaf)) throw misfit(`"set" has ${quoteSome([name])} of ${language}/${namespace} twice`)
      leaves.add(leaf)
    }
  }
}

/** Sorts values by their JSON. Each is rendered once, as texts may be long. */
function sortByJson<T>(values: T[]): T[] {
  const rendered = values.map(value => ({ value, json: JSON.stringify(value) }))
  return rendered.sort((a, b) => (a.json < b.json ? -1 : 1)).map(({ value }) => value)
}

const misfit = (fault: string) => new Failure('invalid', `The body does not fit: ${fault}.`)
