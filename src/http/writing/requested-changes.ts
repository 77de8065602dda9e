/** The changes of keys that a request asks for, checked and in a canonical form. */
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { endsOrdinal, FORMS, type Form, peel, withoutOrdinal } from '../../bundle/message.ts'
import { checkKey, checkLanguage, checkLine, checkNamespace } from '../../bundle/names.ts'

/** Texts that one request may set, and keys that it may delete or rename. */
export const MOST_SET = 2_000
export const MOST_REMOVED = 200

/** A text, or the forms of a plural by CLDR category. */
type Value = string | Record<string, string>

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
  set?: { language: string; namespace: string; key: string; value: Value }[] | undefined
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
  return { set: texts.sort(byName), delete: gone.sort(byName), rename: moved.sort(byName) }
}

/** `item_one` with a text, or `item` with forms; `place_ordinal` with forms is an ordinal plural. */
function leavesOf(name: string, value: Value): { key: string; leaves: [string, string][] } {
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
  const leaves = new Set<string>()
  // A chain or a swap would depend on an order, and a text under a new name may wait for a review.
  const names = moved.flatMap(({ namespace, from, to }) => [...new Set([from, to])].map(key => ({ namespace, key })))
  const others = [...gone, ...texts.map(({ namespace, key }) => ({ namespace, key }))].map(sortKey)
  const known = new Set(others)
  for (const name of names) {
    if (known.has(sortKey(name))) throw misfit(`${quoteSome([name.key])} is renamed: this alone may name it`)
    known.add(sortKey(name))
  }
  const removed = new Set(gone.map(sortKey))
  if (removed.size < gone.length) throw misfit('"delete" names a key twice')
  for (const { language, namespace, key, leaves: own } of texts) {
    if (removed.has(sortKey({ namespace, key }))) throw misfit(`${quoteSome([key])} is set and deleted`)
    for (const [name] of own) {
      const leaf = JSON.stringify([language, namespace, name])
      if (leaves.has(leaf)) throw misfit(`"set" has ${quoteSome([name])} of ${language}/${namespace} twice`)
      leaves.add(leaf)
    }
  }
}

type NamedChange = { language?: string; namespace: string; key: string; leaves?: unknown } | Renaming

const sortKey = (one: NamedChange): string =>
  JSON.stringify('key' in one ? [one.language, one.namespace, one.key, one.leaves] : [one.namespace, one.from, one.to])

const byName = (a: NamedChange, b: NamedChange): number => (sortKey(a) < sortKey(b) ? -1 : 1)

const misfit = (fault: string) => new Failure('invalid', `The body does not fit: ${fault}.`)
