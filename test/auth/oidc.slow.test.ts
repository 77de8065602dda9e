import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { Accounts } from '../../src/auth/accounts.ts'
import type { AuthOptions } from '../../src/auth/auth.ts'
import { CLIENT, oidcSettings, type Spoiling, startProvider, strangersKey } from './oidc-provider.ts'
import { openAuth } from './open.ts'
import { codeOf } from './totp.ts'
import { HOST, PASSWORD, type Visitor } from './visitor.ts'

const BASE_URL = `http://${HOST}`

/** An address with one of its parameters said otherwise, or left out. */
function altered(url: string, name: string, value?: string): string {
  const changed = new URL(url)
  if (value === undefined) changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed.href
}

async function setUp(t: Test, options: Partial<AuthOptions> = {}) {
  const { provider, stop } = await startProvider(t, `${BASE_URL}/api/auth/callback/oidc`)
  const logged: string[] = []
  const log = {
    warn: (data: object, message: string) => logged.push(JSON.stringify([data, message])),
    error: (data: object, message: string) => logged.push(`${message} ${String((data as { err?: unknown }).err)}`),
  }
  const oidc = oidcSettings(provider, BASE_URL)
  const opened = await openAuth(t, { oidc, log, ...options })
  const begin = (who: Visitor, more = {}) => who.post('/sign-in/social', { provider: 'oidc', ...more })
  /** The way of a browser, to the answer of the callback. */
  const signIn = async (who: Visitor, more = {}) => {
    const { status, body } = await begin(who, more)
    if (status !== 200) return { status, body, headers: new Headers() }
    return comeBack(who, provider.authorize(body.url))
  }
  const comeBack = (who: Visitor, url: string) => who.get(url.slice(`${BASE_URL}/api/auth`.length))
  return { ...opened, provider, stop, logged, begin, signIn, comeBack }
}

t.test('a new user signs in by the provider, and the same user again', async t => {
  const { auth, dataDir, provider, signIn, begin, visitor, logged } = await setUp(t)
  const ann = visitor()
  const begun = await begin(ann)
  t.match(begun.body, { redirect: true, url: `${provider.issuer}/authorize?` })
  t.notOk(JSON.stringify(begun).includes(CLIENT.secret))
  const back = await signIn(ann)
  t.equal(back.status, 302, JSON.stringify(back.body))
  t.equal(back.headers.get('location'), '/api/auth/get-session')
  t.match(await auth.session(ann.headers), { user: { name: 'Ann of Login', email: 'ann@example.com' } })
  const acme = await ann.found('acme')
  const again = visitor()
  const elsewhere = await signIn(again, { callbackURL: '/welcome' })
  t.match([elsewhere.status, elsewhere.headers.get('location')], [302, '/welcome'])
  t.match(await auth.session(again.headers), { organization: { id: acme } })
  t.match((await auth.audit.read(acme, { limit: 1 }))?.entries, [
    { what: 'sign-in', who: { email: 'ann@example.com' }, address: '192.0.2.1' },
  ])
  provider.user = { ...provider.user, email: 'ann.new@example.com' }
  t.equal((await signIn(visitor())).status, 302, 'the subject counts, not the address')
  t.equal((await signIn(again, { callbackURL: 'https://evil.test/' })).status, 403, 'no browser is sent elsewhere')

  const database = new Sqlite(join(dataDir, 'parlance.sqlite'), { readonly: true })
  t.teardown(() => database.close())
  const rows = JSON.stringify(
    ['account', 'session', 'audit', 'user'].map(one => database.prepare(`select * from ${one}`).all()),
  )
  t.notOk(rows.includes('access-to-nothing'), 'no token of the provider is stored')
  t.equal(database.prepare('select count(*) from user').pluck().get(), 1)
  t.notOk(logged.join().includes(CLIENT.secret))
})

t.test('without settings there is no such route', async t => {
  const { visitor } = await openAuth(t)
  for (const path of ['/sign-in/social', '/link-social'])
    t.equal((await visitor().post(path, { provider: 'oidc' })).status, 404)
  t.equal((await visitor().get('/callback/oidc?code=x&state=y')).status, 404)
})

