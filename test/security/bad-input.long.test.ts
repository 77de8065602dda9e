/**
 * Bad input with its expected answers, sent over raw sockets because client libraries refuse it.
 * test/http/fuzz checks that random bad input never fails the server or breaks a repository. Single bodies:
 * test/contract/bodies, /projects and /reads.
 */
import { dirname } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { nothingOutside, repositoryIsSound, treeOf } from '../http/fuzz/damage.ts'
import { operationsOf } from '../http/fuzz/from-openapi.ts'
import { NUMBERS } from '../http/fuzz/hostile-names.ts'
import { type Answer, render, send } from '../http/fuzz/wire.ts'
import { openScene, type Scene } from '../http/server.ts'

let scene: Scene
let before: Map<string, string>

t.before(async () => {
  scene = await openScene(t)
  const { server, acme } = scene
  await server.project(acme.key, 'web')
  await server.put('/api/projects/web/bundles/en/common', acme.key, { a: 'x' })
  before = treeOf(dirname(server.dataDir))
})

type Headers = [string, string][]
const usual = (): Headers => [
  ['Host', 'x'],
  ['X-Api-Key', scene.acme.key],
]
const JSON_TYPE: Headers[number] = ['Content-Type', 'application/json']

async function ask(
  method: string,
  target: string,
  body?: string | Buffer,
  headers: Headers = [JSON_TYPE],
): Promise<number> {
  const wire = {
    method,
    target,
    headers: [...usual(), ...headers],
    ...(body !== undefined && { body: Buffer.from(body) }),
  }
  const answers = await send(scene.server, render(wire))
  t.equal(answers.length, 1, `${method} ${target.slice(0, 80)}: one answer`)
  return answers[0]?.status ?? 0
}

/** Sends lines unchanged, as Latin-1. @returns the answers */
const raw = (...lines: string[]): Promise<Answer[]> => send(scene.server, Buffer.from(lines.join('\r\n'), 'latin1'))

/** Raw path segments, and their status as slug, language, namespace and key. `-` means accepted. */
const SEGMENTS: [what: string, answers: string, ...segments: string[]][] = [
  [
    'traversal',
    '400 400 400 -',
    '..',
    '.',
    '%2e%2e',
    '%2E%2e',
    '.%2e',
    '..;',
    '..%2f..%2fetc%2fpasswd',
    '..%5c..%5cx',
    '%252e%252e%252f',
  ],
  ['slashes', '400 400 400 -', 'a%2Fb', '%2F', '%2Fetc%2Fpasswd', '%5C%5Chost%5Cx', 'a%5Cb', 'C:%5Cx'],
  [
    'overlong and other UTF-8 that is none',
    '400 400 400 400',
    '%c0%ae%c0%ae',
    '%c0%af',
    '%e0%80%af',
    '%f0%80%80%af',
    '%fc%80%80%80%80%af',
  ],
  ['no UTF-8', '400 400 400 400', '%ff', '%80', '%ed%a0%80', '%ed%b0%80', '%f4%90%80%80', '%E0%A4%A', '\xe9'],
  ['no percent-encoding', '400 400 400 400', '%', '%2', '%zz', '%u002e%u002e', '%uff0e'],
  ['NUL', '400 400 400 400', '%00', 'web%00', '%00web', 'web%00.json'],
  [
    'line breaks and other controls',
    '400 400 400 -',
    '%0d%0aX-Injected:%201',
    'a%0a',
    'a%09',
    'a%C2%85',
    'a%E2%80%A8',
    'a%7f',
    '%01',
  ],
  [
    'git’s own',
    '400 400 400 -',
    '.git',
    '%2egit',
    '.GIT',
    '.gIt',
    'git~1',
    '.git%20',
    '.git.',
    '.git::$INDEX_ALLOCATION',
    '.g%E2%80%8Cit',
    '.gitmodules',
    '.gitattributes',
  ],
  [
    'devices of Windows',
    '400 400 400 -',
    'nul.txt',
    'com1',
    'COM9',
    'LPT9.x',
    'aux.json',
    'conin$',
    'COM%C2%B9',
    'prn.',
  ],
  ['ends', '400 400 400 -', 'web.', 'web%20', '%20web', 'web%E2%80%8B', 'web%EF%BB%BF', '%E2%80%AEweb', '%09web'],
  [
    'look-alikes',
    '400 400 400 -',
    'w%D0%B5b',
    '%EF%BD%97eb',
    'w%C3%A9b',
    'we%CC%81b',
    '%E2%84%AA',
    '%C4%B1',
    '%C5%BF',
    '%EF%BC%8E%EF%BC%8E',
    '%EF%BC%8F',
  ],
  ['members of every object', '400 400 400 -', '__proto__', 'constructor', 'prototype'],
  ['names that are honest', '404 400 - -', 'toString', 'hasOwnProperty', 'valueOf'],
  ['too long', '400 400 400 400', 'a'.repeat(1025), '%F0%9F%92%A3'.repeat(1025)],
  ['too deep', '400 400 - 400', `a${'.a'.repeat(32)}`],
]

