/** Rights: credentials, roles, the active organization, removed members, cross-site requests and escalation. */
import t from 'tap'
import { isAuthError, isError, oneOf, openWeb, Session } from './server.ts'

const { server, acme, web } = await openWeb(t)
await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'A' } })
let serial = 0

const project = () => ({ name: 'P', slug: `q${++serial}`, sourceLanguage: 'en' })

/** Every route of Parlance that requires a credential. */
const routes = (): [method: string, path: string, body?: unknown][] => [
  ['GET', '/api/projects'],
  ['POST', '/api/projects', project()],
  ['GET', web],
  ['GET', `${web}/bundles/en`],
  ['GET', `${web}/bundles/en/common`],
  ['POST', `${web}/bundles/en/common`, { b: 'B' }],
  ['PUT', `${web}/bundles/en/common`, { b: 'B' }],
  ['PUT', `${web}/bundles/en/common/b`, { value: 'B' }],
  ['GET', '/api/tokens'],
  ['POST', '/api/tokens', { name: 'T' }],
  ['DELETE', '/api/tokens/x'],
]
const sending = (body: unknown) => (body === undefined ? {} : { body })

t.test('returns 401 on every route without a valid credential', async t => {
  const revoked = await server.mint(acme.owner, 'gone')
  await server.must('DELETE', `/api/tokens/${revoked.id}`, { as: acme.owner })
  const signedOut = new Session()
  signedOut.keep((await server.signIn(acme.owner.user.email, acme.owner.password)).headers)
  const stolen = signedOut.cookie
  t.equal((await server.call('GET', '/api/projects', { headers: { cookie: stolen } })).status, 200, 'signed in')
  await server.must('POST', '/api/auth/sign-out', { as: signedOut, body: {} })
  const credentials: [string, Record<string, string>][] = [
    ['nothing', {}],
    ['an empty key', { 'x-api-key': '' }],
    ['a wrong key', { 'x-api-key': 'wrong' }],
    ['a key of the right shape', { 'x-api-key': `prl_${'A'.repeat(43)}` }],
    ['the key and a space', { 'x-api-key': `${acme.key} x` }],
    ['half a key', { 'x-api-key': acme.key.slice(0, -1) }],
    ['a longer key', { 'x-api-key': `${acme.key}A` }],
    ['the key in capitals', { 'x-api-key': acme.key.toUpperCase() }],
    ['two keys', { 'x-api-key': `${acme.key}, ${acme.key}` }],
    ['a revoked key', { 'x-api-key': revoked.key }],
    ['the key as bearer', { authorization: `Bearer ${acme.key}` }],
    ['a long key', { 'x-api-key': 'x'.repeat(8000) }],
    ['a made-up cookie', { cookie: 'better-auth.session_token=abc.def' }],
    ['a tampered cookie', { cookie: acme.owner.cookie.replace(/=(....)/, '=AAAA') }],
    ['the cookie of a session signed out', { cookie: stolen }],
    ['odd cookies', { cookie: 'a; =b; ;;; x=%zz; __proto__=y' }],
    ['a wrong key beside a good cookie', { 'x-api-key': 'wrong', cookie: acme.owner.cookie }],
    ['an empty key beside a good cookie', { 'x-api-key': '', cookie: acme.owner.cookie }],
    ['a revoked key beside a good cookie', { 'x-api-key': revoked.key, cookie: acme.owner.cookie }],
  ]
  for (const [what, headers] of credentials) {
    for (const [method, path, body] of routes()) {
      isError(t, await server.call(method, path, { headers, ...sending(body) }), 401, `${what}: ${method} ${path}`)
    }
  }
  isError(t, await server.get('/api/projects/none'), 401, 'the answer does not reveal whether a project exists')
  isError(
    t,
    await server.get('/api/projects/none/bundles/en/common'),
    401,
    'the answer does not reveal whether a bundle exists',
  )
  isError(
    t,
    await server.call('PUT', `${web}/bundles/en/common?key=${acme.key}&x-api-key=${acme.key}`, { body: {} }),
    401,
    'a key in the address',
  )
})

