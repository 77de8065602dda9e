/** All errors have one shape, and organizations do not see each other. */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import {
  isAuthError,
  isError,
  noLeak,
  type Organization,
  oneOf,
  type Reply,
  type Server,
  type Session,
  segment,
  startServer,
} from './server.ts'

let server: Server
let acme: Organization
let rival: Organization
let web: string

t.before(async () => {
  server = await startServer(t)
  acme = await server.organization('Ann')
  rival = await server.organization('Rita')
  web = await server.project(acme.key, 'web')
  await server.must('PUT', `${web}/bundles/en/common`, { key: acme.key, body: { a: 'A' } })
})

/** Sends raw bytes. @returns the answer until the server closes or stays silent */
function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(server.base)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname)
    let text = ''
    const done = () => {
      socket.destroy()
      resolve(text)
    }
    socket.setTimeout(1500, done)
    socket.on('data', part => (text += part))
    socket.on('end', done)
    socket.on('error', done)
    socket.write(bytes)
  })
}

function rawIsError(t: Test, text: string, statuses: number[], what: string) {
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])
  t.ok(statuses.includes(status), `${what}: ${statuses.join(' or ')}, found ${text.slice(0, 60)}`)
  const body = text.slice(text.indexOf('\r\n\r\n') + 4)
  let json: Record<string, unknown> = {}
  try {
    json = JSON.parse(body)
  } catch {}
  t.strictSame(Object.keys(json), ['error'], `${what}: { error } alone: ${body.slice(0, 200)}`)
  t.equal(typeof json.error, 'string')
}

t.test('returns errors of one shape for unknown routes and methods', async t => {
  const key = acme.key
  for (const path of [
    '/nope',
    '/api',
    '/api/',
    '/api/nope',
    '/api/project',
    '/api/projects/web/nope',
    '/api/projects/web/bundles',
    '/api/v1/projects',
    '/api/projects/web/bundles/en/common/k/more',
    '/Api/Projects',
    '/api//projects',
    '/favicon.ico',
    '/.git/config',
    '/api/tokens/x/y',
    '/index.php',
    '/api/projects/../tokens',
    '/%2e%2e/etc/passwd',
  ]) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const reply = await server.call(method, path, {
        key,
        ...(method === 'POST' || method === 'PUT' ? { body: {} } : {}),
      })
      isError(t, reply, [400, 404, 405], `${method} ${path}`)
    }
    isError(t, await server.get(path), [400, 401, 404], `GET ${path} without a credential`)
  }
  for (const [method, path] of [
    ['PUT', '/api/projects'],
    ['DELETE', '/api/projects'],
    ['PATCH', '/api/projects'],
    ['POST', web],
    ['PUT', web],
    ['POST', `${web}/bundles/en`],
    ['PUT', `${web}/bundles/en`],
    ['PATCH', `${web}/bundles/en/common`],
    ['POST', `${web}/bundles/en/common/a`],
    ['PATCH', `${web}/bundles/en/common/a`],
    ['PUT', '/api/tokens'],
    ['PATCH', '/api/tokens/x'],
    ['GET', '/api/tokens/x'],
    ['TRACE', '/api/projects'],
    ['PROPFIND', '/api/projects'],
  ] as const) {
    isError(
      t,
      await server.call(method, path, {
        key,
        ...(method.startsWith('P') && method !== 'PROPFIND' ? { body: {} } : {}),
      }),
      [400, 403, 404, 405],
      `${method} ${path}`,
    )
  }
  t.strictSame((await server.get(`${web}/bundles/en/common`, key)).json, { a: 'A' })
})