t.test('returns the listed status for every name at every place of a path', async t => {
  const { server, acme } = scene
  const keys: string[] = []
  const namespaces = ['common']
  for (const [what, answers, ...segments] of SEGMENTS) {
    for (const segment of segments) {
      const got = [
        await ask('PUT', `/api/projects/${segment}/bundles/en/common`, '{"a":"x"}'),
        await ask('PUT', `/api/projects/web/bundles/${segment}/common`, '{"a":"x"}'),
        await ask('PUT', `/api/projects/web/bundles/en/${segment}`, '{"a":"x"}'),
        await ask('PUT', `/api/projects/web/bundles/en/common/${segment}`, '{"value":"x"}'),
      ]
      t.equal(got.map(status => (status === 200 ? '-' : status)).join(' '), answers, `${what}: ${segment.slice(0, 60)}`)
      if (got[2] === 200) namespaces.push(segment)
      if (got[3] === 200) keys.push(decodeURIComponent(segment))
      for (const path of ['', '?at=main', '/releases/v1', '/history']) {
        const status = await ask('GET', `/api/projects/${segment}${path}`)
        t.ok(status === 400 || status === 404, `GET: ${what}: ${segment.slice(0, 60)}${path}: ${status}`)
      }
    }
  }
  const stored = await server.model(acme.key, '/api/projects/web', 'en', 'common')
  t.strictSame([...stored.keys()].sort(), [...new Set(['a', ...keys])].sort(), 'keys are stored as sent')
  await server.get('/api/projects/web/history?limit=1', acme.key)
  const files = server.git(acme.id, 'ls-tree', '-r', '-z', '--name-only', 'HEAD').split('\0').filter(Boolean)
  const wanted = namespaces.map(name => `web/locales/en/${name}.json`)
  t.strictSame(files.sort(), ['web/project.json', ...wanted].sort(), 'only valid names have files')
})

t.test('refuses names that are one file on Windows or macOS', async t => {
  const { server, acme } = scene
  const status = async (path: string, body: object, method = 'PUT') =>
    (await server.call(method, path, { key: acme.key, body })).status
  t.equal(
    await status('/api/projects', { slug: 'WEB', name: 'x', sourceLanguage: 'en' }, 'POST'),
    409,
    'a slug in capitals',
  )
  t.equal(await status('/api/projects/web/bundles/EN/common', { a: 'y' }), 409, 'a language')
  t.equal(await status('/api/projects/web/bundles/en/Common', { a: 'y' }), 409, 'a namespace')
  t.equal(await status('/api/projects/web/bundles/de/COMMON', { a: 'y' }), 409, 'a namespace of another language')
  // Composed and decomposed characters are two texts, stored as sent. Neither may be a file name.
  const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
  const path = '/api/projects/web/bundles/en/forms'
  t.equal(await status(path, { [composed]: composed, [decomposed]: decomposed }), 200)
  t.strictSame((await server.get(path, acme.key)).json, { [composed]: composed, [decomposed]: decomposed })
  for (const key of [composed, decomposed]) {
    t.equal(await status(`${path}/${encodeURIComponent(key)}`, { value: `new ${key}` }), 200)
  }
  t.strictSame((await server.get(path, acme.key)).json, {
    [composed]: `new ${composed}`,
    [decomposed]: `new ${decomposed}`,
  })
  for (const slug of [composed, decomposed]) {
    t.equal(await status('/api/projects', { slug, name: 'x', sourceLanguage: 'en' }, 'POST'), 400)
  }
})