t.test('uses the key alone when a request has a key and a cookie', async t => {
  const other = await server.organization('Otto')
  await server.project(other.key, 'ottos')
  const list = await server.call('GET', '/api/projects', { key: other.key, as: acme.owner })
  t.match(list.text, /"ottos"/, 'the organization of the key')
  t.notMatch(list.text, /"web"/, 'not that of the cookie')
  const reader = (await server.mint(acme.owner, 'r', 'read')).key
  isError(
    t,
    await server.call('POST', '/api/projects', { key: reader, as: acme.owner, body: project() }),
    403,
    'a read key beside an owner',
  )
})

t.test('refuses the management of tokens to tokens', async t => {
  const reader = (await server.mint(acme.owner, 'r', 'read')).key
  const { id } = await server.mint(acme.owner, 'target')
  for (const key of [acme.key, reader]) {
    for (const extra of [{}, { as: acme.owner }]) {
      isError(t, await server.call('GET', '/api/tokens', { key, ...extra }), 403, 'list')
      isError(t, await server.call('POST', '/api/tokens', { key, ...extra, body: { name: 'T' } }), 403, 'mint')
      isError(t, await server.call('DELETE', `/api/tokens/${id}`, { key, ...extra }), 403, 'revoke')
      isError(t, await server.call('DELETE', '/api/tokens/unknown', { key, ...extra }), 403, 'revoke an unknown one')
    }
  }
})

t.test('roles', async t => {
  const admin = await server.join(acme, 'Adam', 'admin')
  const member = await server.join(acme, 'Mia', 'member')
  for (const [who, as] of Object.entries({ owner: acme.owner, admin })) {
    const minted = await server.call('POST', '/api/tokens', { as, body: { name: who } })
    t.equal(minted.status, 201, `${who} mints`)
    t.strictSame(minted.json?.createdBy, { id: as.user.id, name: as.user.name })
    t.equal((await server.call('GET', '/api/tokens', { as })).status, 200, `${who} lists`)
    const gone = await server.call('DELETE', `/api/tokens/${minted.json?.id}`, { as })
    t.equal(gone.status, 204, `${who} revokes`)
    t.equal(gone.bytes.length, 0)
    t.equal((await server.call('POST', '/api/projects', { as, body: project() })).status, 201, `${who} makes projects`)
  }
  const { id, key } = await server.mint(acme.owner, 'keep')
  isError(t, await server.call('POST', '/api/tokens', { as: member, body: { name: 'T' } }), 403, 'member mints')
  isError(t, await server.call('DELETE', `/api/tokens/${id}`, { as: member }), 403, 'member revokes')
  isError(t, await server.call('DELETE', '/api/tokens/unknown', { as: member }), 403, 'member revokes an unknown one')
  isError(
    t,
    await server.call('POST', '/api/projects', { as: member, body: project() }),
    403,
    'member creates a project',
  )
  const list = await server.call('GET', '/api/tokens', { as: member })
  t.equal(list.status, 200, 'member lists')
  t.notMatch(list.text, new RegExp(key.slice(8)), 'no secret')
  t.equal(
    (await server.call('PUT', `${web}/bundles/en/common/m`, { as: member, body: { value: 'M' } })).status,
    200,
    'member edits',
  )
  t.equal((await server.get('/api/projects', key)).status, 200, 'the token lives')
  const change = (session: Session, memberId: string, role: string) =>
    server.call('POST', '/api/auth/organization/update-member-role', { as: session, body: { memberId, role } })
  const members = (await server.call('GET', '/api/auth/organization/list-members', { as: acme.owner })).json
  const rows: { id: string; userId: string }[] = members?.members ?? members ?? []
  const memberId = rows.find(row => row.userId === member.user.id)?.id ?? ''
  t.ok(memberId, 'the owner sees the members')
  for (const role of ['owner', 'admin'])
    isAuthError(t, await change(member, memberId, role), [400, 401, 403, 404], `member raises the own role to ${role}`)
  t.equal((await change(acme.owner, memberId, 'admin')).status, 200, 'the owner promotes the member to admin')
  t.equal(
    (await server.call('POST', '/api/tokens', { as: member, body: { name: 'T' } })).status,
    201,
    'the new admin mints at once',
  )
  t.equal((await change(acme.owner, memberId, 'member')).status, 200)
  isError(
    t,
    await server.call('POST', '/api/tokens', { as: member, body: { name: 'T' } }),
    403,
    'the former admin is refused at once',
  )
  isAuthError(
    t,
    await server.call('POST', '/api/auth/organization/delete', { as: admin, body: { organizationId: acme.id } }),
    [400, 401, 403, 404],
    'an admin does not delete the organization',
  )
  isAuthError(
    t,
    await server.invite(member, 'friend@example.com', 'admin'),
    [400, 401, 403, 404],
    'a member may not invite',
  )
  isAuthError(
    t,
    await server.invite(admin, 'friend@example.com', 'owner'),
    [400, 401, 403, 404],
    'an admin may not invite an owner',
  )
})

