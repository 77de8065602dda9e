/** Request bodies: valid and malformed JSON, media types, limits, and a 413 for a client that still writes. */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { eventually } from '../eventually.ts'
import { isError, oneOf, openWeb } from './server.ts'

const { server, acme, web } = await openWeb(t)
let serial = 0

const bundle = () => `${web}/bundles/en/b${++serial}`
const MIB = 1024 * 1024

/** Every route that accepts JSON, with a valid body. */
const routes = (): [method: string, path: string, body: unknown, session: boolean][] => [
  ['POST', '/api/projects', { name: 'P', slug: `p${++serial}`, sourceLanguage: 'en' }, false],
  ['POST', bundle(), { a: 'A' }, false],
  ['PUT', bundle(), { a: 'A' }, false],
  ['PUT', `${bundle()}/a`, { value: 'A' }, false],
  ['POST', `${web}/push`, { bundles: { en: { [`b${++serial}`]: { a: 'A' } } } }, false],
  ['POST', '/api/tokens', { name: 'T' }, true],
]
const who = (session: boolean) => (session ? { as: acme.owner } : { key: acme.key })

async function stillThere(t: Test) {
  t.equal((await server.get('/api/projects', acme.key)).status, 200, 'the server still answers')
}

t.test('returns 400 for malformed JSON on every route', async t => {
  const broken = [
    '',
    ' ',
    '\n',
    '{',
    '}',
    '{"a"',
    '{"a":',
    '{"a":"x"',
    '{"a":"x",}',
    "{'a':'x'}",
    '{a:"x"}',
    '{"a":"x"} x',
    '{"a":"x"}{"b":"y"}',
    'undefined',
    'NaN',
  ]
  broken.push(
    '{"a":NaN}',
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{"a":"\\u12"}',
    '{"a":01}',
    '// c\n{"a":"x"}',
    '{"a":"x" "b":"y"}',
    '\u0000',
    '<a/>',
    'a=b',
  )
  for (const text of broken) {
    for (const [method, path, , session] of routes()) {
      const reply = await server.call(method, path, {
        ...who(session),
        body: Buffer.from(text),
        headers: { 'content-type': 'application/json' },
      })
      isError(t, reply, 400, `${method} ${path} ${JSON.stringify(text)}`)
    }
  }
})

t.test('returns 400 when the body is not UTF-8', async t => {
  const bad = [
    [0xff],
    [0xc0, 0xaf],
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xe4],
  ]
  for (const bytes of bad) {
    const body = Buffer.concat([Buffer.from('{"a":"x'), Buffer.from(bytes), Buffer.from('"}')])
    const path = bundle()
    isError(t, await server.put(path, acme.key, body), 400, `PUT ${bytes}`)
    isError(t, await server.post(path, acme.key, body), 400, `POST ${bytes}`)
    t.equal((await server.get(path, acme.key)).text, '{}\n')
    const value = Buffer.concat([Buffer.from('{"value":"x'), Buffer.from(bytes), Buffer.from('"}')])
    isError(t, await server.put(`${path}/a`, acme.key, value), 400, `PUT key ${bytes}`)
    const project = Buffer.concat([
      Buffer.from('{"slug":"u8","sourceLanguage":"en","name":"x'),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ])
    isError(t, await server.post('/api/projects', acme.key, project), 400, `POST project ${bytes}`)
  }
  const utf16 = Buffer.from('{"a":"x"}', 'utf16le')
  isError(t, await server.put(bundle(), acme.key, utf16), 400, 'UTF-16')
})

t.test('skips a leading BOM', async t => {
  for (const [method, path, body, session] of routes()) {
    const bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(body))])
    const reply = await server.call(method, path, { ...who(session), body: bytes })
    oneOf(t, reply.status, [200, 201], `${method} ${path}: ${reply.text}`)
  }
  const path = bundle()
  await server.put(path, acme.key, Buffer.from('\ufeff{"\ufeffa":"\ufeffx"}'))
  t.strictSame((await server.get(path, acme.key)).json, { '\ufeffa': '\ufeffx' }, 'an inner BOM is stored')
  t.not((await server.get(path, acme.key)).bytes[0], 0xef, 'no BOM is written')
  isError(t, await server.put(bundle(), acme.key, Buffer.from('\ufeff\ufeff{"a":"x"}')), 400, 'one, not two')
})

