/**
 * Checks requests under /api/auth by the shapes of routes.ts. Unlisted members never reach better-auth, and invalid
 * ones are refused by name: better-auth lets some through to SQLite.
 */
import { isObject, mediaFault, parseBody } from '../bundle/body.ts'
import { lineFault, longerThan } from '../bundle/names.ts'
import { isRole } from './access.ts'
import { Refusal } from './refusal.ts'

/** The members of a JSON object. */
export type JsonBody = Record<string, unknown>

/**
 * The body as JSON, if any. No forms, which pages of other sites can send unasked.
 * @throws Refusal 415 for another type, charset or encoding, 400 for what is no JSON object in UTF-8
 */
export async function readBody(request: Request): Promise<JsonBody | undefined> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  const field = (name: string) => request.headers.get(name) ?? undefined
  const fault = mediaFault(field('content-type'), field('content-encoding'))
  if (fault !== undefined) throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', fault)
  const members = parsed(new Uint8Array(bytes))
  if (isObject(members)) return members
  throw new Refusal(400, 'INVALID_JSON', 'The body must be a JSON object.')
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseBody(bytes).resource
  } catch (error) {
    throw new Refusal(400, 'INVALID_JSON', (error as Error).message)
  }
}

/** A kind of member, or one of some words. */
export type MemberKind =
  | keyof typeof KINDS
  | 'name'
  | 'some text'
  | 'new password'
  | 'role'
  | 'roles'
  | 'organization'
  | OneOf
type OneOf = readonly string[]
/** Members by name; one that ends with `?` may be missing. */
export type RequestShape = Readonly<Record<string, MemberKind>>

const isText = (value: unknown) => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)

/** Kinds with a single check, and how "The <name> must be …" continues. */
const KINDS = {
  text: [isText, 'a text'],
  'text or null': [value => value === null || isText(value), 'a text or null'],
  flag: [value => typeof value === 'boolean', 'true or false'],
  count: [value => /^\d{1,6}$/.test(String(value)), 'a whole number from 0 to 999999'],
  page: [value => /^([1-9]\d?|100)$/.test(String(value)), 'a whole number from 1 to 100'],
  object: [isObject, 'a JSON object'],
  rights: [
    value => isObject(value) && Object.values(value).every(isTexts),
    'an object of lists of texts, such as {"member":["create"]}',
  ],
} satisfies Record<string, [fits: (value: unknown) => boolean, form: string]>

/** Members of the kind `organization`. */
export const DATA: RequestShape = {
  'name?': 'name',
  'slug?': 'name',
  'logo?': 'text or null',
  'metadata?': 'object',
}

/** The body for better-auth. @throws Refusal 400 naming what is missing or does not fit */
export function validateBody(
  path: string,
  shape: RequestShape | undefined,
  body: JsonBody | undefined,
): JsonBody | undefined {
  const members = validated(shape ?? {}, body ?? {}, 'member of the body')
  // better-auth would ask the device for no code for a month, even after a new password.
  if (members.trustDevice) throw unfit('No device is trusted for longer here: leave trustDevice out.')
  // Another person may know the old password: the other sessions end in any case.
  if (path === '/change-password') members.revokeOtherSessions = true
  return body && members
}

/** The query for better-auth. @throws Refusal 400 as for a body, or when something is given twice */
export function validateQuery(shape: RequestShape = {}, query: URLSearchParams): URLSearchParams {
  for (const name of namesOf(shape)) {
    if (query.getAll(name).length > 1) throw unfit(`The ${name} may be given once.`)
  }
  const members = validated(shape, Object.fromEntries(query), 'query parameter')
  if ('filterField' in members && !('filterValue' in members)) throw unfit('The filterField needs a filterValue.')
  return new URLSearchParams(members as Record<string, string>)
}

function validated(shape: RequestShape, given: Record<string, unknown>, what: string): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [key, kind] of Object.entries(shape)) {
    const name = key.replace('?', '')
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined && key !== name) continue
    if (value === undefined) throw unfit(`The ${what} ${JSON.stringify(name)} is missing.`)
    check(name, value, kind)
    if (kind === 'organization') members[name] = validatedData(name, value as Record<string, unknown>)
    else members[name] = kind === 'name' ? (value as string).trim() : value
  }
  return members
}

/** better-auth fails on a change of nothing. */
function validatedData(name: string, value: Record<string, unknown>): Record<string, unknown> {
  const members = validated(DATA, value, `member of ${name}`)
  if (Object.keys(members).length === 0) throw unfit(`The ${name} must have one of ${namesOf(DATA).join(', ')}.`)
  return members
}

/** @throws Refusal 400 */
function check(name: string, value: unknown, kind: MemberKind): void {
  const must = (fits: boolean, form: string) => {
    if (!fits) throw unfit(`The ${name} must be ${form}.`)
  }
  if (typeof kind === 'object') must(isText(value) && kind.includes(value as string), `one of ${kind.join(', ')}`)
  else if (kind === 'name') {
    const line = isText(value) ? (value as string).trim() : ''
    must(line !== '' && !longerThan(line, 100), 'a text of 1 to 100 characters')
    // Commits bear it, and pages show it, as a project's.
    const fault = lineFault(line, 100)
    if (fault !== undefined) throw unfit(`The ${name} ${fault}.`)
  } else if (kind === 'role') checkRole(name, value)
  else if (kind === 'roles') checkRole(name, withoutSpaces(value))
  else if (kind === 'some text') {
    must(isText(value), 'a text')
    if (value === '') throw unfit(`The ${name} must not be empty.`)
  } else if (kind === 'new password') {
    must(isText(value), 'a text')
    checkPassword(name, value as string)
  } else if (kind === 'organization') must(isObject(value), 'a JSON object')
  else must(KINDS[kind][0](value), KINDS[kind][1])
}

/** As better-auth counts them. */
export const PASSWORD_LENGTH = { least: 8, most: 128 }

function checkPassword(name: string, value: string): void {
  const { least, most } = PASSWORD_LENGTH
  if (value.length >= least && value.length <= most) return
  const code = value.length < least ? 'PASSWORD_TOO_SHORT' : 'PASSWORD_TOO_LONG'
  throw new Refusal(400, code, `The ${name} must have ${least} to ${most} characters; this one has ${value.length}.`)
}

/** better-auth looks for `owner` before it trims: `"admin, owner"` by an admin would pass. */
function checkRole(name: string, value: unknown): void {
  const roles = [value].flat()
  if (roles.length > 0 && roles.every(role => typeof role === 'string' && isRole(role))) return
  throw new Refusal(400, 'ROLE_NOT_FOUND', `The ${name} must be one of owner, admin and member.`)
}

const withoutSpaces = (value: unknown) =>
  [value].flat().map(role => (typeof role === 'string' ? role.replaceAll(' ', '') : role))
const namesOf = (shape: RequestShape) => Object.keys(shape).map(key => key.replace('?', ''))
const unfit = (message: string) => new Refusal(400, 'VALIDATION_ERROR', message)
