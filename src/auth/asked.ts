/**
 * What a request under /api/auth may ask for. better-auth's own checks let some of what does not fit through to SQLite, and say the rest in a
 * library's words; so whatever is not listed here does not reach it, and what does not fit is refused by name.
 */
import { isRole } from './access.ts'
import type { Body } from './body.ts'
import { Refusal } from './refusal.ts'

/** A `?` at the end: may be missing. */
type Kind =
  | 'text'
  | 'some text'
  | 'text or null'
  | 'new password'
  | 'role'
  | 'roles'
  | 'flag'
  | 'count'
  | 'page'
  | 'object'
  | 'organization'
  | 'rights'
  | OneOf
type OneOf = readonly string[]
type Shape = Record<string, Kind>

const ID = { invitationId: 'text' } as const
const ORGANIZATION = { 'organizationId?': 'text' } as const
const NAMED = { ...ORGANIZATION, 'organizationSlug?': 'text' } as const
const PASSWORD = { password: 'text' } as const
const CODE = { code: 'text', 'trustDevice?': 'flag' } as const

/** By path. Sign-in by a provider has a list of its own. */
export const BODIES: Record<string, Shape> = {
  '/sign-up/email': {
    name: 'text',
    email: 'text',
    password: 'new password',
    'image?': 'text or null',
    'callbackURL?': 'text',
    'rememberMe?': 'flag',
  },
  '/sign-in/email': { email: 'text', ...PASSWORD, 'callbackURL?': 'text', 'rememberMe?': 'flag' },
  '/change-password': { newPassword: 'new password', currentPassword: 'text' },
  '/verify-password': PASSWORD,
  '/two-factor/enable': { ...PASSWORD, 'method?': ['totp'], 'issuer?': 'text' },
  '/two-factor/disable': PASSWORD,
  '/two-factor/get-totp-uri': PASSWORD,
  '/two-factor/generate-backup-codes': PASSWORD,
  '/two-factor/verify-totp': CODE,
  '/two-factor/verify-backup-code': { ...CODE, 'disableSession?': 'flag' },
  '/sign-out': {},
  '/revoke-session': { token: 'some text' },
  '/revoke-sessions': {},
  '/revoke-other-sessions': {},
  '/update-user': { 'name?': 'text', 'image?': 'text or null' },
  '/organization/create': {
    name: 'some text',
    slug: 'some text',
    'logo?': 'text or null',
    'metadata?': 'object',
    'keepCurrentActiveOrganization?': 'flag',
  },
  '/organization/update': { data: 'organization', ...ORGANIZATION },
  '/organization/delete': { organizationId: 'text' },
  '/organization/check-slug': { slug: 'some text' },
  '/organization/set-active': { 'organizationId?': 'text or null', 'organizationSlug?': 'text' },
  '/organization/invite-member': { email: 'text', role: 'role', ...ORGANIZATION, 'resend?': 'flag' },
  '/organization/cancel-invitation': ID,
  '/organization/accept-invitation': ID,
  '/organization/reject-invitation': ID,
  '/organization/remove-member': { memberIdOrEmail: 'text', ...ORGANIZATION },
  '/organization/update-member-role': { memberId: 'text', role: 'roles', ...ORGANIZATION },
  '/organization/leave': { organizationId: 'text' },
  '/organization/has-permission': { permissions: 'rights', ...ORGANIZATION },
}

const DATA: Shape = { 'name?': 'some text', 'slug?': 'some text', 'logo?': 'text or null', 'metadata?': 'object' }

/** By path; all others take none. */
export const QUERIES: Record<string, Shape> = {
  '/get-session': { 'disableCookieCache?': ['true', 'false'], 'disableRefresh?': ['true', 'false'] },
  '/organization/get-organization': NAMED,
  '/organization/get-full-organization': { ...NAMED, 'membersLimit?': 'count' },
  '/organization/get-invitation': { id: 'some text' },
  '/organization/list-invitations': ORGANIZATION,
  '/organization/get-active-member-role': { 'userId?': 'text', ...NAMED },
  '/organization/list-members': {
    ...NAMED,
    'limit?': 'page',
    'offset?': 'count',
    'sortBy?': ['createdAt', 'id', 'role', 'userId'],
    'sortDirection?': ['asc', 'desc'],
    'filterField?': ['id', 'role', 'userId'],
    'filterOperator?': ['eq', 'ne', 'contains', 'starts_with', 'ends_with'],
    'filterValue?': 'text',
  },
}

/** The body as better-auth is to have it. @throws Refusal 400 naming what is missing or does not fit */
export function askedInBody(path: string, body: Body | undefined): Body | undefined {
  const shape = BODIES[path]
  if (shape === undefined) return body
  const members = taken(shape, body?.members ?? {}, 'member of the body')
  // better-auth would ask no code of a device for a month, which no change of the password ends.
  if (members.trustDevice) throw unfit('No device is trusted for longer here: leave trustDevice out.')
  // Whoever changes a password may do it because somebody else knows it: the other sessions end, whatever the client asked for.
  if (path === '/change-password') members.revokeOtherSessions = true
  return body && { members, text: JSON.stringify(members) }
}