t.test('uses the last of two members with one name', async t => {
  const path = bundle()
  t.strictSame((await server.put(path, acme.key, '{"a":"1","b":"x","a":"2"}')).json, {
    added: 2,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    dryRun: false,
  })
  t.strictSame((await server.get(path, acme.key)).json, { a: '2', b: 'x' })
  const nested = bundle()
  await server.put(nested, acme.key, '{"n":{"a":"1"},"n":{"b":"2"},"m":{"__proto__":"1","__proto__":"2"}}')
  t.equal(
    (await server.get(nested, acme.key)).text,
    '{\n  "m": {\n    "__proto__": "2"\n  },\n  "n": {\n    "b": "2"\n  }\n}\n',
  )
  t.equal((await server.put(`${nested}/k`, acme.key, '{"value":"1","value":"2"}')).json?.message, '2')
})

t.test('media types', async t => {
  const fine = [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'APPLICATION/JSON',
    'Application/Json ; Charset=Utf-8',
  ]
  for (const type of fine) {
    for (const [method, path, body, session] of routes()) {
      const reply = await server.call(method, path, { ...who(session), body, headers: { 'content-type': type } })
      oneOf(t, reply.status, [200, 201], `${method} ${type}: ${reply.text}`)
    }
  }
  const wrong = [
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/xml',
    'json',
    'application/jsonx',
    '*/*',
    'text/plain; charset=utf-8, application/json',
  ]
  wrong.push(
    'application/json; charset=latin1',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=us-ascii-x',
    '',
  )
  for (const type of wrong) {
    for (const [method, path, body, session] of routes()) {
      const reply = await server.call(method, path, { ...who(session), body, headers: { 'content-type': type } })
      isError(t, reply, 415, `${method} ${path} as ${type || 'nothing'}`)
    }
  }
  for (const coding of ['gzip', 'br', 'deflate', 'x-unknown', 'gzip, gzip', 'identity']) {
    for (const [method, path, body, session] of routes()) {
      const bytes = coding === 'gzip' ? gzipSync(JSON.stringify(body)) : Buffer.from(JSON.stringify(body))
      const reply = await server.call(method, path, {
        ...who(session),
        body: bytes,
        headers: { 'content-encoding': coding },
      })
      isError(t, reply, 415, `${method} ${path} coded ${coding}`)
    }
  }
  await stillThere(t)
})

t.test('returns 413 one byte above the limit', async t => {
  const sized = (bytes: number, text: string) => Buffer.from(text.replace('{', `{${' '.repeat(bytes - text.length)}`))
  for (const chunked of [false, true]) {
    const call = (method: string, path: string, body: Buffer) =>
      server.call(method, path, { key: acme.key, body, chunked })
    const how = chunked ? 'chunked' : 'with a length'
    for (const method of ['PUT', 'POST']) {
      const path = bundle()
      t.equal((await call(method, path, sized(8 * MIB, '{"a":"x"}'))).status, 200, `${method}: 8 MiB ${how}`)
      isError(t, await call(method, path, sized(8 * MIB + 1, '{"b":"x"}')), 413, `${method}: one byte more ${how}`)
      t.strictSame((await server.get(path, acme.key)).json, { a: 'x' })
    }
    const path = bundle()
    t.equal((await call('PUT', `${path}/a`, sized(256 * 1024, '{"value":"x"}'))).status, 200, `256 KiB ${how}`)
    isError(t, await call('PUT', `${path}/a`, sized(256 * 1024 + 1, '{"value":"y"}')), 413, `one byte more ${how}`)
    for (const [size, status] of [
      [16 * 1024, 201],
      [16 * 1024 + 1, 413],
    ] as const) {
      const project = sized(size, `{"name":"P","slug":"l${++serial}","sourceLanguage":"en"}`)
      t.equal((await call('POST', '/api/projects', project)).status, status, `project of ${size} ${how}`)
      const token = sized(size, '{"name":"T"}')
      t.equal(
        (await server.call('POST', '/api/tokens', { as: acme.owner, body: token, chunked })).status,
        status,
        `token of ${size} ${how}`,
      )
    }
    const signIn = sized(40_000, '{"email":"a@example.com","password":"x"}')
    const reply = await server.call('POST', '/api/auth/sign-in/email', { body: signIn, chunked })
    t.equal(reply.status, 413, `sign-in ${how}: ${reply.text.slice(0, 100)}`)
    t.equal(typeof reply.json?.error, 'string')
  }
})