t.test('returns errors of one shape for malformed and overlong addresses', async t => {
  for (const path of [
    '/api/projects/%',
    '/api/projects/%zz',
    '/api/projects/%E0%A4%A',
    '/api/projects/web/bundles/%ff',
    '/api/projects/web/bundles/en/%C0%80',
    '/%',
    '/api/%',
    '/api/auth/%',
  ]) {
    isAuthError(t, await server.get(path, acme.key), [400, 404], path)
    isAuthError(t, await server.get(path), [400, 401, 404], `${path} without a credential`)
  }
  for (const length of [2000, 5000, 12_000]) {
    isError(
      t,
      await server.get(`/api/projects/${'a'.repeat(length)}`, acme.key),
      [400, 404, 414],
      `a slug of ${length}`,
    )
    isError(
      t,
      await server.get(`${web}/bundles/en/${'a'.repeat(length)}`, acme.key),
      [400, 414],
      `a namespace of ${length}`,
    )
    isError(
      t,
      await server.put(`${web}/bundles/en/common/${'a'.repeat(length)}`, acme.key, { value: 'x' }),
      [400, 414],
      `a key of ${length}`,
    )
  }
  t.equal(
    (await server.put(`${web}/bundles/de/long/${segment('日'.repeat(1024))}`, acme.key, { value: 'x' })).status,
    200,
    'a key of 9,216 encoded characters is within its limits',
  )
  const head = `host: x\r\nx-api-key: ${acme.key}\r\n`
  rawIsError(
    t,
    await raw(`GET /api/projects/${'a'.repeat(100_000)} HTTP/1.1\r\n${head}\r\n`),
    [400, 414, 431],
    'a URL of 100,000',
  )
  rawIsError(
    t,
    await raw(`GET /api/projects HTTP/1.1\r\n${head}x: ${'a'.repeat(100_000)}\r\n\r\n`),
    [400, 431],
    'a header of 100,000',
  )
  rawIsError(t, await raw('GARBAGE\r\n\r\n'), [400], 'what is no HTTP')
  rawIsError(t, await raw('GET /api/projects HTTP/1.1\r\nbad header\r\n\r\n'), [400], 'a header that is none')
  rawIsError(
    t,
    await raw(`PUT ${web}/bundles/en/common HTTP/1.1\r\n${head}content-length: 1x\r\n\r\n`),
    [400],
    'a length that is none',
  )
  rawIsError(
    t,
    await raw(
      `PUT ${web}/bundles/en/common HTTP/1.1\r\n${head}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n`,
    ),
    [400],
    'chunks that are none',
  )
  for (const host of ['[', 'a b', '', '[::1', 'x:y:z', '//', '%zz']) {
    for (const path of ['/api/projects', '/api/auth/get-session', '/nope']) {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1])
      t.ok(status < 500 && status >= 200, `${path} with Host ${host}: ${answer.slice(0, 40)}`)
      t.notMatch(answer, /node_modules|\n\s+at /)
    }
  }
  const asterisk = await raw('OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  t.notMatch(asterisk, /^HTTP\/1\.1 5/, 'OPTIONS * is no server failure')
  const absolute = await raw(`GET http://x/api/projects HTTP/1.1\r\n${head}connection: close\r\n\r\n`)
  t.notMatch(absolute, /^HTTP\/1\.1 5/, 'an absolute address is no server failure')
})

t.test('returns error, code and message on the authentication routes', async t => {
  const wrong = await server.signIn(acme.owner.user.email, 'not the password')
  t.equal(wrong.status, 401)
  t.strictSame(
    [typeof wrong.json?.error, typeof wrong.json?.code, typeof wrong.json?.message],
    ['string', 'string', 'string'],
    wrong.text,
  )
  const taken = await server.call('POST', '/api/auth/sign-up/email', {
    body: { name: 'X', email: acme.owner.user.email, password: 'long enough 1' },
  })
  t.ok(taken.status >= 400 && taken.status < 500)
  t.strictSame([typeof taken.json?.error, typeof taken.json?.code], ['string', 'string'], taken.text)
  const replies: [string, Reply][] = [
    ['no password', await server.call('POST', '/api/auth/sign-in/email', { body: { email: 'a@example.com' } })],
    ['an array', await server.call('POST', '/api/auth/sign-in/email', { body: [] })],
    ['malformed', await server.call('POST', '/api/auth/sign-in/email', { body: '{' })],
    ['empty', await server.call('POST', '/api/auth/sign-in/email', { body: '' })],
    [
      'text',
      await server.call('POST', '/api/auth/sign-in/email', { body: 'x', headers: { 'content-type': 'text/plain' } }),
    ],
    ['no UTF-8', await server.call('POST', '/api/auth/sign-in/email', { body: Buffer.from([0x7b, 0xff, 0x7d]) })],
    ['unknown route', await server.get('/api/auth/nope')],
    ['the root', await server.get('/api/auth')],
    ['the root with a slash', await server.get('/api/auth/')],
    ['wrong method', await server.get('/api/auth/sign-in/email')],
    [
      'without a session',
      await server.call('POST', '/api/auth/organization/create', { body: { name: 'x', slug: 'x' } }),
    ],
    ['members without a session', await server.get('/api/auth/organization/list')],
    ['the schema', await server.get('/api/auth/open-api/generate-schema')],
    [
      'a short password',
      await server.call('POST', '/api/auth/sign-up/email', {
        body: { name: 'X', email: 'short@example.com', password: 'x' },
      }),
    ],
    [
      'no e-mail',
      await server.call('POST', '/api/auth/sign-up/email', {
        body: { name: 'X', email: 'x', password: 'long enough 1' },
      }),
    ],
    [
      'a deep body',
      await server.call('POST', '/api/auth/sign-in/email', {
        body: `{"email":${'['.repeat(3000)}${']'.repeat(3000)}}`,
      }),
    ],
    ['__proto__', await server.call('POST', '/api/auth/sign-in/email', { body: '{"__proto__":{"email":"x"}}' })],
  ]
  for (const [what, reply] of replies) {
    t.ok(reply.status >= 400 && reply.status < 500, `${what}: ${reply.status} ${reply.text.slice(0, 120)}`)
    t.equal(typeof reply.json?.error, 'string', `${what}: carries error: ${reply.text.slice(0, 120)}`)
    noLeak(t, reply, what)
  }
})

