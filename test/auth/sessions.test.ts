import t from 'tap'
import type { BetterAuth } from '../../src/auth/better-auth.ts'
import { openDatabase } from '../../src/auth/database.ts'
import { EmbeddedAccounts } from '../../src/auth/embedded-accounts.ts'
import { loadSecret } from '../../src/auth/secret.ts'
import { Sessions } from '../../src/auth/sessions.ts'
import { openAuth } from './open.ts'
import { PASSWORD } from './visitor.ts'

t.test('only a signed, unexpired session counts', async t => {
  const { auth, user, visitor, sql } = await openAuth(t)
  const ann = await user('ann')
  const [name = '', value = ''] = ann.cookie.split('=')
  const [token, signature = ''] = decodeURIComponent(value).split('.')
  const of = (cookie: string) => auth.session(new Headers({ cookie }))
  const forged: Record<string, string> = {
    'no signature': `${name}=${token}`,
    'empty signature': `${name}=${token}.`,
    'another signature': `${name}=${token}.${encodeURIComponent(signature.replace(/^./, first => (first === 'A' ? 'B' : 'A')))}`,
    'a short signature': `${name}=${token}.${encodeURIComponent(signature.slice(4))}`,
    'another token': `${name}=x${token}.${encodeURIComponent(signature)}`,
    'malformed escapes': `${name}=%E0%A4%A; ${name}=%`,
    'another name': `x${name}=${value}`,
  }
  for (const [what, cookie] of Object.entries(forged)) t.equal(await of(cookie), null, what)
  const good = [`a=b; ${name}=${value}`, `${name}=${value}; theme=dark`, `${name}=${token}.${signature}`]
  for (const cookie of good) t.ok(await of(cookie), cookie)

  const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
  sql('update session set expiresAt = ?', days(3))
  const extended = await auth.session(ann.headers, true, false)
  t.match(extended?.setCookies, [/^__Host-parlance\.session_token=.*; Secure$/], 'a session in use is extended')
  t.match((await auth.session(ann.headers))?.setCookies, [], 'once')
  const brief = visitor()
  await brief.post('/sign-in/email', { email: 'ann@example.com', password: PASSWORD, rememberMe: false })
  t.match(
    await auth.session(brief.headers),
    { user: { name: 'ann' }, setCookies: [] },
    'one for this browser session alone is not',
  )
  sql('update session set expiresAt = ?', days(-1))
  t.equal(await auth.session(ann.headers), null, 'expired')
})

t.test('stores a bounded part of the user agent in each session', async t => {
  const { user, visitor } = await openAuth(t)
  const ann = await user('ann')
  for (const [agent, stored] of [
    ['Mozilla/5.0', 'Mozilla/5.0'],
    ['u'.repeat(20_000), 'u'.repeat(512)],
  ] as const) {
    const other = visitor()
    await other.request(
      'POST',
      '/sign-in/email',
      { email: 'ann@example.com', password: PASSWORD },
      { 'user-agent': agent },
    )
    const { body } = await ann.get('/list-sessions')
    t.ok(body.some(({ userAgent }: { userAgent: string }) => userAgent === stored))
  }
})

t.test('the common case does without better-auth', async t => {
  const { auth, dataDir, user } = await openAuth(t)
  const ann = await user('ann')
  const database = openDatabase(dataDir)
  t.teardown(() => database.close())
  const absent = async (): Promise<BetterAuth> => {
    throw new Error('better-auth was asked')
  }
  const sessions = new Sessions(new EmbeddedAccounts(database, loadSecret(dataDir)), absent)
  const { user: found } = (await sessions.read(ann.cookie)) ?? {}
  t.same(found, (await auth.session(ann.headers))?.user)
})
