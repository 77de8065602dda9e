/** Lists of more rows than better-auth returns by default, by its routes. */
import type { Test } from 'tap'
import type { Auth } from '../../src/auth/auth.ts'
import { Background, type BackgroundTask, type TaskOptions } from '../../src/scheduling/background.ts'
import { Visitor } from './visitor.ts'

/** An Auth, and rows in its tables. */
export interface Scene {
  auth: Auth
  run: (statement: string) => Promise<unknown>
  expire: () => Promise<unknown>
}

/** A background that gives a test its tasks. */
export function askable() {
  const background = new Background({ info: () => {}, warn: () => {}, error: () => {} })
  const tasks = new Map<string, BackgroundTask>()
  const make = background.task.bind(background)
  background.task = (work: TaskOptions) => {
    const task = make(work)
    tasks.set(work.name, task)
    return task
  }
  return {
    background,
    expire: async () => tasks.get('deleting expired sessions and old entries of the audit trail')!.now(),
  }
}

/** The numbers from 1 to `count`, in either database. */
const numbers = (count: number) =>
  `with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})`
const YEAR_2099 = '2099-01-01T00:00:00.000Z'
const YEAR_2020 = '2020-01-01T00:00:00.000Z'

const sessions = (user: string, count: number, expiresAt: string, name = 'other') =>
  `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
   ${numbers(count)} select '${name}' || n, '${name}' || n, '${user}', '${expiresAt}', '${YEAR_2020}', '${YEAR_2020}' from number`

const invitations = (organization: string, user: string, count: number, status: string, expiresAt: string) =>
  `insert into invitation (id, "organizationId", email, role, status, "expiresAt", "createdAt", "inviterId")
   ${numbers(count)} select '${status}' || '${expiresAt}' || n, '${organization}', 'guest' || n || '@example.com', 'member',
     '${status}', '${expiresAt}', '${YEAR_2020}', '${user}' from number`

const count = async (ann: Visitor, path: string) => (await ann.get(path)).body.length

export async function listsAreWhole(t: Test, { auth, run, expire }: Scene): Promise<void> {
  const ann = new Visitor(auth)
  const user = (await ann.signUp('ann')).body.user.id
  const acme = await ann.found('acme')

  await run(sessions(user, 105, YEAR_2020, 'expired'))
  const other = new Visitor(auth)
  await other.signIn('ann')
  await run(sessions(user, 1000, YEAR_2099))
  t.equal(await count(ann, '/list-sessions'), 1002)
  t.match(await ann.post('/revoke-other-sessions', {}), { status: 200, body: { status: true } })
  t.equal(await count(ann, '/list-sessions'), 1)
  t.equal(await auth.session(other.headers), null)
  t.match(await other.post('/revoke-other-sessions', {}), { status: 401 }, 'one that is over ends no others')
  t.ok(await auth.session(ann.headers))

  await run(sessions(user, 1200, YEAR_2020, 'old'))
  await expire()
  await run(sessions(user, 2000, YEAR_2099))
  await other.signIn('ann')
  t.equal(await count(other, '/list-sessions'), 2000, 'a further sign-in ended the oldest ones')
  t.ok(await auth.session(other.headers))
  t.match(
    await other.post('/change-password', {
      currentPassword: 'correct horse battery',
      newPassword: 'another horse battery',
    }),
    {
      status: 200,
    },
  )
  t.equal(await count(other, '/list-sessions'), 1)

  await run(invitations(acme, user, 150, 'canceled', YEAR_2099))
  await run(invitations(acme, user, 120, 'pending', YEAR_2020))
  const { id } = (await other.post('/organization/invite-member', { email: 'boss@example.com', role: 'admin' })).body
  const listed = (await other.get('/organization/list-invitations')).body
  t.equal(listed.length, 271)
  t.ok(listed.some((one: { id: string }) => one.id === id))
  const full = (await other.get('/organization/get-full-organization')).body
  t.equal(full.invitations.length, 271)
  t.match(await other.post('/organization/cancel-invitation', { invitationId: id }), { status: 200 })
  await expire()
  t.equal(await count(other, '/organization/list-invitations'), 151, 'what expired long ago is gone')
  await run(invitations(acme, user, 1000, 'rejected', YEAR_2099))
  await other.post('/organization/invite-member', { email: 'boss@example.com', role: 'admin' })
  t.equal(await count(other, '/organization/list-invitations'), 1001, 'and the oldest of too many')
  await run(invitations(acme, user, 999, 'pending', YEAR_2099))
  t.match(await other.post('/organization/invite-member', { email: 'further@example.com', role: 'member' }), {
    status: 409,
    body: { error: /1000 pending invitations, the most.*withdraw some/ },
  })

  await run(`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
    ${numbers(130)} select 'user' || n, 'User', 'user' || n || '@example.com', false, '${YEAR_2020}', '${YEAR_2020}' from number`)
  await run(`insert into member (id, "organizationId", "userId", role, "createdAt")
    ${numbers(130)} select 'member' || n, '${acme}', 'user' || n, case n when 130 then 'owner' else 'member' end, '${YEAR_2099}' from number`)
  t.equal((await other.get('/organization/get-full-organization')).body.members.length, 131)
  t.equal((await other.get('/organization/list-members')).body.members.length, 131)
  await run(`insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
    ${numbers(370)} select 'more' || n, 'User', 'more' || n || '@example.com', false, '${YEAR_2020}', '${YEAR_2020}' from number`)
  await run(`insert into member (id, "organizationId", "userId", role, "createdAt")
    ${numbers(370)} select 'more' || n, '${acme}', 'more' || n, 'member', '${YEAR_2099}' from number`)
  for (const [path, limit] of [
    ['get-full-organization', 'membersLimit'],
    ['list-members', 'limit'],
  ] as const) {
    const named = [`organizationId=${acme}`, 'organizationSlug=acme']
    for (const query of ['', ...named, ...(limit === 'limit' ? [] : [`${limit}=0`, `${limit}=501`])]) {
      const refused = await other.get(`/organization/${path}?${query}`)
      t.match(refused, { status: 400, body: { code: 'TOO_MANY_MEMBERS' } }, `${path} ${query}`)
      t.match(refused.body.error, `has 501 members, and one answer at most 500: set ${limit}.`)
    }
    for (const query of named) {
      const { body } = await other.get(`/organization/${path}?${query}&${limit}=100`)
      t.equal(body.members.length, 100, `${path} ${query}`)
    }
  }
  t.match((await other.get('/organization/list-members?limit=100&offset=450')).body, {
    total: 501,
    members: { length: 51 },
  })
  t.match(
    await other.post('/organization/leave', { organizationId: acme }),
    { status: 200 },
    'the other owner is known',
  )

  await run(`insert into organization (id, name, slug, "createdAt")
    ${numbers(199)} select 'organization' || n, 'Acme', 'acme' || n, '${YEAR_2020}' from number`)
  await run(`insert into member (id, "organizationId", "userId", role, "createdAt")
    ${numbers(199)} select 'own' || n, 'organization' || n, '${user}', 'owner', '${YEAR_2020}' from number`)
  t.equal(await count(other, '/organization/list'), 199)
  t.ok(await other.found('last'))
  t.match(await other.post('/organization/create', { name: 'Further', slug: 'further' }), {
    status: 409,
    body: { error: /member of 200 organizations, and you are: leave or delete one/ },
  })
}
