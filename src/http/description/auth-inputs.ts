/** Descriptions of body members of `/api/auth` routes. `auth/validate-request.ts` checks them by the same shapes. */
import { z } from 'zod'
import { DATA, type MemberKind, type RequestShape } from '../../auth/validate-request.ts'
import { RightsShape } from '../requests/rights-shape.ts'
import { role } from './auth-shapes.ts'

const PASSWORD: Meaning = ['8 to 128 characters.', 'correct horse battery']
const OF_ORGANIZATION: Meaning = ['The id of the organization.', 'HV0ynBZXjIVcy94mGJ8NDlY30DqXiIJS']
const NAME_OF_ORGANIZATION: Meaning = ['What people see.', 'Acme']
type Meaning = [description: string, example?: unknown]

/** The meaning of a member by name, or by path and name where it differs. */
const MEANINGS: Record<string, Meaning> = {
  name: ['What others see.', 'Ann'],
  email: ['An e-mail address.', 'ann@example.com'],
  password: PASSWORD,
  currentPassword: PASSWORD,
  newPassword: PASSWORD,
  image: ['The address of a picture.', null],
  code: ['The six digits that the app shows now.', '123456'],
  '/two-factor/verify-backup-code code': ['A backup code.', 'kX3fN-2mQ8z'],
  token: ['What `revoke-session` takes.', 'PfLZBREtzGuwPiM1rJsXwMuOtN9TWMoW'],
  disableCookieCache: ['Has no effect: there is no such cache.'],
  disableRefresh: ['`true`: the session is not extended.'],
  '/organization/create name': NAME_OF_ORGANIZATION,
  '/organization/update name': NAME_OF_ORGANIZATION,
  slug: ['Unique on the server.', 'acme'],
  organizationId: ['The id of the organization; the active one by default.', OF_ORGANIZATION[1]],
  '/organization/delete organizationId': OF_ORGANIZATION,
  '/organization/leave organizationId': OF_ORGANIZATION,
  '/organization/set-active organizationId': OF_ORGANIZATION,
  organizationSlug: ['In place of its id.', 'acme'],
  invitation: ['The id of the invitation.', OF_ORGANIZATION[1]],
  invitationId: ['The id of the invitation.', OF_ORGANIZATION[1]],
  id: ['The id of the invitation.', OF_ORGANIZATION[1]],
  memberId: ['The id of the membership.', OF_ORGANIZATION[1]],
  memberIdOrEmail: ['An e-mail address.', 'ann@example.com'],
  userId: ['The id of the user; oneself by default.', OF_ORGANIZATION[1]],
  rights: ['What the role member may do by language; all of it by default.'],
  permissions: ["Rights in better-auth's terms.", { member: ['create'] }],
  membersLimit: ['Most members in the answer; required above 500 members, and then at most 500.'],
  limit: ['Most rows. Required where the organization has more than 500 members; all by default.'],
  offset: ['How many rows to leave out first.'],
  sortBy: ['What they are sorted by.'],
  sortDirection: ['Upwards or downwards.'],
  filterField: ['Only members of whom this fits `filterValue`.'],
  filterOperator: ['How it is compared; `eq` by default.'],
  filterValue: ['What it is compared with.'],
}

const TYPES: Record<Exclude<MemberKind, 'organization' | readonly string[]>, z.ZodType> = {
  text: z.string(),
  'some text': z.string(),
  name: z.string().max(100),
  'new password': z.string(),
  'text or null': z.string().nullable(),
  role,
  roles: role,
  flag: z.boolean(),
  count: z.int().min(0),
  page: z.int().min(1).max(100),
  object: z.record(z.string(), z.unknown()),
  'language rights': RightsShape.nullable(),
  rights: z.record(z.string(), z.array(z.string())),
}

/** The members of a route's body or query, with descriptions. @param path below /api/auth */
export function membersOf(path: string, shape: RequestShape): z.ZodRawShape {
  const members = Object.entries(shape).map(([key, kind]) => {
    const name = key.replace('?', '')
    const [description, ...example] = MEANINGS[`${path} ${name}`] ?? MEANINGS[name] ?? []
    let type = typeOf(path, kind)
    if (description !== undefined) type = type.describe(description)
    if (example.length > 0) type = type.meta({ examples: example })
    return [name, name === key ? type : type.optional()]
  })
  return Object.fromEntries(members)
}

function typeOf(path: string, kind: MemberKind): z.ZodType {
  if (typeof kind === 'object') return kind.length === 1 ? z.literal(kind[0]!) : z.enum(kind)
  return kind === 'organization' ? z.object(membersOf(path, DATA)) : TYPES[kind]
}
