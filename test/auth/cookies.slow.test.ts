// It restores what it changes, so it shares its process (test/groups.mjs).
import { parseCookies as otherParser } from 'better-auth/cookies'
import { parseCookies } from 'better-call'
import fc from 'fast-check'
import t from 'tap'
import { readCookies } from '../../src/auth/cookies.ts'
import { SESSION_COOKIE, TWO_FACTOR_COOKIE } from '../../src/auth/mount.ts'
import { isError, startServer } from '../contract/server.ts'
import { exchange } from '../http/server.ts'
import { openAuth } from './open.ts'
import { codeOf } from './totp.ts'
import { PASSWORD } from './visitor.ts'

const NAMES = [SESSION_COOKIE, TWO_FACTOR_COOKIE].flatMap(name => [name, `__Secure-${name}`, `__Host-${name}`])

t.test('what is read is what better-auth reads, or nothing is', async t => {
  const odd = fc.constantFrom(
    ' ',
    '\t',
    '"',
    '%20',
    '%3D',
    '%6',
    '%',
    '=',
    ',',
    ';',
    '\x00',
    '\x0b',
    '\x7f',
    '\xa0',
    'é',
    '\\',
  )
  const bit = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NAMES, 'a', 'abc', 'x.y=', 'parlance') }, odd)
  const name = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
    fc.tuple(odd, fc.constantFrom(...NAMES), odd).map(parts => parts.join('')),
    fc.constantFrom(...NAMES).map(text => text.replace('n', '%6E')),
    fc.array(bit, { maxLength: 3 }).map(parts => parts.join('')),
  )
  const value = fc.array(bit, { maxLength: 4 }).map(parts => parts.join(''))
  const equals = fc.constantFrom('=', '=', '=', ' =', '= ', '', '\t=', '==')
  const pair = fc.tuple(name, equals, value).map(parts => parts.join(''))
  const header = fc
    .tuple(fc.array(pair, { maxLength: 5 }), fc.constantFrom('; ', ';', ' ; ', ', ', ';;'))
    .map(([pairs, join]) => pairs.join(join))
  let read = 0
  let refused = 0
  fc.assert(
    fc.property(header, text => {
      const ours = readCookies(text)
      if ('fault' in ours) {
        refused++
        return
      }
      for (const name of NAMES) {
        for (const theirs of [parseCookies(text).get(name), otherParser(text).get(name)]) {
          if ((ours.get(name) ?? '') !== (theirs ?? '')) throw new Error(`${name}: ${ours.get(name)} and ${theirs}`)
        }
        if (ours.get(name)) read++
      }
    }),
    { numRuns: 20_000 },
  )
  t.ok(read > 1000 && refused > 1000, `${read} read, ${refused} refused`)
})

t.test('who a request is by does not depend on how its cookie is written', async t => {
  const server = await startServer(t)
  const acme = await server.organization()
  const [, value = ''] = /session_token=(.*)/.exec(acme.owner.cookie)!
  const good = [
    `${SESSION_COOKIE}=${value}`,
    `a=b;${SESSION_COOKIE}=${value} ; c`,
    `x${SESSION_COOKIE} = y; ${acme.owner.cookie}`,
  ]
  for (const cookie of good) t.equal((await server.get('/api/projects', undefined, { cookie })).status, 200, cookie)
  const bad = [
    `${SESSION_COOKIE} =${value}`,
    `${SESSION_COOKIE}="${value}"`,
    `${SESSION_COOKIE}\u00a0=${value}`,
    `parlance%2Esession_token=${value}`,
    `${SESSION_COOKIE}`,
    `${SESSION_COOKIE}=${value}; ${SESSION_COOKIE}=other`,
    `__Secure-${SESSION_COOKIE} =${value}`,
    `parlance.two_factor =x; ${acme.owner.cookie}`,
    `parlance.two_factor="x"`,
  ]
  for (const cookie of bad) {
    for (const path of [
      '/api/projects',
      '/api/auth/get-session',
      '/api/translations.git/info/refs?service=git-upload-pack',
    ]) {
      const reply = await server.get(path, undefined, { cookie })
      isError(t, reply, 400, `${cookie.slice(0, 40)} at ${path}`)
      t.match(reply.json.error, /The cookie (__Secure-)?parlance\.(session_token|two_factor) is (not )?sent/)
    }
    const reply = await server.get('/api/projects', acme.key, { cookie })
    t.equal(reply.status, 400, `${cookie.slice(0, 40)} with a token`)
  }
  for (const cookie of [
    `${SESSION_COOKIE}=%zz`,
    `${SESSION_COOKIE}=${value.slice(0, -1)}x`,
    `${SESSION_COOKIE}=${value.slice(0, -1)}`,
    `${SESSION_COOKIE}=${value.replace(/^./, first => (first === 'x' ? 'y' : 'x'))}`,
  ]) {
    isError(t, await server.get('/api/projects', undefined, { cookie }), 401, `made up: ${cookie.slice(-6)}`)
    t.equal((await server.get('/api/auth/get-session', undefined, { cookie })).json, null)
  }
  const two = `GET /api/projects HTTP/1.1\r\nHost: a\r\nCookie: ${acme.owner.cookie}\r\nCookie: a=b\r\nConnection: close\r\n\r\n`
  t.match(await exchange(server, two), /^HTTP\/1.1 400 [\s\S]*The header cookie may be sent once/)
})

t.test('a used code stays used, however the cookie is written and wherever the clock has been', async t => {
  const { auth, visitor, user } = await openAuth(t)
  const ann = await user('ann')
  const { totpURI } = (await ann.post('/two-factor/enable', { password: PASSWORD })).body
  await ann.post('/two-factor/verify-totp', { code: codeOf(totpURI) })
  const attempt = async (code: string, written = (cookie: string) => cookie) => {
    const guest = visitor()
    await guest.signIn('ann')
    const waiting = guest.headers.get('cookie')!
    const { status } = await guest.post('/two-factor/verify-totp', { code }, { cookie: written(waiting) })
    return status
  }
  const { now } = Date
  t.teardown(() => Object.assign(Date, { now }))
  const code = codeOf(totpURI)
  t.equal(await attempt(code), 200)
  t.equal(await attempt(code), 401)
  t.equal(await attempt(code, cookie => cookie.replace('=', ' =')), 400)
  t.equal(await attempt(code, cookie => cookie.replace(/=(.*)/, '="$1"')), 400)
  t.equal(await attempt(code, cookie => cookie.replace(/=(.)/, (_, c) => `=%${c.charCodeAt(0).toString(16)}`)), 401)
  t.equal((await auth.audit.read('none', { limit: 1 }))?.entries.length, 0)
  const hour = 3_600_000
  Date.now = () => now() + hour
  const later = codeOf(totpURI, now() + hour)
  t.equal(await attempt(later), 200)
  Date.now = now
  await attempt(codeOf(totpURI, now() + 30_000))
  Date.now = () => now() + hour
  t.equal(await attempt(later), 401, 'the clock went back and forth between')
})