t.test('grants by an invitation only its role to its address', async t => {
  const org = await server.organization('Olga')
  const member = await server.join(org, 'Max', 'member')
  const boss = `boss${++serial}@example.com`
  const invitation = await server.invite(org.owner, boss, 'admin')
  t.equal(invitation.status, 200)
  const { id } = invitation.json
  const looks = [
    'list-invitations',
    'get-full-organization',
    `list-invitations?organizationId=${org.id}`,
    `get-full-organization?organizationId=${org.id}`,
    'list-user-invitations',
    `list-user-invitations?email=${boss}`,
    `get-invitation?id=${id}`,
    'list',
    'list-members',
    'get-active-member',
  ]
  for (const look of looks) {
    const reply = await server.call('GET', `/api/auth/organization/${look}`, { as: member })
    const told = look.includes(id) ? reply.text.replaceAll(id, '') : reply.text
    t.notOk(told.includes(id), `a member does not learn the invitation by ${look}: ${reply.text.slice(0, 100)}`)
    if (look.startsWith('get-invitation'))
      isAuthError(t, reply, [400, 401, 403, 404], 'a member does not read one by its id')
  }
  isAuthError(
    t,
    await server.call('POST', '/api/auth/organization/accept-invitation', { as: member, body: { invitationId: id } }),
    [400, 401, 403, 404],
    'a member does not accept one for another address',
  )
  const thief = new Session()
  const reply = await server.call('POST', '/api/auth/sign-up/email', {
    body: { name: 'Thief', email: boss, password: 'long enough 1' },
    headers: { origin: server.origin },
  })
  if (reply.status === 200) {
    thief.keep(reply.headers)
    for (const look of looks) {
      if (look.includes(id)) continue
      const answer = await server.call('GET', `/api/auth/organization/${look}`, { as: thief })
      t.notOk(
        answer.text.includes(id),
        `a new account with the invited address does not learn the invitation by ${look}`,
      )
    }
    isError(t, await server.call('GET', '/api/projects', { as: thief }), 403, 'the new account is in no organization')
  }
})

