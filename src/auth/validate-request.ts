/**
 * Checks requests under /api/auth by the shapes of routes.ts. Unlisted members never reach better-auth, and invalid
 * ones are refused by name: better-auth lets some through to SQLite.
 */
import { isObject, mediaFault, parseBody } from '../bundle/body.ts'
import { lineFault, longerThan } from '../bundle/names.ts'
import { isRole, strongestRole } from './access.ts'
import { Refusal } from './refusal.ts'
import { checkRights, renderRights } from './rights.ts'

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

/** Checks a member. @returns its value for better-auth @throws Refusal 400 */
type MemberCheck = (name: string, value: unknown) => unknown

/** @param form how "The <name> must be …" continues */
const plain =
  (form: string, fits: (value: unknown) => boolean): MemberCheck =>
  (name, value) => {
    if (fits(value)) return value
    throw unfit(`The ${name} must be ${form}.`)
  }

const isText = (value: unknown) => typeof value === 'string'
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
const text = plain('a text', isText)

/** The kinds of members. */
const KINDS = {
  text,
  'some text': (name, value) => {
    if (value === '') throw unfit(`The ${name} must not be empty.`)
    return text(name, value)
  },
  'text or null': plain('a text or null', value => value === null || isText(value)),
  name: checkedName,
  'new password': (name, value) => checkedPassword(name, text(name, value) as string),
  role: checkedRole,
  roles: (name, value) => {
    checkedRole(name, withoutSpaces(value))
    return value
  },
  flag: plain('true or false', value => typeof value === 'boolean'),
  count: plain('a whole number from 0 to 999999', value => /^\d{1,6}$/.test(String(value))),
  page: plain('a whole number from 1 to 100', value => /^([1-9]\d?|100)$/.test(String(value))),
  object: plain('a JSON object', isObject),
  rights: plain(
    'an object of lists of texts, such as {"member":["create"]}',
    value => isObject(value) && Object.values(value).every(isTexts),
  ),
  organization: checkedData,
  'language rights': (_name, value) => (value === null ? null : checkedRights(value)),
} satisfies Record<string, MemberCheck>

/** A kind of member, or one of some words. */
export type MemberKind = keyof typeof KINDS | readonly string[]
/** Members by name; one that ends with `?` may be missing. */
export type RequestShape = Readonly<Record<string, MemberKind>>

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
  if (path === '/organization/invite-member') refuseIdleRights(members)
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
    const check = typeof kind === 'string' ? KINDS[kind] : oneOf(kind)
    members[name] = check(name, value)
  }
  return members
}

const oneOf = (words: readonly string[]) =>
  plain(`one of ${words.join(', ')}`, value => words.some(word => word === value))

/** better-auth fails on a change of nothing. */
function checkedData(name: string, value: unknown): unknown {
  if (!isObject(value)) throw unfit(`The ${name} must be a JSON object.`)
  const members = validated(DATA, value, `member of ${name}`)
  if (Object.keys(members).length === 0) throw unfit(`The ${name} must have one of ${namesOf(DATA).join(', ')}.`)
  return members
}

/** Commits bear it, and pages show it, as a project's. */
function checkedName(name: string, value: unknown): unknown {
  const line = typeof value === 'string' ? value.trim() : ''
  if (line === '' || longerThan(line, 100)) throw unfit(`The ${name} must be a text of 1 to 100 characters.`)
  const fault = lineFault(line, 100)
  if (fault !== undefined) throw unfit(`The ${name} ${fault}.`)
  return line
}

/** As better-auth counts them. */
export const PASSWORD_LENGTH = { least: 8, most: 128 }

function checkedPassword(name: string, value: string): unknown {
  const { least, most } = PASSWORD_LENGTH
  if (value.length >= least && value.length <= most) return value
  const code = value.length < least ? 'PASSWORD_TOO_SHORT' : 'PASSWORD_TOO_LONG'
  throw new Refusal(400, code, `The ${name} must have ${least} to ${most} characters; this one has ${value.length}.`)
}

/** better-auth looks for `owner` before it trims: `"admin, owner"` by an admin would pass. */
function checkedRole(name: string, value: unknown): unknown {
  const roles = [value].flat()
  if (roles.length > 0 && roles.every(role => typeof role === 'string' && isRole(role))) return value
  throw new Refusal(400, 'ROLE_NOT_FOUND', `The ${name} must be one of owner, admin and member.`)
}

/** @returns rights as the tables store them */
function checkedRights(value: unknown): string {
  try {
    return renderRights(checkRights(value))
  } catch (error) {
    throw unfit((error as Error).message)
  }
}

/** Refuses rights that an invitation would not have. */
function refuseIdleRights({ role, rights, resend }: JsonBody): void {
  if (rights === undefined || rights === null) return
  const roles = String(role)
  if (strongestRole(roles) !== 'member')
    throw unfit(`No rights narrow the role ${strongestRole(roles)}: leave rights out.`)
  if (resend) throw unfit('The invitation is sent again with the rights that it has: leave resend or rights out.')
}

const withoutSpaces = (value: unknown) =>
  [value].flat().map(role => (typeof role === 'string' ? role.replaceAll(' ', '') : role))
const namesOf = (shape: RequestShape) => Object.keys(shape).map(key => key.replace('?', ''))
const unfit = (message: string) => new Refusal(400, 'VALIDATION_ERROR', message)