t.test('accepts names of object members as keys, and nowhere else', async t => {
  const { server, acme } = scene
  const body =
    '{"__proto__":{"polluted":"x"},"constructor":{"prototype":{"polluted":"x"}},"toString":"x","hasOwnProperty":"y"}'
  const path = '/api/projects/web/bundles/en/objects'
  t.equal(await ask('PUT', path, body), 200)
  t.equal(
    (await server.get(path, acme.key)).text.replace(/\s/g, ''),
    '{"__proto__":{"polluted":"x"},"constructor":{"prototype":{"polluted":"x"}},"hasOwnProperty":"y","toString":"x"}',
  )
  for (const name of ['__proto__', 'constructor', 'prototype']) {
    const project = `{"slug":"${name}","name":"x","sourceLanguage":"en"}`
    t.equal(await ask('POST', '/api/projects', project), 400, `a project ${name}`)
    t.equal(await ask('POST', '/api/projects', `{"slug":"x","name":"x","sourceLanguage":"${name}"}`), 400)
    t.equal(
      await ask('POST', '/api/projects', `{"slug":"x","name":"x","sourceLanguage":"en","${name}":{}}`),
      400,
      `a member ${name}`,
    )
    t.equal(await ask('POST', '/api/projects/web/rename-key', `{"namespace":"${name}","from":"a","to":"b"}`), 400)
    for (const what of ['namespace', 'language'])
      t.equal(await ask('POST', `/api/projects/web/rename-${what}`, `{"from":"en","to":"${name}"}`), 400, what)
    t.equal(await ask('POST', '/api/projects/web/releases', `{"name":"${name}"}`), 400, `a release ${name}`)
    t.equal(await ask('PUT', `/api/projects/web/bundles/en/objects?${name}=x`, '{}'), 400, `a parameter ${name}`)
    t.equal(await ask('GET', `/api/projects?${name}[x]=y&${name}=z`), 200, 'a read ignores it')
  }
  t.strictSame(Object.keys(Object.prototype), [])
  t.equal(({} as Record<string, unknown>).polluted, undefined)
})

t.test('bodies', async t => {
  const put = (body: string | Buffer, headers?: Headers) =>
    ask('PUT', '/api/projects/web/bundles/en/bodies', body, headers)
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
  const bodies: [what: string, status: number, body: string | Buffer][] = [
    ['100,000 levels of arrays', 422, deep('[', ']')],
    ['100,000 levels of objects', 422, `{"a":${deep('{"a":', '}').replace('}', '"x"}')}}`],
    ['100,000 levels in a member', 422, `{"a":${deep('[', ']')}}`],
    ['100,000 levels that never close', 400, '{"a":'.repeat(100_000)],
    ['a key of a megabyte', 422, `{"${'k'.repeat(2 ** 20)}":"x"}`],
    ['a key of a megabyte of segments', 422, `{"${'k.'.repeat(2 ** 19)}k":"x"}`],
    ['a value of a megabyte', 422, `{"a":"${'v'.repeat(2 ** 20)}"}`],
    ['half a surrogate pair in a key', 422, '{"\\ud800":"x"}'],
    ['the other half in a value', 422, '{"a":"x\\udc00"}'],
    ['both the wrong way round', 422, '{"a":"\\udc00\\ud800"}'],
    ['NUL in a key', 422, '{"\\u0000":"x"}'],
    ['NUL in a value', 422, '{"a":"\\u0000"}'],
    ['an empty key', 422, '{"":"x"}'],
    ['a byte order mark', 200, '\ufeff{"bom":"x"}'],
    ['two byte order marks', 400, '\ufeff\ufeff{"bom":"x"}'],
    ['UTF-16', 400, Buffer.from('\ufeff{"a":"x"}', 'utf16le')],
    ['Latin-1', 400, Buffer.from('{"a":"\xe9"}', 'latin1')],
    ['overlong UTF-8', 400, Buffer.from([0x7b, 0x22, 0xc0, 0xae, 0x22, 0x3a, 0x22, 0x22, 0x7d])],
    ['numbers beyond all bounds', 422, '{"a":1e999,"b":-1e999,"c":12345678901234567890}'],
    ['nothing', 400, ''],
    ['white space', 400, ' '.repeat(1000)],
    ['gzip that says nothing of it', 400, gzipSync('{"a":"x"}')],
  ]
  for (const [what, status, body] of bodies) t.equal(await put(body), status, what)
  const bomb = gzipSync(Buffer.alloc(16 * 2 ** 20, ' '))
  t.equal(await put(bomb, [JSON_TYPE, ['Content-Encoding', 'gzip']]), 415, 'a compressed body is refused unread')
  const packed: Headers = [
    ['Content-Type', 'application/x-git-upload-pack-request'],
    ['Content-Encoding', 'gzip'],
  ]
  t.equal(
    await ask('POST', '/api/translations.git/git-upload-pack', bomb, packed),
    413,
    'a route with gzip refuses it above its limit',
  )
  for (const type of [
    '',
    'text/plain',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/jsonp',
  ]) {
    t.equal(await put('{"a":"x"}', type === '' ? [] : [['Content-Type', type]]), 415, `as ${type || 'nothing'}`)
  }
})