t.test('uses the active organization of a session', async t => {
  const ida = await server.signUp('Ida')
  for (const [method, path, body] of routes()) {
    const reply = await server.call(method, path, { as: ida, ...sending(body) })
    isError(t, reply, 403, `in no organization: ${method} ${path}`)
    t.match(reply.json?.error, /organization/i, 'says so')
  }
  const first = await server.createOrganization(ida)
  t.equal((await server.call('GET', '/api/projects', { as: ida })).status, 200, 'in his own')
  await server.must('POST', '/api/projects', { as: ida, body: { name: 'F', slug: 'first', sourceLanguage: 'en' } })
  const second = await server.createOrganization(ida)
  await server.activate(ida, second)
  await server.must('POST', '/api/projects', { as: ida, body: { name: 'S', slug: 'second', sourceLanguage: 'en' } })
  const slugs = async (session: Session) =>
    (await server.call('GET', '/api/projects', { as: session })).json?.projects?.map(
      (row: { slug: string }) => row.slug,
    )
  t.strictSame(await slugs(ida), ['second'])
  await server.activate(ida, first)
  t.strictSame(await slugs(ida), ['first'])
  const fresh = new Session()
  fresh.keep((await server.signIn(ida.user.email, ida.password)).headers)
  t.strictSame(await slugs(fresh), ['first'], 'after a new sign-in: the first membership')
  await server.activate(ida, second)
  isAuthError(
    t,
    await server.call('POST', '/api/auth/organization/set-active', { as: ida, body: { organizationId: acme.id } }),
    [400, 403, 404],
    'a foreign organization is refused',
  )
  t.strictSame(await slugs(ida), ['second'], 'the active one stays')
  isAuthError(
    t,
    await server.call('POST', '/api/auth/organization/set-active', { as: ida, body: { organizationSlug: acme.slug } }),
    [400, 403, 404],
    'by slug too',
  )
  t.strictSame(await slugs(ida), ['second'])
  isAuthError(
    t,
    await server.call('POST', '/api/auth/organization/set-active', { as: ida, body: { organizationId: 'nonsense' } }),
    [400, 403, 404],
    'an unknown one',
  )
  t.strictSame(await slugs(ida), ['second'])
  await server.call('POST', '/api/auth/organization/set-active', { as: ida, body: { organizationId: null } })
  t.strictSame(await slugs(ida), ['first'], 'none active: the first membership')
  const session = await server.call('GET', '/api/auth/get-session', { as: fresh })
  t.equal(session.json?.session?.activeOrganizationId, first, 'the session says which')
})

t.test('refuses a removed member at the next request', async t => {
  const org = await server.organization('Rosa')
  const shop = await server.project(org.key, 'shop')
  const mover = await server.join(org, 'Mo', 'admin')
  const token = await server.mint(mover, 'of a removed one')
  t.equal((await server.call('GET', shop, { as: mover })).status, 200)
  await server.must('POST', '/api/auth/organization/remove-member', {
    as: org.owner,
    body: { memberIdOrEmail: mover.user.email, organizationId: org.id },
  })
  for (const [method, path, body] of [
    ['GET', shop],
    ['GET', '/api/projects'],
    ['GET', '/api/tokens'],
    ['PUT', `${shop}/bundles/en/c`, { a: 'x' }],
    ['POST', '/api/tokens', { name: 'x' }],
  ] as const) {
    isError(t, await server.call(method, path, { as: mover, ...sending(body) }), 403, `${method} ${path}`)
  }
  oneOf(t, (await server.get('/api/projects', token.key)).status, [200], 'a token outlives its creator')
  const both = await server.join(org, 'Bo', 'member')
  const own = await server.createOrganization(both)
  await server.must('POST', '/api/projects', { as: both, body: { name: 'O', slug: 'own', sourceLanguage: 'en' } })
  await server.activate(both, org.id)
  t.match((await server.call('GET', '/api/projects', { as: both })).text, /"shop"/)
  await server.must('POST', '/api/auth/organization/remove-member', {
    as: org.owner,
    body: { memberIdOrEmail: both.user.email, organizationId: org.id },
  })
  isError(
    t,
    await server.call('GET', '/api/projects', { as: both }),
    403,
    'with another membership, 403 until the user selects it',
  )
  isError(
    t,
    await server.call('POST', '/api/projects', { as: both, body: project() }),
    403,
    'no write lands in another organization',
  )
  await server.activate(both, own)
  t.match(
    (await server.call('GET', '/api/projects', { as: both })).text,
    /"own"/,
    'after the selection the user has access',
  )
})

t.test('refuses requests to a deleted organization at once', async t => {
  const org = await server.organization('Dora')
  await server.project(org.key, 'gone')
  const member = await server.join(org, 'Dan', 'member')
  await server.must('POST', '/api/auth/organization/delete', { as: org.owner, body: { organizationId: org.id } })
  isError(t, await server.get('/api/projects', org.key), 401, 'its tokens')
  isError(t, await server.call('GET', '/api/projects', { as: org.owner }), 403, 'its owner')
  isError(t, await server.call('GET', '/api/projects', { as: member }), 403, 'its members')
})

