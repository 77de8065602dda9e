/** Checks of a server's JSON. zod would add a tenth to the size of the CLI. */
import { isObject } from '../../bundle/body.ts'
import { shorten } from '../../bundle/names.ts'

/**
 * Checks a value.
 * @param at the path of the value in its answer, '' for the whole answer
 * @returns the end of a sentence such as `languages[0].keys must be a whole number`; undefined for a `T`
 */
export type Shape<T> = ((value: unknown, at: string) => string | undefined) & { readonly type?: T }

/** The type of a shape. */
export type Of<S> = S extends Shape<infer T> ? T : never

const must = (at: string, what: string): string => `${at === '' ? 'it' : at} must be ${what}`

const memberOf = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`)

/** @param what the end of "must be …" */
export const shape =
  <T>(what: string, is: (value: unknown) => boolean): Shape<T> =>
  (value, at) =>
    is(value) ? undefined : must(at, what)

export const anything: Shape<unknown> = () => undefined
export const text = shape<string>('a text', value => typeof value === 'string')
export const flag = shape<boolean>('true or false', value => typeof value === 'boolean')
export const count = shape<number>('a whole number', value => Number.isSafeInteger(value) && (value as number) >= 0)

export const oneOf = <const T extends string>(...names: T[]): Shape<T> =>
  shape(names.map(name => JSON.stringify(name)).join(' or '), value => names.includes(value as T))

/** A text that passes a check. @param check throws for other texts */
export const checked = (what: string, check: (value: unknown) => unknown): Shape<string> =>
  shape(what, value => {
    try {
      return typeof value === 'string' && check(value) === value
    } catch {
      return false
    }
  })

/** A member that older servers do not send. */
export const optional =
  <T>(of: Shape<T>): Shape<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : of(value, at)

export const nullable =
  <T>(of: Shape<T>): Shape<T | null> =>
  (value, at) =>
    value === null ? undefined : of(value, at)

export const listOf =
  <T>(of: Shape<T>): Shape<T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) return must(at, 'a list')
    return firstOf(value.keys(), index => of(value[index], `${at}[${index}]`))
  }

/** An object with any names. */
export const recordOf =
  <T>(of: Shape<T>): Shape<Record<string, T>> =>
  (value, at) => {
    if (!isObject(value)) return must(at, 'an object')
    return firstOf(Object.keys(value), name => of(value[name], memberOf(at, JSON.stringify(shorten(name)))))
  }

/** An object with these members. Newer servers may send more. */
export const object =
  <S extends Record<string, Shape<unknown>>>(members: S): Shape<{ [K in keyof S]: Of<S[K]> }> =>
  (value, at) => {
    if (!isObject(value)) return must(at, 'an object')
    return firstOf(Object.keys(members), name => members[name]!(value[name], memberOf(at, name)))
  }

function firstOf<T>(parts: Iterable<T>, look: (part: T) => string | undefined): string | undefined {
  for (const part of parts) {
    const fault = look(part)
    if (fault !== undefined) return fault
  }
  return undefined
}
