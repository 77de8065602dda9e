/** Sign-up by SIGN_UP mode, and the rate limits of sign-in and sign-up. */
import t from 'tap'
import { isAuthError, isError, oneOf, type Reply, startServer } from './server.ts'

const person = (name: string) => ({
  name,
  email: `${name.toLowerCase()}@example.com`,
  password: `correct horse ${name}`,
})

t.test('SIGN_UP', async t => {
  const open = await startServer(t)
  const acme = await open.organization('Ann')
  const email = 'bo@example.com'
  const id: string = (await open.invite(acme.owner, email, 'member')).json.id
  const second: string = (await open.invite(acme.owner, 'cy@example.com', 'member')).json.id
  const { dataDir } = open
  await open.close()

  const invite = await startServer(t, { dataDir, env: { SIGN_UP: 'invite' } })
  const signUp = (body: object, headers = {}) => invite.call('POST', '/api/auth/sign-up/email', { body, headers })
  isAuthError(t, await signUp(person('Stranger')), [400, 401, 403], 'invite: a stranger is refused')
  isAuthError(
    t,
    await signUp({ ...person('Bo'), email }),
    [400, 401, 403],
    'invite: the address alone is known to others',
  )
  isAuthError(
    t,
    await signUp({ ...person('Eve'), invitation: id }),
    [400, 401, 403],
    'invite: the link alone is for another address',
  )
  isAuthError(t, await signUp({ ...person('Bo'), email, invitation: 'x' }), [400, 401, 403], 'invite: a forged link')
  t.equal(
    (await invite.signIn(acme.owner.user.email, acme.owner.password)).status,
    200,
    'invite: who has an account signs in',
  )
  t.equal((await invite.get('/api/projects', acme.key)).status, 200, 'invite: tokens work')
  await invite.close()

  const closed = await startServer(t, { dataDir, env: { SIGN_UP: 'closed' } })
  const refused = await closed.call('POST', '/api/auth/sign-up/email', {
    body: { ...person('Cy'), invitation: second },
  })
  isAuthError(t, refused, [400, 401, 403], 'closed: the invited too')
  t.equal(
    (await closed.signIn(acme.owner.user.email, acme.owner.password)).status,
    200,
    'closed: who has an account signs in',
  )
})

t.test('admits one of three concurrent first sign-ups with SIGN_UP=invite', async t => {
  const server = await startServer(t, { env: { SIGN_UP: 'invite' } })
  const replies = await Promise.all(
    ['A', 'B', 'C'].map(name => server.call('POST', '/api/auth/sign-up/email', { body: person(name) })),
  )
  const made = replies.filter(reply => reply.status === 200).length
  t.ok(made <= 1, `at most the very first user: ${made}`)
})

t.test('rate limits', async t => {
  const server = await startServer(t, { env: { RATE_LIMIT: 'on' } })
  const ann = await server.signUp('Ann')
  const bob = await server.signUp('Bob')

  const team = [ann, ...(await Promise.all(Array.from({ length: 20 }, (_, n) => server.signUp(`Team${n}`))))]
  const morning = await Promise.all(team.map(one => server.signIn(one.user.email, one.password)))
  t.ok(
    morning.every(reply => reply.status === 200),
    `a team behind one address signs in at once: ${morning.map(reply => reply.status)}`,
  )
  for (let n = 0; n < 15; n++) {
    const reply = await server.signIn(ann.user.email, ann.password)
    if (reply.status !== 200) t.fail(`sign-in ${n + 1} of one account with the right password: ${reply.status}`)
  }

  const tries: Reply[] = []
  for (let n = 0; n < 16; n++) {
    tries.push(
      await server.signIn(ann.user.email, `wrong ${n}`, {
        'x-forwarded-for': `10.0.0.${n}`,
        'x-real-ip': `10.0.0.${n}`,
        forwarded: `for=10.0.0.${n}`,
      }),
    )
  }
  t.ok(
    tries.slice(0, 9).every(reply => reply.status === 401),
    `the first attempts get 401: ${tries.map(reply => reply.status)}`,
  )
  const last = tries.at(-1)!
  isAuthError(t, last, 429, 'guesses at one account are limited for any claimed address')
  t.match(last.headers['retry-after'] ?? last.headers['x-retry-after'], /^\d+$/, 'says when to come back')
  t.equal(
    (await server.signIn(ann.user.email.toUpperCase(), 'wrong')).status,
    429,
    'an address in another case is the same account',
  )
  t.equal((await server.signIn(bob.user.email, bob.password)).status, 200, 'another account is not locked out')

  // More than a minute's limit at once: on a slow machine those before no longer count.
  const flood = await Promise.all(Array.from({ length: 120 }, (_, n) => server.signIn(`nobody${n}@example.com`, 'x')))
  t.ok(
    flood.some(reply => reply.status === 429),
    'a flood of sign-ins from one address ends',
  )
  const signUp = (n: number) => server.call('POST', '/api/auth/sign-up/email', { body: person(`User${n}`) })
  const ups = await Promise.all(Array.from({ length: 70 }, (_, n) => signUp(n)))
  const refused = ups.find(reply => reply.status === 429)
  t.ok(refused, 'a flood of sign-ups from one address ends')
  if (refused) isAuthError(t, refused, 429, 'the answer is 429')
  oneOf(
    t,
    (await server.call('GET', '/api/projects', { as: bob })).status,
    [403],
    'requests of signed-in users are served',
  )
  const org = await server.createOrganization(bob)
  t.ok(org)
  const { key } = await server.mint(bob)
  const reads = await Promise.all(Array.from({ length: 300 }, () => server.get('/api/projects', key)))
  t.ok(
    reads.every(reply => reply.status === 200),
    'reads are not limited',
  )
  isError(t, await server.get('/api/projects', 'wrong'), 401, 'a wrong key is a wrong key')
})
