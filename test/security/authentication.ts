/**
 * OWASP API2 (2023), broken authentication: planted, stolen or leftover sessions, revealed accounts, guessing.
 * Also checked by test/contract/auth, /sign-in and test/auth/sessions, /rate-limit, /tokens.
 */
import type { Test } from 'tap'
import { Session } from '../contract/server.ts'
import { type Reply, type Scene, startServer } from '../http/server.ts'
import { hashCount } from '../quick-passwords.ts'

/** The parts of an answer that a client can compare, without the time of day and the words of the request. */
function visible({ status, headers, text }: Reply, ...asked: string[]): string {
  const { date: _, 'content-length': __, ...others } = headers
  return asked.reduce((shown, name) => shown.replaceAll(name, 'ASKED'), JSON.stringify([status, others, text]))
}

export async function authentication(t: Test, scene: Scene): Promise<void> {
  const { server, acme, stranger } = scene
  const { user, password } = acme.owner
  const whose = async (cookie: string) =>
    (await server.call('GET', '/api/auth/get-session', { headers: { cookie } })).json?.user?.email

  await t.test('creates a new session at sign-in when another one was planted before', async t => {
    const planted = stranger.cookie
    const made = 'parlance.session_token=planted'
    for (const cookie of [planted, made, `${planted}; ${planted}`]) {
      const reply = await server.signIn(user.email, password, { cookie, origin: server.origin })
      t.equal(reply.status, 200)
      const fresh = new Session()
      fresh.keep(reply.headers)
      t.notOk(cookie.includes([...fresh.cookies.values()][0]!), 'a session of its own')
      t.equal(await whose(fresh.cookie), user.email)
      t.not(await whose(cookie), user.email, 'the planted cookie opens no session of the user')
    }
    // A sibling host can set a cookie for the whole domain. Browsers send it first or last.
    for (const cookie of [
      `${planted}; ${acme.owner.cookie}`,
      `${acme.owner.cookie}; a=b; ${made}`,
      `${made};${planted}`,
    ]) {
      for (const path of ['/api/projects', '/api/auth/get-session', '/api/auth/organization/list']) {
        const reply = await server.get(path, undefined, { cookie })
        t.equal(reply.status, 400, `two sessions: ${path}`)
        t.match(reply.json.error, /two values/)
      }
      t.equal((await server.signIn(user.email, password, { cookie })).status, 400)
    }
    t.equal(
      await whose(`${acme.owner.cookie}; ${acme.owner.cookie}; x_parlance.session_token=y`),
      user.email,
      'one, twice',
    )
    const email = 'planted@example.com'
    const headers = { cookie: planted, origin: server.origin }
    const signedUp = await server.call('POST', '/api/auth/sign-up/email', {
      headers,
      body: { name: 'P', email, password },
    })
    t.equal(signedUp.status, 200)
    t.equal(await whose(planted), stranger.user.email, 'a sign-up opens no session for the planted cookie')
    const [one, two] = [await server.signIn(user.email, password), await server.signIn(user.email, password)]
    t.not(one.headers['set-cookie']?.[0], two.headers['set-cookie']?.[0], 'each sign-in has a new session')
    for (const path of ['/api/projects', '/api/auth/get-session']) {
      const token = decodeURIComponent(acme.owner.cookie.split('=')[1]!)
      for (const query of [
        `parlance.session_token=${token}`,
        `token=${token}`,
        `session=${token}`,
        `sessionId=${token}`,
      ]) {
        const { status, json } = await server.get(`${path}?${query}`)
        t.ok(status === 401 || json === null, `${path}: no session by an address`)
      }
    }
  })

  await t.test('refuses a session after a sign-out or a change of the password', async t => {
    const [here, there] = [new Session(), new Session()]
    const sue = await server.signUp('Sue')
    here.keep((await server.signIn(sue.user.email, sue.password)).headers)
    there.keep((await server.signIn(sue.user.email, sue.password)).headers)
    const stolen = here.cookie
    await server.must('POST', '/api/auth/sign-out', { as: here, body: {} })
    t.equal(await whose(stolen), undefined, 'the former cookie is refused')
    t.equal(await whose(there.cookie), sue.user.email, 'another browser stays signed in')
    const body = { currentPassword: sue.password, newPassword: 'another horse 2', revokeOtherSessions: true }
    await server.must('POST', '/api/auth/change-password', { as: there, body })
    t.equal(await whose(sue.cookie), undefined, 'a changed password ends the other sessions')
    t.equal(await whose(there.cookie), sue.user.email)
    t.equal((await server.signIn(sue.user.email, sue.password)).status, 401, 'the old password is refused')
    const wrong = { currentPassword: sue.password, newPassword: 'third horse 3' }
    t.ok((await server.call('POST', '/api/auth/change-password', { as: there, body: wrong })).status >= 400)
    t.ok(
      (await server.call('POST', '/api/auth/change-password', { as: there, body: { newPassword: 'third horse 3' } }))
        .status >= 400,
    )
  })

  await t.test('sets cookies that are HttpOnly, host-only, and Secure when the request came over https', async t => {
    const proxied = await startServer(t, { dataDir: `${server.dataDir}-proxied`, env: { TRUST_PROXY: '1' } })
    const ann = await proxied.signUp('Ann')
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
    const plain = await proxied.signIn(ann.user.email, ann.password)
    const secured = await proxied.signIn(ann.user.email, ann.password, https)
    const spoofed = await server.signIn(user.email, password, https)
    for (const [reply, secure] of [
      [plain, false],
      [secured, true],
      [spoofed, false],
    ] as const) {
      const lines = reply.headers['set-cookie'] ?? []
      t.ok(lines.length > 0)
      for (const line of lines) {
        const [, ...attributes] = line.split('; ').map(part => part.toLowerCase())
        for (const wanted of ['httponly', 'samesite=lax', 'path=/']) t.ok(attributes.includes(wanted), wanted)
        t.equal(attributes.includes('secure'), secure)
        t.notOk(
          attributes.some(attribute => attribute.startsWith('domain')),
          'no sibling host receives it',
        )
      }
      t.equal(reply.headers['cache-control'], 'no-store')
    }
    const cookie = secured.headers['set-cookie']!.map(line => line.split(';')[0]).join('; ')
    const out = await proxied.call('POST', '/api/auth/sign-out', { body: {}, headers: { cookie, ...https } })
    t.match(out.headers['set-cookie']?.[0], /; Secure/, 'the cookie is removed with its own attributes')
    await proxied.close()
  })

  await t.test('returns the same answer at sign-in for a wrong password and an unknown address', async t => {
    const nobody = 'nobody@example.com'
    const wrong = await server.signIn(user.email, 'not the password')
    const unknown = await server.signIn(nobody, 'not the password')
    t.equal(wrong.status, 401)
    t.equal(visible(wrong, user.email), visible(unknown, nobody), 'the same answer')
    t.equal(
      visible(await server.signIn(user.email, '')),
      visible(await server.signIn(nobody, '')),
      'without a password',
    )
    // A sign-in spends most of its time on a hash: without one, the clock reveals an unknown address.
    for (const address of [user.email, nobody]) {
      const before = hashCount()
      await server.signIn(address, 'not the password')
      t.equal(hashCount() - before, 1, `hashes of a wrong password for ${address}`)
    }
  })

  await t.test(
    'returns the same answer for known and unknown addresses at reset, invitation and closed sign-up',
    async t => {
      for (const path of [
        'request-password-reset',
        'forget-password',
        'reset-password',
        'send-verification-email',
        'change-email',
      ]) {
        const body = { email: user.email, newEmail: user.email, redirectTo: '/' }
        const reply = await server.call('POST', `/api/auth/${path}`, { body })
        t.equal(reply.status, 404, `${path} is missing`)
      }
      const [known, unknown] = [stranger.user.email, 'unheard-of@example.com']
      const invite = async (email: string) => {
        const reply = await server.invite(acme.owner, email, 'member')
        const { id, url, createdAt, expiresAt, ...told } = reply.json
        t.ok(id && url.endsWith(id) && createdAt && expiresAt)
        return JSON.stringify([reply.status, told]).replace(email, 'ASKED')
      }
      t.equal(
        await invite(known),
        await invite(unknown),
        'an invitation does not reveal whether its address has an account',
      )
      const remove = async (memberIdOrEmail: string) => {
        const sending = { as: acme.owner, body: { memberIdOrEmail } }
        return visible(await server.call('POST', '/api/auth/organization/remove-member', sending), memberIdOrEmail)
      }
      t.equal(await remove(known), await remove(unknown), 'a removal does not reveal whether a stranger has an account')
      for (const SIGN_UP of ['invite', 'closed']) {
        const { dataDir } = await startServer(t).then(async open => {
          await open.signUp('Ann', 'ann@example.com')
          await open.close()
          return open
        })
        const shut = await startServer(t, { dataDir, env: { SIGN_UP } })
        const signUp = (email: string) =>
          shut.call('POST', '/api/auth/sign-up/email', { body: { name: 'X', email, password: 'long enough 1' } })
        const taken = await signUp('ann@example.com')
        t.equal(taken.status, 403)
        t.equal(visible(taken), visible(await signUp('new@example.com')), `SIGN_UP=${SIGN_UP}`)
        await shut.close()
      }
    },
  )

  await t.test(
    'returns 429 to guesses on every route that accepts a secret, except sign-in (test/contract/sign-in)',
    async t => {
      const guarded = await startServer(t, {
        dataDir: `${server.dataDir}-guarded`,
        env: { RATE_LIMIT: 'on', REFUSAL_RATE: '1' },
      })
      const ann = await guarded.signUp('Ann')
      const until = async (ask: (n: number) => Promise<Reply>) => {
        for (let n = 1; n <= 100; n++) {
          const reply = await ask(n)
          if (reply.status === 429) {
            t.match(reply.headers['retry-after'], /^\d+$/)
            return n
          }
          t.ok(reply.status >= 400 && reply.status < 500, `${reply.status}`)
        }
        return Number.POSITIVE_INFINITY
      }
      const post = (path: string, body: object) => guarded.call('POST', `/api/auth/${path}`, { as: ann, body })
      const spoof = (n: number) => ({
        'x-forwarded-for': `198.51.100.${n}`,
        'x-real-ip': `198.51.100.${n}`,
        'x-parlance-client-address': `198.51.100.${n}`,
      })
      const tries = {
        // The server counts before it reads the body, so an answer without a hash counts as a guess.
        'a password again, of a session': await until(() => post('verify-password', {})),
        'another password, of a session': await until(() => post('change-password', {})),
        'a token': await until(n => guarded.get('/api/projects', `prl_${String(n).padStart(43, 'A')}`, spoof(n))),
        'a token, of git': await until(n =>
          guarded.get('/api/translations.git/info/refs?service=git-upload-pack', undefined, {
            authorization: `Basic ${Buffer.from(`x:prl_${n}`).toString('base64')}`,
            ...spoof(n),
          }),
        ),
        'a session': await until(n =>
          guarded.get('/api/projects', undefined, { cookie: `parlance.session_token=${n}.x` }),
        ),
      }
      t.comment(JSON.stringify(tries))
      for (const [what, after] of Object.entries(tries)) t.ok(after <= 70, `${what}: ${after}`)
      await guarded.close()
    },
  )

  await t.test('returns the same answer for tokens with any number of right characters', async t => {
    const { key } = acme
    const wrong = (right: number) =>
      key.slice(0, right) + key.slice(right).replace(/[A-Za-z0-9]/g, c => (c === 'A' ? 'B' : 'A'))
    const answers = [4, 8, 20, 46].map(wrong)
    t.ok(answers.every(guess => guess !== key && guess.length === key.length))
    const seen = new Set<string>()
    for (const guess of [...answers, `prl_${'A'.repeat(43)}`])
      seen.add(visible(await server.get('/api/projects', guess)))
    t.equal(seen.size, 1, 'one answer for all')
  })
}
