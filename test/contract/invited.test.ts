/** The steps of an invited user with SIGN_UP=invite, from the invitation to the first read. */
import t from 'tap'
import { isAuthError, isError, Session, startServer } from './server.ts'

t.test('admits an invited user from the invitation to the first read', async t => {
  const server = await startServer(t, { env: { SIGN_UP: 'invite' } })
  const acme = await server.organization('Ann')
  await server.project(acme.key, 'web')
  const email = 'bob@example.com'
  const invited = await server.invite(acme.owner, email, 'member')
  t.equal(invited.status, 200)
  const { id, url } = invited.json
  t.equal(url, `/api/auth/sign-up/email?invitation=${id}`, 'the Host header is ignored')
  const path = url

  const opened = await server.get(path)
  isAuthError(t, opened, 405, 'opened in a browser')
  t.match([opened.headers.allow, opened.json.error], ['POST', /Send a POST with name, email and password/])
  const account = { name: 'Bob', email, password: 'correct horse Bob' }
  const without = await server.call('POST', '/api/auth/sign-up/email', { body: account })
  isAuthError(t, without, 403, 'without the invitation')
  t.match(without.json.error, /`url` of your invitation/)

  const made = await server.call('POST', path, { body: account })
  t.equal(made.status, 200, made.text)
  const bob = new Session()
  bob.keep(made.headers)
  isError(t, await server.call('GET', '/api/projects', { as: bob }), 403, 'a member of nothing yet')
  await server.accept(bob, id)
  const read = await server.call('GET', '/api/projects', { as: bob })
  t.match([read.status, read.json], [200, { projects: [{ slug: 'web' }] }])

  for (const way of ['header', 'body']) {
    const address = `${way}@example.com`
    const { id } = (await server.invite(acme.owner, address, 'member')).json
    const body = { ...account, email: address, ...(way === 'body' && { invitation: id }) }
    const headers: Record<string, string> = way === 'header' ? { 'x-invitation': id } : {}
    t.equal((await server.call('POST', '/api/auth/sign-up/email', { body, headers })).status, 200, way)
  }
})

t.test('uses BASE_URL in the address of an invitation', async t => {
  const server = await startServer(t, { env: { BASE_URL: 'https://l10n.example.com/parlance' } })
  const acme = await server.organization('Ann')
  const { id, url } = (await server.invite(acme.owner, 'bob@example.com', 'member')).json
  t.equal(url, `https://l10n.example.com/parlance/api/auth/sign-up/email?invitation=${id}`)
})

t.test('explains the mistake when a word precedes the key', async t => {
  const server = await startServer(t)
  const acme = await server.organization('Ann')
  const reply = await server.get('/api/projects', `Bearer ${acme.key}`)
  isError(t, reply, 401, 'Bearer')
  t.match(reply.json.error, /holds the API token alone/)
})
