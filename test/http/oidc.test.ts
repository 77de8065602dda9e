import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CLIENT, startProvider } from '../auth/oidc-provider.ts'
import { Session } from '../contract/server.ts'
import { startServer } from './server.ts'

t.test('sign-in by the provider that the settings name', async t => {
  const BASE_URL = 'https://parlance.example.com/app'
  const { provider, stop } = await startProvider(t, `${BASE_URL}/api/auth/callback/oidc`)
  const folder = t.testdir()
  const file = join(folder, 'client-secret')
  writeFileSync(file, `${CLIENT.secret}\n`, { mode: 0o600 })
  const lines: string[] = []
  const server = await startServer(t, {
    dataDir: join(folder, 'data'),
    log: { write: line => void lines.push(line) },
    env: {
      BASE_URL,
      LOG_LEVEL: 'trace',
      LOG_REQUESTS: 'all',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET_FILE: file,
      OIDC_NAME: 'Acme Login',
    },
  })
  const origin = new URL(BASE_URL).origin
  const ann = new Session()
  const answers: string[] = []
  const begin = async () => {
    const begun = await server.call('POST', '/api/auth/sign-in/social', {
      as: ann,
      body: { provider: 'oidc' },
      headers: { origin },
    })
    answers.push(begun.text, JSON.stringify(begun.headers))
    return begun
  }
  const come = async (url: string) => {
    const back = await server.call('GET', url.slice(BASE_URL.length), {
      as: ann,
      headers: { 'sec-fetch-site': 'cross-site' },
    })
    answers.push(back.text, JSON.stringify(back.headers))
    return back
  }
  const begun = await begin()
  t.equal(begun.status, 200, begun.text)
  for (const cookie of begun.headers['set-cookie'] ?? []) t.match(cookie, /; HttpOnly; SameSite=Lax; Secure$/)
  const back = await come(provider.authorize(begun.json.url))
  t.equal(back.status, 302, back.text)
  t.equal(back.headers.location, '/app/api/auth/get-session')
  t.match((await server.call('GET', '/api/auth/get-session', { as: ann })).json, { user: { email: 'ann@example.com' } })
  t.match(provider.tokenRequests[0]?.form.get('redirect_uri'), `${BASE_URL}/api/auth/callback/oidc`)
  const refused = await come(provider.authorize(begun.json.url))
  t.match([refused.status, refused.json?.error], [400, /begin it again/])
  const last = provider.authorize((await begin()).json.url)
  await stop()
  const down = await come(last)
  t.match([down.status, down.json?.error, down.headers['retry-after']], [503, /^Acme Login does not answer/, '5'])
  answers.push((await server.get('/api/openapi.json')).text, (await server.get('/metrics')).text)
  t.match(answers.join(), '/api/auth/sign-in/social')
  for (const told of [answers.join('\n'), lines.join('\n')])
    t.notOk(told.includes(CLIENT.secret), 'the secret is nowhere')
  t.ok(lines.length > 3, 'there is a log')
})