/** The query as better-auth is to have it. @throws Refusal 400 as for a body, or when something is given twice */
export function askedInQuery(path: string, query: URLSearchParams): URLSearchParams {
  const shape = QUERIES[path] ?? {}
  for (const name of namesOf(shape)) {
    if (query.getAll(name).length > 1) throw unfit(`The ${name} may be given once.`)
  }
  const members = taken(shape, Object.fromEntries(query), 'query parameter')
  if ('filterField' in members && !('filterValue' in members)) throw unfit('The filterField takes a filterValue.')
  return new URLSearchParams(members as Record<string, string>)
}

function taken(shape: Shape, given: Record<string, unknown>, what: string): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [key, kind] of Object.entries(shape)) {
    const name = key.replace('?', '')
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    if (value === undefined && key !== name) continue
    if (value === undefined) throw unfit(`The ${what} ${JSON.stringify(name)} is missing.`)
    check(name, value, kind)
    members[name] = kind === 'organization' ? taken(DATA, value as Record<string, unknown>, `member of ${name}`) : value
  }
  return members
}

/** @throws Refusal 400 */
function check(name: string, value: unknown, kind: Kind): void {
  if (typeof kind === 'object') {
    if (typeof value !== 'string' || !kind.includes(value))
      throw unfit(`The ${name} must be one of ${kind.join(', ')}.`)
    return
  }
  switch (kind) {
    case 'text':
      if (typeof value !== 'string') throw unfit(`The ${name} must be a text.`)
      return
    case 'some text':
      if (typeof value !== 'string') throw unfit(`The ${name} must be a text.`)
      if (value === '') throw unfit(`The ${name} must not be empty.`)
      return
    case 'text or null':
      if (value !== null && typeof value !== 'string') throw unfit(`The ${name} must be a text or null.`)
      return
    case 'new password':
      checkPassword(name, value)
      return
    case 'role':
      checkRole(name, value)
      return
    case 'roles':
      checkRole(
        name,
        [value].flat().map(role => (typeof role === 'string' ? role.replaceAll(' ', '') : role)),
      )
      return
    case 'flag':
      if (typeof value !== 'boolean') throw unfit(`The ${name} must be true or false.`)
      return
    case 'count':
      if (!/^\d{1,6}$/.test(String(value))) throw unfit(`The ${name} must be a whole number from 0 to 999999.`)
      return
    case 'page':
      if (!/^([1-9]\d?|100)$/.test(String(value))) throw unfit(`The ${name} must be a whole number from 1 to 100.`)
      return
    case 'object':
      if (!isObject(value)) throw unfit(`The ${name} must be a JSON object.`)
      return
    case 'rights':
      if (!isObject(value) || !Object.values(value).every(isTexts)) {
        throw unfit(`The ${name} must be an object of lists of texts, such as {"member":["create"]}.`)
      }
      return
    default: {
      if (!isObject(value)) throw unfit(`The ${name} must be a JSON object.`)
      // Whatever is not listed has no effect; this better-auth would store, or fail at.
      const { createdAt } = value as { createdAt?: unknown }
      if (createdAt !== undefined && !(typeof createdAt === 'string' && !Number.isNaN(Date.parse(createdAt)))) {
        throw unfit(`The ${name} takes ${namesOf(DATA).join(', ')}, and not "createdAt".`)
      }
    }
  }
}

/** As better-auth counts them. */
export const PASSWORD_LENGTH = { least: 8, most: 128 }

function checkPassword(name: string, value: unknown): void {
  if (typeof value !== 'string') throw unfit(`The ${name} must be a text.`)
  const { least, most } = PASSWORD_LENGTH
  if (value.length >= least && value.length <= most) return
  const code = value.length < least ? 'PASSWORD_TOO_SHORT' : 'PASSWORD_TOO_LONG'
  throw new Refusal(400, code, `The ${name} must have ${least} to ${most} characters; this one has ${value.length}.`)
}

/** better-auth checks for `owner` without trimming and later reads with trimming: `"admin, owner"` by an admin would pass for an owner's. */
function checkRole(name: string, value: unknown): void {
  const roles = [value].flat()
  if (roles.length > 0 && roles.every(role => typeof role === 'string' && isRole(role))) return
  throw new Refusal(400, 'ROLE_NOT_FOUND', `The ${name} must be one of owner, admin and member.`)
}

const namesOf = (shape: Shape) => Object.keys(shape).map(key => key.replace('?', ''))
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isTexts = (value: unknown) => Array.isArray(value) && value.every(one => typeof one === 'string')
const unfit = (message: string) => new Refusal(400, 'VALIDATION_ERROR', message)