t.test('stores and returns a large bundle', async t => {
  const body = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [
      `section${n % 97}.key${n}`,
      `Text number ${n}, with some length to it, ${'ä'.repeat(n % 30)}`,
    ]),
  )
  const path = bundle()
  t.equal((await server.put(path, acme.key, body)).json?.added, 20_000)
  const read = await server.get(path, acme.key)
  t.equal(read.json.section1.key98, body['section1.key98'])
  t.equal((await server.put(`${path}/${'section5.key5'}`, acme.key, { value: 'edited' })).status, 200)
  t.equal((await server.put(path, acme.key, read.bytes)).json?.updated, 1)
})

t.test('returns 413 to a client that still writes nine megabytes', async t => {
  const CLIENTS = 4
  const chunk = Buffer.alloc(64 * 1024, 'x')
  const attempt = (path: string, bytes: number, chunked: boolean) =>
    new Promise<string>(resolve => {
      const length: Record<string, string> = chunked
        ? { 'transfer-encoding': 'chunked' }
        : { 'content-length': String(bytes) }
      const request = server.open('PUT', path, { 'x-api-key': acme.key, 'content-type': 'application/json', ...length })
      let answered = false
      request.on('error', error => !answered && resolve(`error ${error.message}`))
      request.on('response', response => {
        answered = true
        let text = ''
        response.setEncoding('utf8').on('data', part => (text += part))
        response.on('end', () => resolve(`${response.statusCode} ${typeof JSON.parse(text).error}`))
        response.on('error', error => resolve(`cut off: ${error.message}`))
      })
      let sent = 0
      const write = () => {
        while (sent < bytes) {
          const piece = chunk.subarray(0, Math.min(chunk.length, bytes - sent))
          sent += piece.length
          if (!request.write(piece)) return request.once('drain', write)
        }
        return request.end()
      }
      write()
    })
  for (const [what, path, bytes] of [
    ['namespace', bundle(), 9_000_000],
    ['namespace', bundle(), 20_000_000],
    ['key', `${bundle()}/a`, 9_000_000],
  ] as const) {
    for (const chunked of [false, true]) {
      const seen = await Promise.all(
        Array.from({ length: CLIENTS }, (_, n) => pause(n * 5).then(() => attempt(path, bytes, chunked))),
      )
      const good = seen.filter(result => result === '413 string').length
      t.equal(
        good,
        CLIENTS,
        `${what}, ${bytes} bytes, ${chunked ? 'chunked' : 'with a length'}: ${good} of ${CLIENTS} ${[...new Set(seen)].join('; ')}`,
      )
    }
  }
  await stillThere(t)
})

t.test('serves other writes while a body never ends', async t => {
  const { hostname, port } = new URL(server.base)
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  socket.on('error', () => undefined)
  socket.write(
    `PUT ${bundle()} HTTP/1.1\r\nhost: x\r\nx-api-key: ${acme.key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a"`,
  )
  await stillThere(t)
  t.equal((await server.put(bundle(), acme.key, { a: 'x' })).status, 200, 'writes go on')
})

