import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { Accounts } from '../../src/auth/accounts.ts'
import { Auth } from '../../src/auth/auth.ts'
import { admit, openAuth } from './open.ts'
import { codeOf, wrongCode } from './totp.ts'
import { PASSWORD, Visitor } from './visitor.ts'

t.test('the codes of RFC 6238, appendix B', async t => {
  const address = 'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8'
  t.equal(codeOf(address, 59_000), '94287082')
  t.equal(codeOf(address, 20_000_000_000_000), '65353130')
})

/** Ann, an owner with a second factor; `shows` is what her app shows. */
async function setUp(t: Test, options = {}) {
  const opened = await openAuth(t, options)
  const ann = await opened.user('ann')
  const acme = await ann.found('acme')
  const begun = await ann.post('/two-factor/enable', { password: PASSWORD })
  const { totpURI, backupCodes } = begun.body
  t.equal((await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status, 200)
  const verify = (who: Visitor, code: string, more = {}) => who.post('/two-factor/verify-totp', { code, ...more })
  const events = async () => (await opened.auth.audit.read(acme, { limit: 50 }))!.entries.map(({ what }) => what)
  return { ...opened, ann, acme, totpURI: totpURI as string, backupCodes: backupCodes as string[], verify, events }
}

t.test('turned on by password and a first code; sign-in then asks for one', async t => {
  const { auth, user, visitor, sql } = await openAuth(t)
  const ann = await user('ann')
  const acme = await ann.found('acme')
  const beta = await ann.found('beta')
  const events = async () => (await auth.audit.read(acme, { limit: 50 }))!.entries.map(({ what }) => what)
  for (const body of [{}, { password: 'wrong' }, { password: PASSWORD, method: 'otp' }]) {
    t.equal((await ann.post('/two-factor/enable', body)).status, 400, JSON.stringify(body))
  }
  t.equal((await visitor().post('/two-factor/enable', { password: PASSWORD })).status, 401)
  const begun = await ann.post('/two-factor/enable', { password: PASSWORD })
  t.match(begun, { status: 200, body: { method: 'totp', totpURI: /^otpauth:\/\/totp\/Parlance:ann/ } })
  t.equal(begun.body.backupCodes.length, 10)
  t.match(await visitor().signIn('ann'), { status: 200, body: { user: {} } }, 'not before the first code is given')
  const { totpURI } = begun.body
  t.match(await ann.post('/two-factor/verify-totp', { code: wrongCode(totpURI) }), {
    status: 401,
    body: { code: 'INVALID_CODE', error: /the app shows now/ },
  })
  const cookie = ann.headers
  const turnedOn = await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  t.match(turnedOn, { status: 200, body: { user: { email: 'ann@example.com', twoFactorEnabled: true } } })
  t.ok(ann.cookie.includes(`session_token=${turnedOn.body.token}.`), 'with the token of the session that she has now')
  t.match(await auth.session(ann.headers), { organization: { id: beta } }, 'she stays where she was')
  t.equal(await auth.session(cookie), null, 'in a new session')
  t.strictSame((await events()).slice(0, 1), ['second-factor-on'], 'and is not said to have signed in')
  t.match(await ann.post('/two-factor/enable', { password: PASSWORD }), { body: { code: 'TOTP_ALREADY_ENABLED' } })

  const guest = visitor()
  const half = await guest.signIn('ann')
  t.match(half, { status: 200, body: { twoFactorRedirect: true, twoFactorMethods: ['totp'] } })
  t.strictSame(Object.keys(half.body), ['twoFactorRedirect', 'twoFactorMethods'], 'and nothing else')
  t.equal(await auth.session(guest.headers), null, 'the password alone does not sign in')
  t.strictSame((await events()).slice(0, 1), ['second-factor-on'], 'and it is no sign-in')
  sql("delete from audit where what = 'second-factor-on'")
  t.equal((await guest.post('/two-factor/verify-totp', { code: wrongCode(totpURI) })).status, 401)
  t.strictSame((await events()).slice(0, 1), ['second-factor-failed'])
  const code = codeOf(totpURI)
  t.match(await guest.post('/two-factor/verify-totp', { code, trustDevice: true }), {
    status: 400,
    body: { error: /leave trustDevice out/ },
  })
  const [one, other] = await Promise.all([
    guest.post('/two-factor/verify-totp', { code }),
    guest.post('/two-factor/verify-totp', { code }),
  ])
  t.strictSame([one.status, other.status].sort(), [200, 401], 'a code signs in once')
  t.match(await auth.session(guest.headers), { user: { name: 'ann' } })
  t.strictSame((await events()).slice(0, 2), ['sign-in', 'second-factor-failed'])
  const spy = visitor()
  await spy.signIn('ann')
  t.match(await spy.post('/two-factor/verify-totp', { code }), { status: 401, body: { error: /used before/ } })
})

t.test('backup codes work once each', async t => {
  const { auth, ann, backupCodes, visitor, events } = await setUp(t)
  const use = async (code: string) => {
    const who = visitor()
    await who.signIn('ann')
    const { status } = await who.post('/two-factor/verify-backup-code', { code })
    return [status, (await auth.session(who.headers)) !== null]
  }
  t.strictSame(await use(backupCodes[3]!), [200, true])
  t.strictSame((await events()).slice(0, 2), ['sign-in', 'backup-code-used'])
  t.strictSame(await use(backupCodes[3]!), [401, false], 'not twice')
  t.strictSame(await use('nonsense'), [401, false])
  t.equal((await ann.post('/two-factor/generate-backup-codes', { password: 'wrong' })).status, 400)
  const renewed = await ann.post('/two-factor/generate-backup-codes', { password: PASSWORD })
  t.equal(renewed.status, 200)
  t.strictSame(await use(backupCodes[4]!), [401, false], 'older ones are void')
  t.strictSame(await use(renewed.body.backupCodes[0]), [200, true])
  t.ok((await events()).includes('backup-codes-renewed'))
})

t.test('guessing codes ends', async t => {
  const { auth, totpURI, verify, visitor, sql, events } = await setUp(t)
  const wrong = wrongCode(totpURI)
  const one = visitor()
  await one.signIn('ann')
  for (let n = 0; n < 5; n++) t.equal((await verify(one, wrong)).status, 401)
  t.match(await verify(one, codeOf(totpURI)), { status: 400, body: { error: /sign in with the password again/ } })
  t.match(await verify(one, codeOf(totpURI)), { status: 401 }, 'the sign-in is over')
  const two = visitor()
  await two.signIn('ann')
  for (let n = 0; n < 5; n++) await verify(two, wrong)
  const three = visitor()
  await three.signIn('ann')
  const locked = await verify(three, codeOf(totpURI))
  t.match(locked, { status: 429, body: { code: 'ACCOUNT_TEMPORARILY_LOCKED' } }, 'the right code too')
  t.ok(Number(locked.headers.get('retry-after')) > 0)
  t.equal((await three.post('/two-factor/verify-backup-code', { code: 'x' })).status, 429)
  t.equal((await events()).filter(what => what === 'second-factor-failed').length, 10)
  sql('update twoFactor set lockedUntil = ?', new Date(Date.now() - 1).toISOString())
  t.equal((await verify(three, codeOf(totpURI))).status, 200, 'when the time is over')
  t.ok(await auth.session(three.headers))
})

t.test('another client cannot use a waiting sign-in', async t => {
  const { auth, totpURI, user, visitor, acme, ann } = await setUp(t)
  const bob = await user('bob')
  await admit(ann, bob, 'bob', 'member', acme)
  const half = visitor()
  await half.signIn('ann')
  t.equal((await half.get('/organization/list')).status, 401)
  t.equal((await half.post('/two-factor/disable', { password: PASSWORD })).status, 401)
  t.equal((await half.post('/two-factor/get-totp-uri', { password: PASSWORD })).status, 401)
  t.equal((await visitor().post('/two-factor/verify-totp', { code: codeOf(totpURI) })).status, 401, 'a code alone')
  t.match(await bob.post('/two-factor/verify-totp', { code: codeOf(totpURI) }), { status: 400 }, 'one who has none')
  t.equal((await bob.signIn('bob')).status, 200)
  t.match(await auth.session(bob.headers), { user: { name: 'bob' } })
  for (const path of [
    '/two-factor/send-otp',
    '/two-factor/verify-otp',
    '/totp/generate',
    '/two-factor/view-backup-codes',
  ])
    t.equal((await ann.post(path, { userId: 'x' })).status, 404, path)
})

t.test('turned off by the password, or by the operator', async t => {
  const { auth, dataDir, acme, ann, visitor, totpURI, verify, events } = await setUp(t)
  t.equal((await ann.post('/two-factor/disable', { password: 'wrong' })).status, 400)
  t.equal((await ann.post('/two-factor/disable', { password: PASSWORD })).status, 200)
  t.ok(await auth.session(ann.headers))
  t.match((await events())[0], 'second-factor-off')
  t.match(await visitor().signIn('ann'), { body: { user: {} } })

  const { body } = await ann.post('/two-factor/enable', { password: PASSWORD })
  t.not(body.totpURI, totpURI)
  await verify(ann, codeOf(body.totpURI))
  const accounts = await Accounts.open(dataDir)
  t.teardown(() => accounts.close())
  await t.rejects(accounts.resetTwoFactor('nobody@example.com'), { code: 'not-found' })
  t.match(await accounts.resetTwoFactor('ANN@example.com'), { email: 'ann@example.com' })
  await t.rejects(accounts.resetTwoFactor('ann@example.com'), { code: 'conflict', message: /has no second factor/ })
  t.equal(await auth.session(ann.headers), null, 'all sessions end')
  t.match((await auth.audit.read(acme, { limit: 1 }))?.entries, [
    { what: 'second-factor-off', by: 'operator', who: null },
  ])
  t.match(await visitor().signIn('ann'), { body: { user: {} } })
})

t.test('refuses second factors after a change of the secret, and says what to do', async t => {
  const { dataDir, totpURI, verify, errors } = await setUp(t)
  const other = await Auth.open({
    dataDir,
    signUp: 'closed',
    rateLimit: false,
    secret: 'another '.repeat(5),
    log: { warn: () => {}, error: (data, message) => errors.push({ data, message }) },
  })
  t.teardown(() => other.close())
  const ann = new Visitor(other)
  t.match(await ann.signIn('ann'), { body: { twoFactorRedirect: true } })
  t.match(await verify(ann, codeOf(totpURI)), {
    status: 503,
    body: { code: 'SECOND_FACTOR_UNREADABLE', error: /ask its operator to reset it/ },
  })
  t.equal(await other.session(ann.headers), null)
})

t.test('on the disk there is neither secret nor backup code', async t => {
  const { dataDir, totpURI, backupCodes } = await setUp(t)
  const database = new Sqlite(join(dataDir, 'parlance.sqlite'), { readonly: true })
  t.teardown(() => database.close())
  const rows = JSON.stringify(
    ['twoFactor', 'audit', 'user'].map(table => database.prepare(`select * from ${table}`).all()),
  )
  for (const secret of [new URL(totpURI).searchParams.get('secret')!, ...backupCodes]) t.notOk(rows.includes(secret))
})
