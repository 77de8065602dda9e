/** Query parameters; unknown ones of writes are errors, as `?dryrun=true` must not write. */
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'

/** The flags of a write, each `true` or `false`. @throws Failure `invalid` for an unknown parameter or another value */
export function readFlags<const Name extends string>(request: FastifyRequest, names: Name[]): Record<Name, boolean> {
  const query = request.query as Record<string, unknown>
  const unknown = Object.keys(query).filter(name => !(names as string[]).includes(name))
  if (unknown.length > 0) {
    const taken = names.length > 0 ? `takes ${new Intl.ListFormat('en').format(names)}` : 'takes none'
    throw new Failure('invalid', `Unknown query parameters: ${quoteSome(unknown)}; this route ${taken}.`)
  }
  const flags = names.map(name => {
    const value = query[name] ?? 'false'
    if (value !== 'true' && value !== 'false') {
      throw new Failure('invalid', `The query parameter ${name} must be true or false, once.`)
    }
    return [name, value === 'true']
  })
  return Object.fromEntries(flags)
}

/** A parameter given at most once. @throws Failure `invalid` when given twice */
export function readOnce(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name]
  if (typeof value !== 'object') return value
  throw new Failure('invalid', `The query parameter ${name} may be given once.`)
}

/** A parameter given once. @param demand what to give @throws Failure `invalid` when it is missing or given twice */
export function readRequired(request: FastifyRequest, name: string, demand: string): string {
  const value = readOnce(request, name)
  if (value !== undefined) return value
  throw new Failure('invalid', `The query parameter ${name} is missing: ${demand}.`)
}

/** One of some words, given at most once. @param form how "must be …" continues @throws Failure `invalid` */
export function readWord<const T extends string>(
  request: FastifyRequest,
  name: string,
  words: readonly T[],
  form = words.join(' or '),
): T | undefined {
  const value = readOnce(request, name)
  const word = words.find(one => one === value)
  if (value === undefined || word !== undefined) return word
  throw new Failure('invalid', `The query parameter ${name} must be ${form}.`)
}

/**
 * The different values of a query parameter that may be repeated, undefined without any.
 * @param check gives a value as it is used @throws Failure as `check` does
 */
export function readMany(
  request: FastifyRequest,
  name: string,
  check: (value: string) => string,
): ReadonlySet<string> | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name]
  return value === undefined ? undefined : new Set([value].flat().map(check))
}

/** A cursor of these parts, which clients send back as it is. */
export const cursorOf = (...parts: unknown[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

/** The parts of the cursor in a request, by {@link cursorOf}. @throws Failure `invalid` for one that no page gave */
export function readCursor<T>(request: FastifyRequest, shape: z.ZodType<T>): T | undefined {
  const text = readOnce(request, 'cursor')
  if (text === undefined) return undefined
  try {
    return shape.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
  } catch {
    throw badCursor()
  }
}

/** The maximum of rows on a page, and their number by default. */
export interface PageLimit {
  most: number
  otherwise: number
}

/** The number of rows for a page. @throws Failure `invalid` */
export function readLimit(request: FastifyRequest, { most, otherwise }: PageLimit): number {
  const value = readOnce(request, 'limit') ?? String(otherwise)
  const limit = /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 0
  if (limit >= 1 && limit <= most) return limit
  throw new Failure('invalid', `The query parameter limit must be a number from 1 to ${most.toLocaleString('en')}.`)
}

/** The failure for a cursor that no page gave. */
export function badCursor(): Failure {
  return new Failure('invalid', 'The cursor is not valid: give the `next` of the previous answer.')
}