t.test('returns an error when JSON has 100,000 levels', async t => {
  const deep = [
    `${'{"a":'.repeat(100_000)}"x"${'}'.repeat(100_000)}`,
    `{"a":${'['.repeat(100_000)}"x"${']'.repeat(100_000)}}`,
    `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    `{"a":${'[{"b":'.repeat(50_000)}"x"${'}]'.repeat(50_000)}}`,
    `${'{"a":'.repeat(100_000)}{}${'}'.repeat(100_000)}`,
    `${'{"a":'.repeat(1_000_000)}"x"${'}'.repeat(1_000_000)}`,
    '{"a":'.repeat(100_000),
  ]
  for (const body of deep) {
    const what = `${body.slice(0, 12)}… of ${body.length}`
    isError(t, await server.put(bundle(), acme.key, body), [400, 422], `PUT ${what}`)
    isError(t, await server.post(bundle(), acme.key, body), [400, 422], `POST ${what}`)
    const value = `{"value":${body.slice(0, 200_000)}`
    isError(t, await server.put(`${bundle()}/a`, acme.key, value), [400, 413, 422], `PUT key ${what}`)
  }
  const shallow = `{"name":${'['.repeat(5000)}${']'.repeat(5000)},"slug":"x","sourceLanguage":"en"}`
  isError(t, await server.post('/api/projects', acme.key, shallow), 400, 'a deep name')
  await stillThere(t)
})

t.test('pollutes no prototype by names of object members', async t => {
  const path = bundle()
  const body =
    '{"__proto__":{"polluted":"yes","isAdmin":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"a":{"__proto__":"p"},"__proto___one":"1","hasOwnProperty":"h","valueOf":"v","toJSON":"j"}'
  t.equal((await server.put(path, acme.key, body)).status, 200)
  const read = await server.get(path, acme.key)
  for (const name of [
    '"polluted": "yes"',
    '"__proto__": {',
    '"__proto__": "p"',
    '"__proto___one": "1"',
    '"hasOwnProperty": "h"',
    '"toJSON": "j"',
  ])
    t.ok(read.text.includes(name), name)
  const rows = (await server.get(`${web}/bundles/en?namespace=${path.split('/').pop()}`, acme.key)).json.keys.map(
    (row: { key: string }) => row.key,
  )
  for (const key of [
    '__proto__.polluted',
    'constructor.prototype.polluted',
    'a.__proto__',
    '__proto__',
    'hasOwnProperty',
    'valueOf',
    'toJSON',
  ])
    t.ok(rows.includes(key), `row ${key}`)
  const plain: Record<string, unknown> = {}
  t.equal(plain.polluted, undefined)
  t.equal(plain.isAdmin, undefined)
  t.equal(typeof plain.toString, 'function')
})

t.test('names the field and its type when a field has the wrong type', async t => {
  const sentences = [
    { body: { slug: 'x', name: 5, sourceLanguage: 'en' }, says: /"name" must be a string/ },
    { body: { slug: 'x', sourceLanguage: ['en'] }, says: /"name" is missing; "sourceLanguage" must be a string/ },
  ]
  for (const { body, says } of sentences) {
    const reply = await server.post('/api/projects', acme.key, body)
    isError(t, reply, 400, JSON.stringify(body))
    t.match(reply.json.error, says)
    t.notMatch(reply.json.error, /Invalid input|expected|received/)
  }
  const scope = await server.call('POST', '/api/tokens', { as: acme.owner, body: { name: 'x', scope: 'admin' } })
  t.match(scope.json.error, /"scope" must be "read" or "add" or "suggest" or "write"/)
})

t.test('leaves the connection open after it refuses a body', async t => {
  const [{ hostname, port }, key] = [new URL(server.base), acme.key]
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.on('data', (part: string) => (text += part))
  const bodies: [path: string, type: string, body: string][] = [
    ['/api/projects', 'application/json', '{"nme":"x"}'],
    [`${web}/bundles/en/b1/rename-key`, 'application/json', '{'],
    [`${web}/restore`, 'text/plain', '{}'],
    [bundle(), 'application/json', '{"a":1}'],
  ]
  for (const [at, [path, type, body]] of bodies.entries()) {
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nx-api-key: ${key}\r\nContent-Type: ${type}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    t.ok(await eventually(() => text.split('HTTP/1.1 4').length === at + 2), path)
  }
  t.notMatch(text, /connection: close/i)
})
