/** A right that ends while the body of a request arrives: the server must not write, and must answer why. */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import t, { type Test } from 'tap'
import { isError, type Organization, type Reply, type Server, Session, startServer } from './server.ts'

t.setTimeout(0)

/** Starts a write: the server has read its headers, and its body follows later. */
async function begun(server: Server, method: string, path: string, headers: Record<string, string>, body: unknown) {
  const bytes = Buffer.from(JSON.stringify(body))
  const request = server.open(method, path, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    expect: '100-continue',
    ...headers,
  })
  const answered = once(request, 'response')
  answered.catch(() => {})
  request.flushHeaders()
  await once(request, 'continue')
  request.write(bytes.subarray(0, 1))
  // One whole request later, the server knows the caller of the first.
  await server.get('/api/health')
  return async (): Promise<Reply> => {
    request.end(bytes.subarray(1))
    const [response] = await answered
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part)
    const read = Buffer.concat(parts)
    const text = read.toString()
    return {
      status: response.statusCode,
      headers: response.headers,
      bytes: read,
      text,
      json: text === '' ? undefined : JSON.parse(text),
    }
  }
}

interface Scene {
  server: Server
  acme: Organization
  /** The session of the admin who loses the right. */
  admin: Session
}

/** The ways to lose a right, and the status of a write by the session afterwards. */
const LOSSES: { what: string; status: number; lose: (scene: Scene) => Promise<unknown> }[] = [
  {
    what: 'is removed',
    status: 403,
    lose: ({ server, acme, admin }) =>
      server.must('POST', '/api/auth/organization/remove-member', {
        as: acme.owner,
        body: { memberIdOrEmail: admin.user.email },
      }),
  },
  {
    what: 'leaves',
    status: 403,
    lose: ({ server, acme, admin }) =>
      server.must('POST', '/api/auth/organization/leave', { as: admin, body: { organizationId: acme.id } }),
  },
  {
    what: 'loses the role',
    status: 403,
    lose: async ({ server, acme, admin }) => {
      const { members } = (await server.must('GET', '/api/auth/organization/list-members', { as: acme.owner })).json
      const { id: memberId } = members.find((member: { userId: string }) => member.userId === admin.user.id)
      const body = { memberId, role: 'member' }
      await server.must('POST', '/api/auth/organization/update-member-role', { as: acme.owner, body })
    },
  },
  {
    what: 'loses the organization',
    status: 403,
    lose: ({ server, acme }) =>
      server.must('POST', '/api/auth/organization/delete', { as: acme.owner, body: { organizationId: acme.id } }),
  },
  {
    what: 'signs out',
    status: 401,
    lose: async ({ server, admin }) => {
      const same = new Session()
      for (const [name, value] of admin.cookies) same.cookies.set(name, value)
      await server.must('POST', '/api/auth/sign-out', { as: same, body: {} })
    },
  },
  {
    what: 'ends the session from another',
    status: 401,
    lose: async ({ server, admin }) => {
      const other = await secondSession(server, admin)
      await server.must('POST', '/api/auth/revoke-other-sessions', { as: other, body: {} })
    },
  },
  {
    what: 'changes the password',
    status: 401,
    lose: async ({ server, admin }) => {
      const other = await secondSession(server, admin)
      const body = { currentPassword: admin.password, newPassword: 'another correct horse' }
      await server.must('POST', '/api/auth/change-password', { as: other, body })
    },
  },
]

async function secondSession(server: Server, { user, password }: Session): Promise<Session> {
  const other = new Session()
  const reply = await server.signIn(user.email, password, { origin: server.origin })
  other.keep(reply.headers)
  return other
}

async function scene(t: Test, server: Server): Promise<Scene> {
  const acme = await server.organization()
  const admin = await server.join(acme, 'Ben', 'admin')
  t.equal((await server.get('/api/projects', acme.key)).status, 200)
  return { server, acme, admin }
}

const cookieOf = (server: Server, session: Session) => ({ cookie: session.cookie, origin: server.origin })

t.test('mints no token when the caller loses the right before the body arrives', async t => {
  const server = await startServer(t)
  for (const { what, status, lose } of LOSSES) {
    await t.test(`who ${what}`, async t => {
      const given = await scene(t, server)
      const finish = await begun(server, 'POST', '/api/tokens', cookieOf(server, given.admin), { name: 'lasting' })
      await lose(given)
      isError(t, await finish(), status, `minting by one who ${what}`)
      const list = await server.call('GET', '/api/tokens', { as: given.acme.owner })
      t.notMatch(list.text, 'lasting', 'the token does not exist')
    })
  }
})