t.test('refuses repeated headers and wrong lengths', async t => {
  const { server, acme, reader, other } = scene
  const put = 'PUT /api/projects/web/bundles/en/headers HTTP/1.1'
  const [host, key, type, end] = [
    'Host: x',
    `X-Api-Key: ${acme.key}`,
    'Content-Type: application/json',
    'Connection: close',
  ]
  const hidden = ['DELETE /api/projects/web HTTP/1.1', host, key, '', ''].join('\r\n')
  const basic = (token: string) => `Authorization: Basic ${Buffer.from(`x:${token}`).toString('base64')}`
  const clone = ['GET /api/translations.git/info/refs?service=git-upload-pack HTTP/1.1', host, end]
  const first = [put, host, key, type, end]
  const requests: [what: string, status: number, ...lines: string[]][] = [
    ['two hosts', 400, ...first, 'Host: y', 'Content-Length: 2', '', '{}'],
    ['one host twice', 400, ...first, host, 'Content-Length: 2', '', '{}'],
    ['no host', 400, put, key, type, end, 'Content-Length: 2', '', '{}'],
    ['two tokens', 401, ...first, `X-Api-Key: ${reader}`, 'Content-Length: 2', '', '{}'],
    ['one token twice', 401, ...first, key, 'Content-Length: 2', '', '{}'],
    ['two types', 400, ...first, 'Content-Type: text/plain', 'Content-Length: 2', '', '{}'],
    [
      'two codings',
      415,
      ...first,
      'Content-Encoding: identity',
      'Content-Encoding: gzip',
      'Content-Length: 2',
      '',
      '{}',
    ],
    ['two passwords', 400, ...clone, basic(acme.key), basic(other.key), '', ''],
    [
      'two origins',
      403,
      put,
      host,
      type,
      end,
      `Cookie: ${acme.owner.cookie}`,
      'Origin: http://x',
      'Origin: http://evil.example',
      'Content-Length: 2',
      '',
      '{}',
    ],
    [
      'two sessions',
      400,
      put,
      host,
      type,
      end,
      `Cookie: ${acme.owner.cookie}`,
      `Cookie: ${other.owner.cookie}`,
      'Content-Length: 2',
      '',
      '{}',
    ],
    ['two lengths', 400, ...first, 'Content-Length: 2', `Content-Length: ${2 + hidden.length}`, '', `{}${hidden}`],
    ['one length twice', 400, ...first, 'Content-Length: 2', 'Content-Length: 2', '', '{}'],
    ['a list of lengths', 400, ...first, 'Content-Length: 2, 2', '', '{}'],
    ['a length with a sign', 400, ...first, 'Content-Length: +2', '', '{}'],
    ['a length and chunks', 400, ...first, 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '0', '', hidden],
    ['chunks and a length', 400, ...first, 'Transfer-Encoding: chunked', 'Content-Length: 5', '', '0', '', hidden],
    [
      'chunks twice',
      400,
      ...first,
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: chunked',
      '',
      '2',
      '{}',
      '0',
      '',
      '',
    ],
    ['chunks of gzip', 400, ...first, 'Transfer-Encoding: gzip, chunked', '', '2', '{}', '0', '', ''],
    ['a coding that is none', 400, put, host, key, type, 'Transfer-Encoding: xchunked', '', hidden],
    [
      'a coding that is none, of a read',
      400,
      'GET /api/projects/web HTTP/1.1',
      host,
      key,
      'Transfer-Encoding: x',
      '',
      hidden,
    ],
    ['chunks that are none', 400, ...first, 'Transfer-Encoding: xchunked', '', '2', '{}', '0', '', ''],
    ['a chunk shorter than it says', 400, ...first, 'Transfer-Encoding: chunked', '', '5', '{}', '0', '', ''],
    ['no length at all', 400, ...first, '', '{"a":"x"}'],
    ['a length that is short', 400, ...first, 'Content-Length: 1', '', '{}'],
    ['a space before the colon', 400, ...first, 'Content-Length : 2', '', '{}'],
  ]
  for (const [what, status, ...lines] of requests) {
    const answers = await raw(...lines)
    t.equal(answers[0]?.status, status, `${what}: ${answers[0]?.body}`)
    t.match(JSON.parse(String(answers[0]?.body)), { error: String }, what)
    t.ok(
      answers.every(answer => answer.status === status || answer.status === 400),
      `${what}: the hidden request does not run`,
    )
  }
  for (const [what, ...lines] of [
    ['two If-Match', ...first, 'If-Match: "x"', 'If-Match: "y"', 'Content-Length: 2', '', '{}'],
    [
      'two If-None-Match',
      `GET ${'/api/projects/web'} HTTP/1.1`,
      host,
      key,
      end,
      'If-None-Match: "x"',
      'If-None-Match: "y"',
      '',
      '',
    ],
  ]) {
    t.match((await raw(...lines))[0]?.status, /^(412|200)$/, `${what} is a list`)
  }
  const again = ['GET /api/projects/web HTTP/1.1', host, key, end, '', '']
  for (let n = 0; n < 3; n++) t.equal((await raw(...again))[0]?.status, 200)
  t.equal((await raw(again[0]!, 'Host: y', ...again.slice(1)))[0]?.status, 400, 'a cached answer, with two hosts')
  t.equal((await server.get('/api/projects/web', acme.key)).status, 200, 'no hidden request ran')
})

