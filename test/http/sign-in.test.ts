/** `GET /api/sign-in` under each setting, before and after the first account. */
import t from 'tap'
import { isError, startServer } from './server.ts'

const PROVIDER = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'parlance',
  OIDC_CLIENT_SECRET: 'of the client alone'.replaceAll(' ', '-'),
  OIDC_NAME: 'Acme Login',
  BASE_URL: 'https://parlance.example.com',
}

t.test('returns the ways to sign in', async t => {
  const server = await startServer(t, { env: { SIGN_UP: 'invite' } })
  const first = await server.get('/api/sign-in')
  t.match(first, { status: 200, headers: { 'cache-control': 'no-store' } })
  t.strictSame(first.json, { signUp: 'invite', firstUser: true, provider: null })
  await server.signUp('Ann')
  t.strictSame((await server.get('/api/sign-in')).json, { signUp: 'invite', firstUser: false, provider: null })
  t.match(await server.call('HEAD', '/api/sign-in'), { status: 200, text: '' })
  isError(t, await server.call('POST', '/api/sign-in'), 405, 'the route accepts no body')
})

for (const signUp of ['open', 'closed']) {
  t.test(`returns who may sign up, and the name of the provider: ${signUp}`, async t => {
    const server = await startServer(t, { env: { ...PROVIDER, SIGN_UP: signUp } })
    const reply = await server.get('/api/sign-in')
    t.strictSame(reply.json, { signUp, firstUser: true, provider: { id: 'oidc', name: 'Acme Login' } })
    t.notMatch(reply.text, /of-the-client|login\.example/, 'no other setting of the provider')
  })
}