t.test('returns 404 for the api-key routes of better-auth', async t => {
  const paths = [
    'create',
    'list',
    'verify',
    'delete',
    'update',
    'get',
    'get?id=1',
    'delete-all-expired-api-keys',
    '',
    'x/y',
    '%63reate',
  ].map(tail => `/api/auth/api-key/${tail}`)
  paths.push(
    '/api/auth/api-key',
    '/api/auth//api-key/create',
    '/api/auth/api%2Dkey/create',
    '/api/auth/./api-key/list',
    '/api/auth/x/../api-key/list',
    '/api/auth/api-key/../api-key/list',
    '/api/auth/API-KEY/create',
    '/api/auth/api-key/create/',
    '/api/auth/api-key%2Fcreate',
  )
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
      const body = method === 'POST' || method === 'PUT' ? { body: { name: 'x' } } : {}
      isAuthError(t, await server.call(method, path, { as: acme.owner, ...body }), 404, `${method} ${path}`)
      isAuthError(t, await server.call(method, path, body), 404, `${method} ${path} without a session`)
    }
  }
})

/** The parts of an answer that a client can compare. */
function visible(reply: Reply) {
  const { date: _date, ...headers } = reply.headers
  return { status: reply.status, headers, text: reply.text }
}

t.test('answers as for an unknown object when another organization owns it', async t => {
  const slug = 'secret-project'
  const place = `/api/projects/${slug}`
  const requests: [method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
    ['GET', place],
    ['HEAD', place],
    ['GET', `${place}/bundles/en`],
    ['GET', `${place}/bundles/en?namespace=common`],
    ['GET', `${place}/bundles/en/common`],
    ['GET', `${place}/bundles/de/common`],
    ['GET', `${place}/bundles/en/common`, undefined, { 'if-none-match': '*' }],
    ['POST', `${place}/bundles/en/common`, { a: 'x' }],
    ['PUT', `${place}/bundles/en/common`, { a: 'x' }],
    ['PUT', `${place}/bundles/en/common?dryRun=true`, { a: 'x' }],
    ['PUT', `${place}/bundles/EN/common`, { a: 'x' }],
    ['PUT', `${place}/bundles/en/common`, { a: 'x' }, { 'if-match': '*' }],
    ['PUT', `${place}/bundles/en/common`, { a: 5 }],
    ['PUT', `${place}/bundles/en/common/a`, { value: 'x' }],
    ['PUT', `${place}/bundles/en/common/a_one`, { value: 'x' }],
    ['OPTIONS', place],
    ['DELETE', place],
    ['GET', '/api/projects'],
    ['GET', '/api/tokens'],
  ]
  const ask = async (sending: { key: string } | { as: Session }) => {
    const answers = []
    for (const [method, path, body, headers = {}] of requests)
      answers.push(
        visible(await server.call(method, path, { ...sending, headers, ...(body === undefined ? {} : { body }) })),
      )
    return answers
  }
  const before = { token: await ask({ key: rival.key }), session: await ask({ as: rival.owner }) }
  t.ok(
    before.token.slice(0, 17).every(({ status }) => status >= 400 || status === 204),
    'no object of that name',
  )
  await server.project(acme.key, slug)
  await server.must('PUT', `${place}/bundles/en/common`, { key: acme.key, body: { a: 'A', b_one: '1' } })
  await server.must('PUT', `${place}/bundles/de/common`, { key: acme.key, body: { a: 'A' } })
  const after = { token: await ask({ key: rival.key }), session: await ask({ as: rival.owner }) }
  for (const kind of ['token', 'session'] as const) {
    for (const [n, [method, path]] of requests.entries()) {
      if (path !== '/api/tokens')
        t.strictSame(after[kind][n], before[kind][n], `${kind}: ${method} ${path} answers as before it was there`)
    }
  }
  t.strictSame(
    (await server.get(`${place}/bundles/en/common`, acme.key)).json,
    { a: 'A', b_one: '1' },
    'the object is unchanged',
  )
})

