/**
 * OWASP API3 (2023), broken object property level authorization: no body sets and no answer shows a property that
 * the caller has no right to.
 * Also checked by test/http/tokens, /projects and test/contract/tokens, /projects (unknown members of bodies).
 */
import type { Test } from 'tap'
import type { Scene, Session } from '../http/server.ts'
import { random } from '../random.ts'
import { furnish, isOwnWrite, NAMES, routesOf, send, stateOf } from './routes.ts'

const MARK = 'mass-assigned'
const LATE = '2999-12-31T00:00:00.000Z'

/** Columns of the tables that no request may set. */
const UNASKED = {
  id: MARK,
  organization: MARK,
  organizationId: MARK,
  createdAt: LATE,
  updatedAt: LATE,
  createdBy: { id: MARK, name: MARK },
  role: 'owner',
  key: MARK,
  hash: MARK,
  start: MARK,
  lastUsedAt: LATE,
  expiresAt: LATE,
}

/** The same for the tables of better-auth. */
const UNASKED_OF_ACCOUNTS = {
  id: MARK,
  userId: MARK,
  user: { id: MARK, role: 'owner' },
  emailVerified: true,
  createdAt: LATE,
  updatedAt: LATE,
  expiresAt: LATE,
  accountId: MARK,
  providerId: MARK,
  accessToken: MARK,
  refreshToken: MARK,
  inviterId: MARK,
  ipAddress: MARK,
  userAgent: MARK,
  activeOrganizationId: MARK,
  status: 'accepted',
  banned: true,
  isAdmin: true,
  permissions: { member: ['delete'] },
  members: [{ userId: MARK, role: 'owner' }],
  teamId: MARK,
}

const lateMs = Date.parse(LATE)
/**
 * Whether a column has the requested time in milliseconds, in seconds or as a text. Random ids may contain its digits.
 */
const isLate = (text: string) =>
  [LATE, String(lateMs), String(lateMs / 1000)].includes(text) || text.startsWith('2999-')

/** The rows and columns with a value that no request may set. */
function assigned(state: object): string[] {
  const { tables } = state as { tables: Record<string, Record<string, unknown>[]> }
  return Object.entries(tables).flatMap(([table, rows]) =>
    rows.flatMap(row =>
      Object.entries(row)
        .filter(([name, value]) => {
          const text = String(value)
          return text.includes(MARK) || isLate(text) || (name === 'emailVerified' && value !== 0)
        })
        .map(([name, value]) => `${table}.${name} = ${value}`),
    ),
  )
}

