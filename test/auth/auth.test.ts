import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { Auth } from '../../src/auth/auth.ts'
import { admit, openAuth } from './open.ts'
import { HOST, PASSWORD, type Visitor } from './visitor.ts'

t.test('sign-up, sign-out, sign-in, and a restart between', async t => {
  const { auth, dataDir, user } = await openAuth(t)
  t.equal(auth.hasUsers(), false)
  const ann = await user('ann')
  t.equal(auth.hasUsers(), true)
  t.match(await auth.session(ann.headers), {
    user: { name: 'ann', email: 'ann@example.com' },
    organization: null,
    problem: 'no-membership',
    setCookies: [],
  })
  const acme = await ann.found('acme')
  const state = await auth.session(ann.headers)
  t.same(state?.organization, { id: acme, role: 'owner' }, 'a new organization becomes the active one')
  t.notOk(state?.problem)

  const again = await Auth.open({ dataDir, signUp: 'closed', rateLimit: true })
  t.teardown(() => again.close())
  t.same((await again.session(ann.headers))?.organization, { id: acme, role: 'owner' }, 'a session survives a restart')
  const elsewhere = await Auth.open({ dataDir, signUp: 'closed', rateLimit: true, secret: 'another '.repeat(5) })
  t.teardown(() => elsewhere.close())
  t.equal(await elsewhere.session(ann.headers), null, 'and not a change of the secret')

  const headers = ann.headers
  t.equal((await ann.post('/sign-out')).status, 200)
  t.equal(await auth.session(headers), null)
  t.equal((await ann.signIn('ann', 'wrong password')).status, 401)
  t.equal((await ann.signIn('nobody')).status, 401)
  t.equal(await auth.session(ann.headers), null)
  t.equal((await ann.signIn('ann')).status, 200)
  t.same((await auth.session(ann.headers))?.organization, { id: acme, role: 'owner' })
  t.equal(await auth.session(new Headers()), null)
})

t.test('a sign-out that the database refuses is none', async t => {
  const { auth, dataDir, user } = await openAuth(t)
  const ann = await user('ann')
  const { headers } = ann
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'))
  t.teardown(() => database.close())
  database.exec(`create trigger stays before delete on session begin select raise(abort, 'it stays'); end`)
  t.equal((await ann.post('/sign-out')).status, 500)
  t.ok(await auth.session(headers), 'the client of that answer is still signed in')
  database.exec('drop trigger stays')
  t.equal((await ann.post('/sign-out')).status, 200)
  t.equal(await auth.session(headers), null)
})

t.test('which organization a session is about', async t => {
  const { auth, user, visitor } = await openAuth(t)
  const [ann, bob] = [await user('ann'), await user('bob')]
  const acme = await ann.found('acme')
  const beta = await ann.found('beta')
  const foreign = await bob.found('foreign')
  const organization = async (who: Visitor) => (await auth.session(who.headers))?.organization
  const choose = (who: Visitor, body: object) => who.post('/organization/set-active', body)

  t.match(await organization(ann), { id: beta })
  const later = visitor()
  await later.signIn('ann')
  t.match(await organization(later), { id: acme }, 'a new session is about the first membership')
  t.equal((await choose(later, { organizationId: beta })).status, 200)
  t.match(await organization(later), { id: beta })
  t.match(await organization(ann), { id: beta })

  const refused = [
    { organizationId: foreign },
    { organizationId: 'unknown' },
    { organizationSlug: 'foreign' },
    { organizationSlug: 'unknown' },
  ]
  for (const body of refused) {
    t.match(
      await choose(later, body),
      { status: 404, body: { error: 'You belong to no such organization.' } },
      JSON.stringify(body),
    )
    t.match(await organization(later), { id: beta }, 'a refusal leaves it as it was')
  }
  for (const path of ['get-organization', 'get-full-organization', 'list-members']) {
    for (const named of [`organizationId=${foreign}`, 'organizationId=unknown', 'organizationSlug=foreign']) {
      t.equal((await later.get(`/organization/${path}?${named}`)).status, 404, `${path}?${named}`)
    }
    t.match(await organization(later), { id: beta }, 'and so do refused reads')
  }
  t.equal((await choose(later, { organizationId: null })).status, 200)
  t.match(await organization(later), { id: acme }, 'none chosen: the first membership')

  await choose(bob, { organizationId: foreign })
  await admit(ann, bob, 'bob', 'member', beta)
  t.same(await organization(bob), { id: beta, role: 'member' })
  await ann.post('/organization/remove-member', { memberIdOrEmail: 'bob@example.com', organizationId: beta })
  t.match(await auth.session(bob.headers), { organization: null, problem: 'not-a-member' }, 'removed: out at once')
  await choose(bob, { organizationId: foreign })
  t.same(await organization(bob), { id: foreign, role: 'owner' })
})