t.test('separates equal slugs of two organizations', async t => {
  const one = await server.project(acme.key, 'twin')
  const two = await server.project(rival.key, 'twin', 'de', 'i18next-json-flat')
  await server.must('PUT', `${one}/bundles/en/common`, { key: acme.key, body: { mine: 'Acme' } })
  await server.must('PUT', `${two}/bundles/de/common`, { key: rival.key, body: { mine: 'Rival', 'x.y': 'z' } })
  t.strictSame((await server.get(`${one}/bundles/en/common`, acme.key)).json, { mine: 'Acme' })
  t.strictSame((await server.get(`${two}/bundles/de/common`, rival.key)).json, { mine: 'Rival', 'x.y': 'z' })
  t.equal((await server.get(two, rival.key)).json.sourceLanguage, 'de')
  t.equal((await server.get(one, acme.key)).json.sourceLanguage, 'en')
  isError(t, await server.get(`${one}/bundles/de`, acme.key), 404, "the other's language")
  const etag = String((await server.get(`${two}/bundles/de/common`, rival.key)).headers.etag)
  t.equal((await server.get(`${one}/bundles/en/common`, acme.key, { 'if-none-match': etag })).status, 200)
  isError(
    t,
    await server.put(`${one}/bundles/en/common`, acme.key, { x: 'y' }, { 'if-match': etag }),
    412,
    "the other's ETag",
  )
})

t.test('ignores the organization in fields, headers and queries', async t => {
  const body = { name: 'X', slug: 'smuggled', sourceLanguage: 'en' }
  for (const field of ['organization', 'organizationId', 'orgId', 'org']) {
    isError(t, await server.post('/api/projects', rival.key, { ...body, [field]: acme.id }), 400, `${field} in a body`)
    const list = await server.call('GET', `/api/projects?${field}=${acme.id}`, {
      key: rival.key,
      headers: { [`x-${field}`]: acme.id, 'x-organization-id': acme.id },
    })
    t.notMatch(list.text, /"web"/, `${field} in the query or a header`)
  }
  const mine = (await server.get('/api/projects', rival.key)).json.projects.map((row: { slug: string }) => row.slug)
  t.notOk(mine.includes('smuggled'))
})

t.test('hides the tokens of another organization', async t => {
  const theirs = (await server.call('GET', '/api/tokens', { as: acme.owner })).json.tokens
  const list = await server.call('GET', '/api/tokens', { as: rival.owner })
  for (const token of theirs) t.notOk(list.text.includes(token.id), 'not in the list')
  const id: string = theirs[0].id
  const unknown = id.replace(/[0-9a-zA-Z]/g, char =>
    char === '0'
      ? '1'
      : /\d/.test(char)
        ? '0'
        : char === 'a'
          ? 'b'
          : /[a-f]/.test(char)
            ? 'a'
            : char === 'x'
              ? 'y'
              : 'x',
  )
  const foreign = await server.call('DELETE', `/api/tokens/${id}`, { as: rival.owner })
  const nobody = await server.call('DELETE', `/api/tokens/${unknown}`, { as: rival.owner })
  isError(t, foreign, 404, 'another organization’s')
  const blank = (reply: Reply, own: string) => JSON.stringify(visible(reply)).replaceAll(own, 'ID')
  t.equal(blank(foreign, id), blank(nobody, unknown), 'indistinguishable from an unknown one')
  t.equal((await server.get('/api/projects', acme.key)).status, 200, 'the token still works')
  for (const odd of ['x', '..%2f', '%00', 'a'.repeat(500), '*', segment("' or 1=1 --")]) {
    isError(t, await server.call('DELETE', `/api/tokens/${odd}`, { as: rival.owner }), [400, 404], `DELETE ${odd}`)
  }
})

t.test('reveals nothing to strangers on the organization routes', async t => {
  const stranger = await server.signUp('Sven')
  const own = await server.organization('Sonja')
  for (const session of [stranger, own.owner]) {
    for (const [method, path, field] of [
      ['POST', 'set-active', 'body'],
      ['GET', 'list-members', 'query'],
      ['GET', 'get-full-organization', 'query'],
      ['GET', 'list-invitations', 'query'],
      ['POST', 'delete', 'body'],
      ['POST', 'leave', 'body'],
      ['GET', 'get-active-member-role', 'query'],
    ] as const) {
      const ask = (organizationId: string) =>
        field === 'body'
          ? server.call(method, `/api/auth/organization/${path}`, { as: session, body: { organizationId } })
          : server.call(method, `/api/auth/organization/${path}?organizationId=${organizationId}`, { as: session })
      const foreign = await ask(acme.id)
      const unknown = await ask(acme.id.replace(/./g, 'z'))
      t.notMatch(foreign.text, new RegExp(acme.owner.user.email), `${path}: no member of it is named`)
      t.ok(foreign.status >= 400, `${path} of another organization: ${foreign.status} ${foreign.text.slice(0, 100)}`)
      t.strictSame(
        [foreign.status, foreign.text],
        [unknown.status, unknown.text],
        `${path}: as unknown as one that does not exist`,
      )
    }
  }
  t.equal((await server.get('/api/projects', acme.key)).status, 200)
  oneOf(
    t,
    (await server.call('GET', '/api/projects', { as: own.owner })).status,
    [200],
    'the own organization stays active',
  )
})