export async function properties(t: Test, scene: Scene): Promise<void> {
  const { server, acme, other, member } = scene
  await furnish(server, acme.key)

  await t.test('refuses unknown members of a body by name', async t => {
    const before = await stateOf(scene)
    const routes = (await routesOf(server)).filter(route => isOwnWrite(route) && route.body !== undefined)
    // The members of a namespace are keys, and a key may have any name.
    const shaped = routes.filter(({ template, type }) => !template.endsWith('/{namespace}') && type === undefined)
    t.ok(shaped.length >= 6)
    for (const route of shaped) {
      for (const [name, value] of Object.entries({ ...UNASKED, Name: 'x', '': 'x', constructor: 'x' })) {
        if (Object.hasOwn(route.body as object, name)) continue
        // The example of the route never names these, but restore accepts some of them.
        if (route.template.endsWith('/restore') && name === 'key') continue
        const reply = await send(
          server,
          { ...route, body: { ...(route.body as object), [name]: value } },
          { as: acme.owner },
        )
        t.equal(reply.status, 400, `${route.method} ${route.template} with ${name}: ${reply.text}`)
        t.ok(String(reply.json?.error).includes(`"${name}"`), reply.text)
      }
      const polluting = JSON.stringify(route.body).replace('{', '{"__proto__":{"polluted":"x"},')
      const reply = await send(server, { ...route, body: polluting }, { as: acme.owner })
      t.equal(reply.status, 400, `${route.method} ${route.template} with __proto__: ${reply.text}`)
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
    t.strictSame(Object.keys(Object.prototype), [])
  })

  await t.test('sets no column of better-auth from an extra member on any route', async t => {
    const eve = await server.signUp('Eve')
    const own = await server.createOrganization(eve)
    const { user } = acme.owner
    const requests: [path: string, body: object, as?: Session][] = [
      ['sign-up/email', { name: 'Mal', email: 'mal@example.com', password: 'long enough 1' }],
      ['sign-in/email', { email: eve.user.email, password: eve.password }],
      ['update-user', { name: 'Eve E.' }, eve],
      ['change-password', { currentPassword: eve.password, newPassword: eve.password }, eve],
      ['organization/create', { name: 'Mine', slug: 'eves-own' }, eve],
      ['organization/update', { organizationId: own, data: { name: 'Mine', ...UNASKED_OF_ACCOUNTS } }, eve],
      ['organization/invite-member', { organizationId: own, email: 'guest@example.org', role: 'member' }, eve],
      ['organization/set-active', { organizationId: own }, eve],
      ['organization/has-permission', { organizationId: own, permissions: { member: ['update'] } }, eve],
    ]
    for (const [path, body, as] of requests) {
      const others = { ...UNASKED_OF_ACCOUNTS, userId: user.id, inviterId: user.id }
      // Hashing a password is slow, and these routes end once the user is known.
      for (const more of path.startsWith('organization') ? [UNASKED_OF_ACCOUNTS, others] : [others]) {
        const sending = {
          ...more,
          ...body,
          ...('email' in body && path.startsWith('sign-up') && { email: `${random()}@x.example` }),
        }
        const reply = await server.call('POST', `/api/auth/${path}`, {
          body: sending,
          ...(as ? { as } : { headers: { origin: server.origin } }),
        })
        const again = path === 'organization/create' && more.userId === user.id
        t.equal(reply.status, again ? 409 : 200, `${path}: ${reply.status} ${reply.text}`)
        t.strictSame(assigned(await stateOf(scene)), [], `${path}: ${reply.status} ${reply.text}`)
      }
    }
    const { tables } = (await stateOf(scene)) as {
      tables: Record<string, { userId: string; organizationId: string; role: string; status: string }[]>
    }
    const owned = tables.member!.filter(({ userId }) => userId === user.id).map(({ organizationId }) => organizationId)
    t.strictSame(owned, [acme.id], 'no user became a member or owner of another organization')
    const hers = tables.member!.filter(({ userId }) => userId === eve.user.id)
    t.ok(
      hers.length >= 2 && hers.every(({ organizationId }) => organizationId !== acme.id && organizationId !== other.id),
    )
  })

  await t.test('refuses a user who raises the own role', async t => {
    const before = await stateOf(scene)
    const { members } = (await server.call('GET', '/api/auth/organization/list-members', { as: member })).json
    const own = members.find(({ userId }: { userId: string }) => userId === member.user.id)
    const writes: [string, object][] = [
      ['organization/update-member-role', { memberId: own.id, role: 'admin' }],
      ['organization/update-member-role', { memberId: own.id, role: ['member', 'owner'] }],
      ['organization/update-member-role', { memberId: own.id, role: 'member', organizationId: other.id }],
      ['organization/invite-member', { email: member.user.email, role: 'owner' }],
      ['organization/update', { data: { slug: 'taken' } }],
      ['organization/delete', { organizationId: acme.id }],
      ['organization/remove-member', { memberIdOrEmail: acme.owner.user.email }],
      ['organization/cancel-invitation', { invitationId: own.id }],
    ]
    for (const [path, body] of writes) {
      const reply = await server.call('POST', `/api/auth/${path}`, { as: member, body })
      t.ok(reply.status >= 400 && reply.status < 500, `${path}: ${reply.status} ${reply.text}`)
    }
    t.strictSame(await stateOf(scene), before, 'nothing was changed')
  })

  await t.test('returns no password, hash, secret or token of another session in any answer', async t => {
    const { tables } = (await stateOf(scene)) as { tables: Record<string, Record<string, unknown>[]> }
    const secrets = [
      ...tables.account!.map(({ password }) => String(password)),
      ...tables.api_token!.map(({ hash }) => (hash as Buffer).toString('hex')),
      ...tables.api_token!.map(({ hash }) => (hash as Buffer).toString('base64url')),
      acme.owner.password,
      acme.key,
      acme.key.slice(4),
    ]
    const others = tables
      .session!.filter(({ userId }) => userId !== acme.owner.user.id)
      .map(({ token }) => String(token))
    t.ok(secrets.length > 10 && others.length > 3)
    for (const route of await routesOf(server, NAMES)) {
      if (route.method !== 'GET') continue
      for (const query of ['', '?fields=password,token,hash&include=account,session&select=*&expand=user']) {
        const { text } = await send(server, { ...route, path: route.path + query }, { as: acme.owner })
        const told = [...secrets, ...others].filter(secret => text.includes(secret))
        t.strictSame(told, [], `${route.template}${query}`)
      }
    }
  })

  await t.test('opens no session with the id that the list of sessions shows', async t => {
    const sessions = (await server.call('GET', '/api/auth/list-sessions', { as: acme.owner })).json
    const { token } = sessions[0]
    for (const value of [token, `${token}.`, `${token}.${'A'.repeat(43)}=`, encodeURIComponent(`${token}.x`)]) {
      const headers = { cookie: `parlance.session_token=${value}` }
      t.equal((await server.call('GET', '/api/projects', { headers })).status, 401)
      t.equal((await server.call('GET', '/api/auth/get-session', { headers })).json, null)
    }
    const bearer = { authorization: `Bearer ${token}` }
    t.equal((await server.call('GET', '/api/projects', { headers: bearer })).status, 401)
    t.equal((await server.call('GET', '/api/auth/get-session', { headers: bearer })).json, null)
  })
}