t.test('refuses the sign-in when an answer does not fit', async t => {
  const { auth, provider, signIn, begin, comeBack, visitor, errors } = await setUp(t)
  const nobody = async (
    what: string,
    who: Visitor,
    answer: { status: number; body: { error?: string } },
    error: RegExp,
  ) => {
    t.ok(answer.status >= 400 && answer.status <= 503 && answer.status !== 500, `${what}: ${answer.status}`)
    t.match(answer.body?.error, error, what)
    t.equal(await auth.session(who.headers), null, what)
  }
  const wrongToken = /signature, issuer, audience, time or nonce is wrong/
  const table: [what: string, spoiling: Spoiling, error: RegExp][] = [
    ['another issuer', { claims: right => ({ ...right, iss: 'https://evil.test' }) }, wrongToken],
    ['another audience', { claims: right => ({ ...right, aud: 'another' }) }, wrongToken],
    ['another nonce', { claims: right => ({ ...right, nonce: 'x'.repeat(32) }) }, wrongToken],
    ['no nonce', { claims: ({ nonce: _, ...right }) => right }, wrongToken],
    ['over', { claims: right => ({ ...right, exp: Math.floor(Date.now() / 1000) - 3600 }) }, wrongToken],
    ['without an end', { claims: ({ exp: _, ...right }) => right }, /has no end/],
    ['for another client too', { claims: right => ({ ...right, aud: [CLIENT.id, 'b'], azp: 'b' }) }, /another client/],
    ['no subject', { claims: ({ sub: _, ...right }) => right }, /names no subject/],
    ['signed by a stranger', { key: strangersKey() }, wrongToken],
    [
      'not signed',
      { token: right => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${right.split('.')[1]}.` },
      wrongToken,
    ],
    ['changed', { token: right => right.replace(/\.(.{10})/, '.$1A') }, wrongToken],
    ['no token at all', { token: () => undefined }, /no id_token/],
    [
      'an address not verified',
      { claims: right => ({ ...right, email_verified: false }) },
      /has not verified that ann@example.com is yours/,
    ],
    ['nor said to be', { claims: ({ email_verified: _, ...right }) => right }, /has not verified/],
    ['no address', { claims: ({ email: _, ...right }) => right, userinfo: { sub: 'u-1' } }, /names no address/],
    [
      'userinfo of another',
      { claims: ({ email: _, ...right }) => right, userinfo: { ...provider.user, sub: 'u-2' } },
      /another user/,
    ],
  ]
  for (const [what, spoiling, error] of table) {
    provider.spoiling = spoiling
    const who = visitor()
    await nobody(what, who, await signIn(who), error)
  }
  provider.spoiling = {}

  const [ann, eve] = [visitor(), visitor()]
  const url = provider.authorize((await begin(ann)).body.url)
  await begin(eve)
  const again = /begin it again/
  await nobody('the state of another browser', eve, await comeBack(eve, url), again)
  await nobody('no cookie', visitor(), await comeBack(visitor(), url), again)
  await nobody('no state', ann, await comeBack(ann, altered(url, 'state')), again)
  await nobody('a made-up state', ann, await comeBack(ann, altered(url, 'state', 'x'.repeat(32))), again)
  const second = visitor()
  const good = provider.authorize((await begin(second)).body.url)
  await nobody(
    'another issuer in the address',
    second,
    await comeBack(second, altered(good, 'iss', 'https://evil.test')),
    /another issuer/,
  )
  const third = visitor()
  const once = provider.authorize((await begin(third)).body.url)
  t.equal((await comeBack(third, once)).status, 302)
  const replayed = await comeBack(third, once)
  t.match(replayed, { status: 400, body: { error: again } }, 'the same address again')
  const thief = visitor()
  const fresh = provider.authorize((await begin(thief)).body.url)
  const used = new URL(once).searchParams.get('code')!
  await nobody(
    'a code used before',
    thief,
    await comeBack(thief, altered(fresh, 'code', used)),
    /accepts this code no longer/,
  )
  const denied = visitor()
  const refusal = new URL(provider.authorize((await begin(denied)).body.url))
  refusal.searchParams.delete('code')
  refusal.searchParams.set('error', 'access_denied')
  await nobody('the user says no', denied, await comeBack(denied, refusal.href), /access was denied/)
  const odd = visitor()
  const unknown = new URL(provider.authorize((await begin(odd)).body.url))
  unknown.searchParams.delete('code')
  unknown.searchParams.set('error', 'constructor')
  await nobody('an error of no meaning', odd, await comeBack(odd, unknown.href), /did not sign you in \(constructor\)/)
  for (const more of [
    { idToken: { token: 'x' } },
    { scopes: ['all'] },
    { provider: 'google' },
    { additionalData: {} },
  ]) {
    await nobody(JSON.stringify(more), visitor(), await begin(visitor(), more), /is not accepted here|must be "oidc"/)
  }
  t.equal((await visitor().get('/callback/google?code=x&state=y')).status, 404)
  t.strictSame(errors, [], 'and nothing of it is a failure of the server')
})

t.test('a provider that is down, slow or another one is a sentence, and only until it is back', async t => {
  const { provider, stop, signIn, begin, comeBack, visitor, user } = await setUp(t)
  const unavailable = { status: 503, body: { error: /^Acme Login (does not answer this server|cannot be used)/ } }
  for (const spoiling of [
    { status: 500 },
    { discovery: () => ({}) },
    { discovery: () => [] },
    { discovery: (right: object) => ({ ...right, issuer: 'https://evil.test' }) },
    { discovery: (right: object) => ({ ...right, token_endpoint: 'file:///etc/passwd' }) },
  ]) {
    provider.spoiling = spoiling
    t.match(await begin(visitor()), unavailable, JSON.stringify(spoiling))
  }
  provider.spoiling = {}
  const who = visitor()
  const url = provider.authorize((await begin(who)).body.url)
  provider.spoiling = { status: 502 }
  t.match(await comeBack(who, url), unavailable, 'at the token')
  provider.spoiling = {}
  t.equal((await signIn(who)).status, 302, 'back again')
  const last = visitor()
  const late = provider.authorize((await begin(last)).body.url)
  await stop()
  t.match(await comeBack(last, late), unavailable, 'gone')
  t.ok(await user('paula'), 'passwords need no provider')
})

t.test('which account one gets', async t => {
  const { auth, dataDir, provider, signIn, visitor, user } = await setUp(t)
  const eve = await user('ann')
  t.match(
    await signIn(visitor()),
    {
      status: 403,
      body: { code: 'ACCOUNT_NOT_LINKED', error: /not proven to be yours: sign in with its password/ },
    },
    'an earlier sign-up with the address must not share the account',
  )
  const linking = await eve.post('/link-social', { provider: 'oidc' })
  t.equal(linking.status, 200)
  const callback = provider.authorize(linking.body.url).slice(`${BASE_URL}/api/auth`.length)
  provider.user = { ...provider.user, email: 'other@example.com', sub: 'u-9' }
  t.match(await eve.get(callback), { status: 403, body: { error: /must be the same/ } })
  provider.user = { ...provider.user, email: 'ann@example.com', sub: 'u-1' }
  const once = provider.authorize((await eve.post('/link-social', { provider: 'oidc' })).body.url)
  t.equal((await eve.get(once.slice(`${BASE_URL}/api/auth`.length))).status, 302)
  const ann = visitor()
  t.equal((await signIn(ann)).status, 302, 'linked with the password, it signs in')
  const { id } = (await auth.session(eve.headers))!.user
  t.match(await auth.session(ann.headers), { user: { id } })
  t.equal((await visitor().post('/link-social', { provider: 'oidc' })).status, 401)

  const accounts = await Accounts.open(dataDir)
  const bob = await accounts.create({ email: 'bob@example.com', name: 'Bob', password: PASSWORD })
  accounts.close()
  provider.user = { sub: 'u-2', email: 'Bob@Example.com', email_verified: true }
  const guest = visitor()
  t.equal((await signIn(guest)).status, 302, 'the operator answers for the address of an account from the command line')
  t.match(await auth.session(guest.headers), { user: { id: bob.id, name: 'Bob' } })
})

t.test('a second factor is asked for after the provider too', async t => {
  const { auth, dataDir, signIn, visitor } = await setUp(t)
  const accounts = await Accounts.open(dataDir)
  await accounts.create({ email: 'ann@example.com', name: 'Ann', password: PASSWORD })
  accounts.close()
  const ann = visitor()
  await ann.signIn('ann')
  const acme = await ann.found('acme')
  const { totpURI } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
  await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const half = visitor()
  const asked = await signIn(half)
  t.match(asked, { status: 200, body: { twoFactorRedirect: true, twoFactorMethods: ['totp'] } })
  t.equal(await auth.session(half.headers), null)
  t.match((await auth.audit.read(acme, { limit: 2 }))?.entries, [
    { what: 'identity-linked' },
    { what: 'second-factor-on' },
  ])
  const page = await signIn(half, { callbackURL: '/welcome?to=acme' })
  t.equal(page.status, 302)
  t.equal(page.headers.get('location'), '/welcome?to=acme&twoFactorRedirect=true')
  t.equal(await auth.session(half.headers), null)
  t.equal((await half.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status, 200)
  t.match(await auth.session(half.headers), { user: { name: 'Ann' } })
  t.match((await auth.audit.read(acme, { limit: 1 }))?.entries, [{ what: 'sign-in' }])
})

t.test('SIGN_UP holds for the provider’s users too', async t => {
  const closed = await setUp(t, { signUp: 'closed' })
  t.match(await closed.signIn(closed.visitor()), { status: 403, body: { code: 'SIGN_UP_CLOSED', error: /operator/ } })
  t.equal(closed.auth.hasUsers(), false)

  const { auth, provider, signIn, user, visitor, sql } = await setUp(t, { signUp: 'invite' })
  const refused = { status: 403, body: { code: 'SIGN_UP_BY_INVITATION', error: /there is none for/ } }
  t.match(await signIn(visitor()), refused, 'not the very first user')
  const olga = await user('olga')
  const acme = await olga.found('acme')
  t.match(await signIn(visitor()), refused)
  const { id } = (await olga.post('/organization/invite-member', { email: 'Ann@example.com', role: 'member' })).body
  sql('update invitation set expiresAt = ? where id = ?', '2026-01-01T00:00:00.000Z', id)
  t.match(await signIn(visitor()), refused, 'an invitation that expired')
  const fresh = (await olga.post('/organization/invite-member', { email: 'Ann@example.com', role: 'member' })).body
  const ann = visitor()
  t.equal((await signIn(ann)).status, 302)
  t.equal((await ann.post('/organization/accept-invitation', { invitationId: fresh.id })).status, 200)
  t.match(await auth.session(ann.headers), { organization: { id: acme, role: 'member' } })
  provider.user = { ...provider.user, sub: 'u-3', email: 'eve@example.com' }
  t.match(await signIn(visitor()), refused)
})