t.test('leaving and deleting', async t => {
  const deleted: string[] = []
  const { auth, user, errors } = await openAuth(t, {
    onOrganizationDeleted: id => {
      deleted.push(id)
      throw new Error('the disk is full')
    },
  })
  const [ann, bob] = [await user('ann'), await user('bob')]
  const acme = await ann.found('acme')
  const beta = await ann.found('beta')
  await admit(ann, bob, 'bob', 'admin', acme)
  const { key } = await auth.tokens.mint({
    organization: acme,
    name: 'a',
    scope: 'read',
    createdBy: { id: 'x', name: 'X' },
  })
  t.equal(auth.tokens.verify(key)?.organization, acme)

  t.equal((await bob.post('/organization/delete', { organizationId: acme })).status, 403)
  t.same((await auth.session(bob.headers))?.organization, { id: acme, role: 'admin' })
  await ann.post('/organization/set-active', { organizationId: acme })
  t.equal((await ann.post('/organization/delete', { organizationId: acme })).status, 200)
  t.same(deleted, [acme])
  t.match(errors, [{ data: { organization: acme, err: { message: 'the disk is full' } } }])
  t.equal(auth.tokens.verify(key), undefined)
  t.match(await auth.session(bob.headers), { organization: null, problem: 'no-membership' })
  t.match(await auth.session(ann.headers), { organization: null, problem: 'not-a-member' }, 'not in beta unseen')

  await admit(ann, bob, 'bob', 'member', beta)
  t.equal((await bob.post('/organization/leave', { organizationId: beta })).status, 200)
  t.match(await auth.session(bob.headers), { organization: null, problem: 'no-membership' })
  t.equal((await ann.post('/organization/leave', { organizationId: beta })).status, 400, 'the only owner stays')
})