t.test('refuses writes with a cookie from other sites', async t => {
  const host = new URL(server.base).host
  const { id } = await server.mint(acme.owner, 'victim')
  const cookie = acme.owner.cookie
  const writes = (): [string, string, unknown][] => [
    ['POST', '/api/projects', project()],
    ['POST', `${web}/bundles/en/common`, { [`x${++serial}`]: 'x' }],
    ['PUT', `${web}/bundles/en/common`, { [`x${++serial}`]: 'x' }],
    ['PUT', `${web}/bundles/en/common/x`, { value: `x${++serial}` }],
    ['POST', '/api/tokens', { name: 'x' }],
    ['DELETE', `/api/tokens/${id}`, undefined],
  ]
  const before = (await server.get(`${web}/bundles/en/common`, acme.key)).text
  const hostile: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://${host.split(':')[0]}:1` },
    { origin: `http://evil.${host}` },
    { origin: `http://${host}.evil.example` },
    { origin: 'nonsense' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: server.origin },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site', origin: 'https://sibling.example' },
    { 'sec-fetch-site': 'cross-site', 'x-forwarded-host': 'evil.example', origin: 'https://evil.example' },
    { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
  ]
  for (const headers of hostile) {
    for (const [method, path, body] of writes()) {
      isError(
        t,
        await server.call(method, path, { headers: { cookie, ...headers }, ...sending(body) }),
        403,
        `${method} ${path} ${JSON.stringify(headers)}`,
      )
    }
  }
  t.equal((await server.get(`${web}/bundles/en/common`, acme.key)).text, before, 'nothing was written')
  t.match((await server.call('GET', '/api/tokens', { as: acme.owner })).text, new RegExp(id), 'nothing revoked')
  const own: Record<string, string>[] = [
    { origin: server.origin },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: server.origin },
  ]
  for (const headers of own) {
    for (const [method, path, body] of writes().slice(0, 5)) {
      const reply = await server.call(method, path, { headers: { cookie, ...headers }, body })
      oneOf(t, reply.status, [200, 201], `${method} ${path} ${JSON.stringify(headers)}: ${reply.text.slice(0, 80)}`)
    }
  }
  for (const headers of hostile) {
    const reply = await server.call('POST', `${web}/bundles/en/common`, {
      key: acme.key,
      headers,
      body: { [`k${++serial}`]: 'x' },
    })
    t.equal(reply.status, 200, `a token is accepted: ${JSON.stringify(headers)}`)
  }
  const body = { name: 'Evil', slug: `evil-${++serial}` }
  for (const headers of hostile.filter(headers => headers.origin !== server.origin)) {
    isAuthError(
      t,
      await server.call('POST', '/api/auth/organization/create', { headers: { cookie, ...headers }, body }),
      [400, 403],
      `organization/create ${JSON.stringify(headers)}`,
    )
  }
})

t.test('signs users up and in from clients that are no browsers', async t => {
  const email = `plain${++serial}@example.com`
  const json = { 'content-type': 'application/json' }
  const up = await fetch(`${server.base}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'Plain', email, password: 'long enough 1' }),
  })
  t.equal(up.status, 200, `sign-up by Node's fetch: ${await up.text()}`)
  const inn = await fetch(`${server.base}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, password: 'long enough 1' }),
  })
  t.equal(inn.status, 200, 'sign-in by it')
  t.ok(
    inn.headers.getSetCookie().some(line => /httponly/i.test(line) && /samesite=lax|samesite=strict/i.test(line)),
    'an HttpOnly cookie, not for other sites',
  )
  t.equal((await server.signIn(email, 'long enough 1')).status, 200, 'as curl sends it')
  isAuthError(
    t,
    await server.signIn(email, 'long enough 1', { origin: 'https://evil.example' }),
    403,
    'from another origin',
  )
  t.equal(
    (
      await server.signIn(email, 'long enough 1', {
        origin: server.origin,
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'cors',
      })
    ).status,
    200,
    'from its own page',
  )
  const cookie = inn.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  t.match(await (await fetch(`${server.base}/api/auth/get-session`, { headers: { cookie } })).text(), email)
})