t.test('returns 413 when chunks exceed the limit', async t => {
  const { server, acme } = scene
  for (const [path, most] of [
    ['/api/projects', 16 * 1024],
    ['/api/projects/web/bundles/en/common/a', 256 * 1024],
    ['/api/projects/web/rename-key', 256 * 1024],
    ['/api/projects/web/rename-namespace', 256 * 1024],
    ['/api/projects/web/rename-language', 256 * 1024],
    ['/api/projects/web/delete-key', 256 * 1024],
  ] as const) {
    const method = path.endsWith('/a') ? 'PUT' : 'POST'
    const wire = { method, target: path, headers: [...usual(), JSON_TYPE], framing: 'chunked' as const }
    const body = Buffer.alloc(most + 1, ' ')
    t.equal((await send(server, render({ ...wire, body })))[0]?.status, 413, path)
    t.equal((await send(server, render({ ...wire, body: body.subarray(1) })))[0]?.status, 400, `${path}: within`)
  }
  t.equal((await server.get('/api/projects/web', acme.key)).status, 200)
})

t.test('writes valid commits when names contain line breaks or angle brackets', async t => {
  const { server } = scene
  const evil = [
    'Eve <root@example.com>',
    'Eve\nauthor Root <root@example.com> 0 +0000',
    'Eve\r\n\r\ntree 0',
    'Eve> 0 +0000\nparent 0',
    'Eve\u0000x',
    'Eve\u2028x',
    '<>',
    '\u0000',
    '   ',
    '.,;"\'',
    `E${' '.repeat(15_000)}ve`,
    '\ud800',
    'x'.repeat(15_000),
  ]
  const org = await server.organization('Eve')
  await server.project(org.key, 'web')
  for (const [n, name] of evil.entries()) {
    const as = org.owner
    const renamed = await server.call('POST', '/api/auth/update-user', { as, body: { name } })
    t.ok(renamed.status === 200 || renamed.status === 400, `a user: ${renamed.status}`)
    const write = await server.call('PUT', '/api/projects/web/bundles/en/names', { as, body: { [`user${n}`]: 'x' } })
    t.equal(write.status, 200, write.text)
    const token = await server.call('POST', '/api/tokens', { as, body: { name } })
    t.ok(token.status === 201 || token.status === 400, `a token: ${token.status}`)
    if (token.status === 201)
      await server.put('/api/projects/web/bundles/en/names', token.json.key, { [`token${n}`]: 'x' })
  }
  for (const email of [
    'eve<x>@example.com',
    'eve\n@example.com',
    '"eve> 0 +0000"@example.com',
    'eve@example.com\nparent 0',
  ]) {
    const reply = await server.call('POST', '/api/auth/sign-up/email', {
      body: { name: 'E', email, password: 'long enough 1' },
    })
    t.equal(reply.status, 400, `an address: ${JSON.stringify(email)}: ${reply.text}`)
  }
  await server.get('/api/projects/web/history?limit=1', org.key)
  t.doesNotThrow(() => server.git(org.id, 'fsck', '--full', '--strict'))
  const heads = server.git(org.id, 'log', '--format=raw', '--no-abbrev').match(/^(author|committer) .*$/gm) ?? []
  t.ok(heads.every(line => /^\w+ [^<>]+ <[^<>\s]+> \d+ \+0000$/.test(line)))
  const authors = server.git(org.id, 'log', '--format=%ae').trim().split('\n')
  t.ok(
    authors.every(email => email === org.owner.user.email || /^token\+[0-9a-f]+@parlance\.invalid$/.test(email)),
    'no other author wrote',
  )
  t.ok(authors.length > evil.length)
})