t.test('cookies', async t => {
  const { visitor } = await openAuth(t)
  const ann = visitor()
  const { headers } = await ann.signUp('ann')
  t.equal(headers.get('cache-control'), 'no-store')
  const [cookie = ''] = headers.getSetCookie()
  t.match(cookie, /^parlance\.session_token=/)
  for (const attribute of [/; HttpOnly/, /; SameSite=Lax/, /; Path=\//]) t.match(cookie, attribute)
  t.notMatch(cookie, /secure|domain/i)
  ann.secure = true
  for (const secured of (await ann.signIn('ann')).headers.getSetCookie())
    t.match(secured, /^__Host-parlance\.(?!.*domain).*; Path=\/; HttpOnly; SameSite=Lax; Secure$/i)
})

t.test('over https only what this host has set over https counts', async t => {
  const { auth, user, visitor, sql } = await openAuth(t)
  const [ann, eve] = [visitor(), await user('eve')]
  ann.secure = true
  await ann.signUp('ann')
  t.match(ann.cookie, /^__Host-parlance\.session_token=[^;]+$/)
  const named = async (cookie: string, secure: boolean, isHttps = secure) => {
    const url = `http://${HOST}/api/auth/get-session`
    const asked = new Request(url, { headers: { cookie } })
    const answer = await auth.handle(asked, '192.0.2.1', secure, isHttps)
    const told = (await answer.json()) as { user: { name: string } } | null
    const user = (await auth.session(new Headers({ cookie }), secure, isHttps))?.user
    t.equal(told?.user.name, user?.name, 'our own reader and the routes agree')
    return user?.name
  }
  const table: [what: string, cookie: string, secure: boolean, name: string | undefined][] = [
    ['the own one', ann.cookie, true, 'ann'],
    ['one that a sibling host has planted beside it', `${eve.cookie}; ${ann.cookie}`, true, 'ann'],
    ['the same in the other order', `${ann.cookie}; ${eve.cookie}`, true, 'ann'],
    ['a planted one alone', eve.cookie, true, undefined],
    ['one of http over http', eve.cookie, false, 'eve'],
    ['both where a proxy is not trusted', `${eve.cookie}; ${ann.cookie}`, false, 'ann'],
    ['a name that this server never sets', eve.cookie.replace('parlance', '__Secure-parlance'), true, undefined],
  ]
  for (const [what, cookie, secure, name] of table) t.equal(await named(cookie, secure), name, what)
  t.equal(await named(eve.cookie, true, false), 'eve', 'https by the Origin alone')

  sql('update session set expiresAt = ?', new Date(Date.now() + 3 * 86_400_000).toISOString())
  const extended = await auth.session(ann.headers, false)
  t.match(
    extended?.setCookies,
    [/^__Host-.*; Secure$/],
    'a client that sends one is on https, for any header of the proxy',
  )
  const out = await ann.post('/sign-out', {})
  for (const cookie of out.headers.getSetCookie()) t.match(cookie, /^__Host-parlance\..*Max-Age=0.*; Secure$/)
  t.equal(ann.cookie, '', 'and expired under its name')
})

t.test('requests of other sites', async t => {
  const { auth, user } = await openAuth(t)
  const ann = await user('ann')
  const body = JSON.stringify({ name: 'Ann A.' })
  const send = async (headers: Record<string, string>, host = HOST) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
    return auth.handle(new Request(`http://${host}/api/auth/update-user`, init), '192.0.2.1', false)
  }
  const { cookie } = ann
  const table: [string, number, Record<string, string>, string?][] = [
    ['own origin', 200, { cookie, origin: `http://${HOST}` }],
    ['own origin, another host', 200, { cookie, origin: 'https://b.test:8443' }, 'b.test:8443'],
    ['behind TLS, Host unchanged', 200, { cookie, origin: `https://${HOST}` }],
    [
      'behind TLS, Host rewritten, browser vouches',
      200,
      { cookie, origin: 'https://pub.test', 'sec-fetch-site': 'same-origin' },
    ],
    ['referer alone', 200, { cookie, referer: `http://${HOST}/settings` }],
    ['Host rewritten, no header vouches', 403, { cookie, origin: 'https://pub.test' }],
    ['another site', 403, { cookie, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['another site, old browser', 403, { cookie, origin: 'https://evil.test' }],
    ['a sibling subdomain', 403, { cookie, origin: `https://x.${HOST}`, 'sec-fetch-site': 'same-site' }],
    [
      'a forwarded host is not believed',
      403,
      { cookie, origin: 'https://evil.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' },
    ],
    ['null origin', 403, { cookie, origin: 'null' }],
    ['a foreign referer', 403, { cookie, referer: 'https://evil.test/' }],
    ['no browser: a cookie and no word of where it is from', 200, { cookie }],
    ['no cookie', 401, {}],
  ]
  for (const [what, status, headers, host] of table) {
    const response = await send(headers, host)
    t.equal(response.status, status, what)
    if (status >= 400) t.match(await response.json(), { error: String, code: String, message: String }, what)
  }
  const inner = await send({ cookie, origin: 'http://parlance.invalid' })
  t.equal(inner.status, 403, 'the inner origin is foreign outside')
})

t.test('clients that are no browsers sign up and in without a cookie', async t => {
  const { auth } = await openAuth(t)
  const send = async (path: string, headers: Record<string, string>) => {
    const body = JSON.stringify({ name: 'Ann', email: 'ann@example.com', password: PASSWORD })
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
    return (await auth.handle(new Request(`http://${HOST}/api/auth${path}`, init), '192.0.2.1', false)).status
  }
  t.equal(await send('/sign-up/email', { 'sec-fetch-mode': 'cors' }), 200, "Node's fetch")
  t.equal(await send('/sign-in/email', { 'sec-fetch-mode': 'cors' }), 200)
  t.equal(await send('/sign-in/email', {}), 200, 'curl')
  t.equal(await send('/sign-in/email', { origin: `http://${HOST}` }), 200)
  t.equal(await send('/sign-in/email', { origin: 'https://evil.test' }), 403, 'but no other site signs anybody in')
  t.equal(await send('/sign-in/email', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), 403)
})

t.test('every error says what is wrong and nothing of the inside', async t => {
  const { auth, user, visitor, errors, sql } = await openAuth(t)
  const ann = await user('ann')
  const nobody = visitor()
  const table: [string, Promise<{ status: number; body: unknown }>, number][] = [
    ['malformed JSON', nobody.post('/sign-in/email', '{'), 400],
    ['a field missing', nobody.post('/sign-in/email', {}), 400],
    ['a field of the wrong type', nobody.post('/sign-in/email', { email: 7, password: [] }), 400],
    ['no body', nobody.post('/sign-in/email'), 400],
    ['a weak password', nobody.post('/sign-up/email', { name: 'b', email: 'b@example.com', password: 'short' }), 400],
    ['an address in use', nobody.signUp('ann'), 422],
    [
      'another type',
      nobody.post('/sign-in/email', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
    ],
    ['not signed in', nobody.get('/organization/list'), 401],
    ['an unknown route', ann.get('/unknown'), 404],
    ['another method', ann.get('/sign-in/email'), 405],
    ['a route without its organization', ann.get('/organization/list-members'), 400],
  ]
  for (const [what, answered, status] of table) {
    const answer = await answered
    t.match(answer, { status, body: { error: /\w/, code: /^[A-Z_]+$/, message: /\w/ } }, what)
    t.notMatch(JSON.stringify(answer.body), /sqlite|node_modules| at /i, what)
  }
  t.same(errors, [])
  sql('alter table member rename to hidden')
  const failed = await ann.get('/organization/list')
  t.match(failed, { status: 500, body: { code: 'INTERNAL_SERVER_ERROR', error: /log/ } })
  t.notMatch(JSON.stringify(failed.body), /member|table|sql/i)
  t.match(errors, [{ data: { err: /no such table/ } }])
  sql('alter table hidden rename to member')
  t.ok(await auth.session(ann.headers))
})

t.test('GET answers HEAD too', async t => {
  const { user } = await openAuth(t)
  const ann = await user('ann')
  t.match(await ann.request('HEAD', '/get-session'), { status: 200, body: undefined })
  t.equal((await ann.request('HEAD', '/unknown')).status, 404)
})

t.test('limits', async t => {
  const clock = { now: 0 }
  const { user, visitor } = await openAuth(t, { rateLimit: true, now: () => clock.now })
  const ann = await user('ann')
  const guesser = visitor()
  for (let i = 0; i < 10; i++) t.equal((await guesser.signIn('ann', `guess number ${i}`)).status, 401)
  const blocked = await guesser.signIn('ann')
  t.match(
    blocked,
    { status: 429, body: { error: /60 seconds/, code: 'TOO_MANY_REQUESTS', message: String } },
    'the right password too',
  )
  t.equal(blocked.headers.get('retry-after'), '60')
  guesser.address = '192.0.2.2'
  t.equal((await guesser.signIn('ann')).status, 200, 'the owner of the account elsewhere is not locked out')
  for (let i = 0; i < 500; i++) if ((await ann.get('/ok')).status !== 200) t.fail('reads are not limited')
  clock.now = 60_000
  guesser.address = '192.0.2.1'
  t.equal((await guesser.signIn('ann')).status, 200)
})

t.test('a profile consists of texts', async t => {
  const { user, errors } = await openAuth(t)
  const ann = await user('ann')
  for (const odd of [{ name: {} }, { name: ['x'] }, { name: null }, { name: 5 }, { image: {} }, { image: 5 }]) {
    const { status, body } = await ann.post('/update-user', odd)
    t.equal(status, 400, JSON.stringify(odd))
    t.match(body, { code: 'VALIDATION_ERROR', error: /^The (name|image) must be/ })
  }
  const long = { name: 'n'.repeat(101), slug: 'acme' }
  for (const path of ['/update-user', '/organization/create', '/sign-up/email']) {
    const { status, body } = await ann.post(path, { ...long, email: 'bob@example.com', password: 'correct horse' })
    t.match({ status, body }, { status: 400, body: { error: 'The name must be a text of 1 to 100 characters.' } }, path)
  }
  t.equal((await ann.post('/update-user', { name: '🦜'.repeat(100) })).status, 200)
  t.equal((await ann.post('/update-user', { name: 'Ann', image: null })).status, 200)
  t.equal((await ann.get('/get-session')).body.user.name, 'Ann')
  t.strictSame(errors, [])
})

t.test('a database that cannot be written answers 503 and no inside', async t => {
  const { user, dataDir, errors } = await openAuth(t)
  const ann = await user('ann')
  const holder = new Sqlite(join(dataDir, 'parlance.sqlite'))
  t.teardown(() => holder.close())
  holder.exec('begin immediate')
  const refused = await ann.signIn('ann')
  t.equal(refused.status, 503)
  t.match(refused.body, { code: 'SERVICE_UNAVAILABLE', error: /cannot write to its disk/ })
  t.equal(errors.length, 1, 'the log says why')
  t.equal((await ann.get('/get-session')).status, 200, 'reads go on')
  holder.exec('rollback')
  t.equal((await ann.signIn('ann')).status, 200)
})

t.test('a new password ends all other sessions at once, for any request', async t => {
  const { auth, user, visitor } = await openAuth(t)
  const ann = await user('ann')
  await ann.found('acme')
  const beta = await ann.found('beta')
  const bob = await user('bob')
  for (const asked of [{ revokeOtherSessions: false }, { revokeOtherSessions: 'no' }]) {
    const elsewhere = visitor()
    await elsewhere.signIn('ann')
    const old = ann.headers
    const change = (who: Visitor, currentPassword: string) =>
      who.post('/change-password', { currentPassword, newPassword: PASSWORD, ...asked })
    t.equal((await change(ann, 'a wrong password')).status, 400)
    t.ok(await auth.session(elsewhere.headers), 'a wrong password ends nothing')
    t.equal((await change(ann, PASSWORD)).status, 200, JSON.stringify(asked))
    t.equal(await auth.session(elsewhere.headers), null, 'the other session is over')
    t.equal(await auth.session(old), null, 'and so is the one it was changed in')
    t.match(
      await auth.session(ann.headers),
      { organization: { id: beta } },
      'the next session is about the same organization',
    )
  }
  t.ok(await auth.session(bob.headers), 'sessions of others stay')
})

t.test('a list of members is asked for in ways that it has', async t => {
  const { visitor } = await openAuth(t)
  const ann = visitor()
  await ann.signUp('ann')
  await ann.post('/organization/set-active', { organizationId: await ann.found('acme') })
  const list = (query: string) => ann.get(`/organization/list-members?${query}`)
  const odd = [
    ...['limit=0', 'limit=-1', 'limit=101', 'limit=1e9', 'limit=all', 'limit=', 'offset=-1', 'offset=x'],
    ...['sortBy=password', 'sortBy=', 'sortDirection=up', 'sortDirection=', 'sortBy=role&sortBy=x', 'limit=1&limit=2'],
    ...['filterField=x&filterValue=1', 'filterField=createdAt&filterValue=1', 'filterField=role'],
    ...['in', 'not_in', 'lt', 'nope'].map(one => `filterField=role&filterOperator=${one}&filterValue=owner`),
  ]
  for (const query of odd) t.match(await list(query), { status: 400, body: { error: /\w/ } }, query)
  const fine = [
    ...['', 'limit=100', 'offset=5', 'sortBy=role&sortDirection=desc', 'filterField=role&filterValue=nobody'],
    ...['eq', 'ne', 'contains', 'starts_with', 'ends_with'].map(
      one => `filterField=role&filterOperator=${one}&filterValue=owner`,
    ),
  ]
  for (const query of fine) t.match(await list(query), { status: 200, body: { members: Array } }, query)
})
