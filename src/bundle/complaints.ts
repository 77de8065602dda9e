/** Gathers what is wrong with a body, key by key, into one sentence. */
import { Failure } from './errors.ts'
import { shorten } from './names.ts'

/** Keys named in a message; the others are counted. */
const NAMED = 10

/** Complaints about keys, in order of arrival. The first kind becomes the message. */
export class Complaints {
  readonly #keys = new Map<string, string[]>()

  /** Notes a key's fault; `rule` says what would be right. */
  add(rule: string, key: string): void {
    const keys = this.#keys.get(rule)
    if (keys) keys.push(key)
    else this.#keys.set(rule, [key])
  }

  /** Every rule that is broken, with all its keys in full length. */
  get all(): ReadonlyMap<string, readonly string[]> {
    return this.#keys
  }

  /** @throws Failure `unfit` */
  throwIfAny(): void {
    for (const [rule, keys] of this.#keys) throw unfit(rule, keys)
  }
}

/** The failure for keys that break a rule, `rule: "a", "b" and 3 more.`, named in `data.keys` too. */
export function unfit(rule: string, keys: readonly string[]): Failure {
  const named = keys.slice(0, NAMED).map(shorten)
  return new Failure('unfit', `${rule}: ${quoteSome(keys)}.`, { keys: named, count: keys.length })
}

/** What is wrong with the names of an object's fields; undefined if all are known. */
export function unknownFields(value: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(value).filter(name => !known.includes(name))
  return unknown.length === 0 ? undefined : `unknown ${unknown.length === 1 ? 'field' : 'fields'} ${quoteSome(unknown)}`
}

/** Up to ten shortened names in quotes, then how many more there are. */
export function quoteSome(names: readonly string[]): string {
  const named = names.slice(0, NAMED).map(name => JSON.stringify(shorten(name)))
  return named.join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '')
}