t.test('returns 200 or 4xx for extreme integers and dates in every query parameter', async t => {
  const { server, acme } = scene
  const key = 'a'
  const names: Record<string, string> = { slug: 'web', language: 'en', namespace: 'common', key, name: 'v1', id: 'x' }
  const document = (await server.get('/api/openapi.json')).json
  const all = operationsOf(document).flatMap(operation =>
    (operation.parameters ?? [])
      .filter(parameter => parameter.in === 'query' && !operation.path.startsWith('/api/auth'))
      .map(({ name }) => ({ ...operation, name })),
  )
  t.ok(all.length > 15, `${all.length} parameters`)
  const dates = [
    '0000-00-00',
    '0001-01-01',
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:01Z',
    '-271821-04-19',
    '2026-02-30',
    '1e9',
    '99999999999999999999',
    '2026-01-01T00:00:00+99:99',
  ]
  for (const { name, ...described } of all) {
    const { method, path } = described
    const { security = [] } = described as { security?: object[] }
    const who = security.some(one => 'apiToken' in one) ? { key: acme.key } : { as: acme.owner }
    const target = path.replace(/\{(\w+)\}/g, (_, place: string) => names[place]!)
    const values = name === 'limit' ? NUMBERS : [...dates, '-1', '2147483648', '9007199254740993', 'NaN', '1e999', '']
    for (const value of values) {
      const sending = { ...who, ...(method !== 'GET' && { body: {} }) }
      const reply = await server.call(method, `${target}?${name}=${encodeURIComponent(value)}`, sending)
      // A diff requires `from`, the keys of a status `language`, the memory `source`.
      const honest = name === 'limit' && !/\/(diff|keys|memory)$/.test(path) ? /^[1-9]\d?$|^100$/.test(value) : false
      const right =
        method !== 'GET' || name === 'limit' ? (honest ? [200] : [400]) : name === 'service' ? [400] : [200, 400, 404]
      t.ok(
        right.includes(reply.status),
        `${method} ${path}?${name}=${value}: ${reply.status} ${reply.text.slice(0, 80)}`,
      )
    }
    const twice = await server.call(method, `${target}?${name}=true&${name}=true`, {
      ...who,
      ...(method !== 'GET' && { body: {} }),
    })
    t.ok(twice.status === 400 || name === 'namespace', `${method} ${path}?${name} twice: ${twice.status}`)
  }
})

t.test('reads the path of an absolute request target (RFC 9112, 3.2.2)', async t => {
  const ask = async (target: string) => {
    const [answer] = await raw(
      `GET ${target} HTTP/1.1`,
      'Host: x',
      `X-Api-Key: ${scene.acme.key}`,
      'Connection: close',
      '',
      '',
    )
    return {
      ...answer!,
      headers: answer!.headers.filter(([name]) => name.toLowerCase() !== 'date'),
      body: answer!.body.toString(),
    }
  }
  for (const path of [
    '/api/projects',
    '/api/projects/web/bundles/en/common',
    '/api/auth/get-session',
    '/api/auth/api-key/list',
    '/',
    '/?x',
    '/no',
  ]) {
    const plain = await ask(path)
    t.same(await ask(`http://x${path}`), plain, path)
    t.same(await ask(`HTTPS://x:1${path}`), plain, path)
  }
  t.same(await ask('http://x'), await ask('/'))
  t.same(await ask('http://x?x'), await ask('/?x'))
})

t.test('creates no file outside the organization, and leaves a sound repository', async t => {
  const { server, acme } = scene
  await repositoryIsSound(t, server, acme)
  const inside = (tree: Map<string, string>) =>
    new Map([...tree].map(([path, is]) => [path.replace(/^data\//, ''), is]))
  const { readdirSync } = await import('node:fs')
  const open = readdirSync(`${server.dataDir}/organizations`).filter(id => /^[A-Za-z0-9]{32}$/.test(id))
  nothingOutside(t, inside(before), inside(treeOf(dirname(server.dataDir))), open)
})