/** Every write with a body. `manages`: the right to edit does not suffice. */
const WRITES: { method: string; path: string; body: unknown; manages?: boolean }[] = [
  { method: 'POST', path: '/api/projects/web/bundles/en/common', body: { late: 'late' } },
  { method: 'PUT', path: '/api/projects/web/bundles/en/common', body: { late: 'late' } },
  { method: 'PUT', path: '/api/projects/web/bundles/en/common?dryRun=true', body: { late: 'late' } },
  { method: 'PUT', path: '/api/projects/web/bundles/en/large', body: largeBody() },
  { method: 'PUT', path: '/api/projects/web/bundles/en/common/hello', body: { value: 'late' } },
  { method: 'POST', path: '/api/projects/web/rename-key', body: { namespace: 'common', from: 'old', to: 'late' } },
  { method: 'POST', path: '/api/projects/web/releases', body: { name: 'late' } },
  { method: 'POST', path: '/api/projects/web/restore', body: { at: '{first}', namespace: 'common' } },
  { method: 'POST', path: '/api/projects/web/revert', body: { revision: '{first}' } },
  { method: 'POST', path: '/api/projects', body: { slug: 'late', name: 'late', sourceLanguage: 'en' }, manages: true },
  { method: 'PATCH', path: '/api/projects/web', body: { name: 'late' }, manages: true },
]

/** A body that the worker computes. */
function largeBody(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`key${i}`, `late ${'x'.repeat(60)}`]))
}

async function withProject(server: Server, key: string): Promise<string> {
  const project = await server.project(key, 'web')
  await server.put(`${project}/bundles/en/common`, key, { hello: 'Hello' })
  const first = (await server.get(`${project}/history`, key)).json.revisions[0].revision
  await server.put(`${project}/bundles/en/common`, key, { old: 'Old' })
  return first
}

const begunAll = (server: Server, headers: Record<string, string>, first: string) =>
  Promise.all(
    WRITES.map(async ({ method, path, body, manages }) => {
      const sent = JSON.parse(JSON.stringify(body).replace('{first}', first))
      return { what: `${method} ${path}`, manages, finish: await begun(server, method, path, headers, sent) }
    }),
  )

t.test('writes nothing when the caller loses the right before the body arrives', async t => {
  const server = await startServer(t)
  for (const { what, status, lose } of LOSSES) {
    await t.test(`who ${what}`, async t => {
      const given = await scene(t, server)
      const { acme, admin } = given
      const first = await withProject(server, acme.key)
      const before = await server.get('/api/projects/web/history', acme.key)
      const writes = await begunAll(server, cookieOf(server, admin), first)
      await lose(given)
      for (const { what: which, manages, finish } of writes) {
        // A member still edits.
        if (what === 'loses the role' && !manages) continue
        isError(t, await finish(), status, `${which} by one who ${what}`)
      }
      if (what === 'loses the organization') {
        t.notOk(existsSync(server.repository(acme.id)), 'the folder does not come back')
      } else if (what !== 'loses the role') {
        const after = await server.get('/api/projects/web/history', acme.key)
        t.same(after.json, before.json, 'the history has no such commit')
        t.same((await server.get('/api/projects/web/releases', acme.key)).json, { releases: [] })
      }
    })
  }
  await t.test('writes nothing when the token is revoked before the body arrives', async t => {
    const { acme } = await scene(t, server)
    const first = await withProject(server, acme.key)
    const { id, key } = await server.mint(acme.owner)
    const writes = await begunAll(server, { 'x-api-key': key }, first)
    await server.must('DELETE', `/api/tokens/${id}`, { as: acme.owner })
    for (const { what, finish } of writes) isError(t, await finish(), 401, `${what} with a revoked token`)
    const last = (await server.get('/api/projects/web/history', acme.key)).json.revisions[0]
    t.notMatch(JSON.stringify(last), 'late')
  })
})

t.test('writes nothing when a member is narrowed before the body arrives', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  const member = await server.join(acme, 'Mia', 'member')
  const first = await withProject(server, acme.key)
  const before = await server.get('/api/projects/web/history', acme.key)
  const writes = await begunAll(server, cookieOf(server, member), first)
  await server.narrow(acme, member, [{ languages: ['de'], may: 'translate' }])
  for (const { what, manages, finish } of writes) {
    if (manages) continue
    const reply = await finish()
    isError(t, reply, 403, what)
    t.match(reply.json.error, /has no right to translate/, what)
  }
  const after = await server.get('/api/projects/web/history', acme.key)
  t.same(after.json, before.json, 'the history has no such commit')
})

t.test('does not recreate a deleted organization when the body of a new project arrives', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  const body = { slug: 'late', name: 'late', sourceLanguage: 'en' }
  const byToken = await begun(server, 'POST', '/api/projects', { 'x-api-key': acme.key }, body)
  const bySession = await begun(server, 'POST', '/api/projects', cookieOf(server, acme.owner), body)
  await server.must('POST', '/api/auth/organization/delete', { as: acme.owner, body: { organizationId: acme.id } })
  isError(t, await byToken(), 401, 'by token')
  isError(t, await bySession(), 403, 'by session')
  t.notOk(existsSync(server.repository(acme.id)), 'the folder is gone')
})
