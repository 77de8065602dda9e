/** Redirects after a sign-in at a provider stay on this server for any requested target and any outcome. */
import t from 'tap'
import { oidcSettings, startProvider } from '../auth/oidc-provider.ts'
import { openAuth } from '../auth/open.ts'
import { HOST } from '../auth/visitor.ts'
import { ELSEWHERE, EVIL } from './exposure.ts'

const BASE_URL = `http://${HOST}`

t.test('redirects to this server only after a sign-in at a provider', async t => {
  const { provider } = await startProvider(t, `${BASE_URL}/api/auth/callback/oidc`)
  const { visitor } = await openAuth(t, { oidc: oidcSettings(provider, BASE_URL) })
  const isHere = (location: string | null, what: string) => {
    if (location === null) return
    const { origin } = new URL(location, BASE_URL)
    t.equal(origin, BASE_URL, `${what}: ${location}`)
  }
  let begun = 0
  for (const place of [...ELSEWHERE, '/fine', `/x?next=https://${EVIL}`]) {
    for (const name of ['callbackURL', 'errorCallbackURL']) {
      const ann = visitor()
      const what = `${name} ${JSON.stringify(place)}`
      const { status, body } = await ann.post('/sign-in/social', { provider: 'oidc', [name]: place })
      if (place.startsWith('/fine')) t.equal(status, 200, what)
      if (status !== 200) {
        t.ok(status >= 400 && status < 500, `${what}: ${status}`)
        continue
      }
      begun++
      const asked = new URL(body.url)
      t.equal(asked.origin, new URL(provider.issuer).origin, what)
      t.equal(asked.searchParams.get('redirect_uri'), `${BASE_URL}/api/auth/callback/oidc`, what)
      const state = asked.searchParams.get('state')
      const refused = await ann.get(`/callback/oidc?error=access_denied&state=${state}&${name}=https://${EVIL}`)
      isHere(refused.headers.get('location'), `${what}, refused`)
      t.notOk(JSON.stringify(refused.body ?? '').includes(`//${EVIL}`) && refused.status < 400, what)
      const again = await ann.post('/sign-in/social', { provider: 'oidc', [name]: place })
      const back = provider.authorize(again.body.url)
      const done = await ann.get(`${back.slice(`${BASE_URL}/api/auth`.length)}&${name}=https://${EVIL}`)
      isHere(done.headers.get('location'), `${what}, signed in`)
    }
  }
  t.ok(begun >= 2, `${begun} sign-ins began`)
  for (const query of ['', '?state=x&code=y', '?error=x', `?error=x&state=x&error_description=//${EVIL}`]) {
    isHere((await visitor().get(`/callback/oidc${query}`)).headers.get('location'), query)
  }
})
