import { once } from 'node:events'
import { request as open } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openScene, type Row, runRows, type Scene, type Server } from '../server.ts'

let scene: Scene
t.before(async () => {
  scene = await openScene(t)
  await scene.server.project(scene.acme.key, 'web')
})

const push = (name: string, status: number, body: unknown, headers: Record<string, string> = {}): Row => ({
  name,
  method: 'PUT',
  path: '/api/projects/web/bundles/en/body',
  key: scene.acme.key,
  body,
  headers,
  status,
})

t.test('accepts JSON in UTF-8 only', async t => {
  const type = (value: string) => ({ 'content-type': value })
  await runRows(t, scene.server, [
    push('plain', 200, '{"a":"x"}', type('application/json')),
    push('with its charset', 200, '{"a":"x"}', type('application/json; charset=utf-8')),
    push('in capitals', 200, '{"a":"x"}', type('Application/JSON;charset=UTF-8')),
    push('quoted charset', 200, '{"a":"x"}', type('application/json; charset="utf-8"')),
    push('another charset', 415, '{"a":"x"}', type('application/json; charset=iso-8859-1')),
    push('another parameter', 415, '{"a":"x"}', type('application/json; version=1')),
    push('text', 415, '{"a":"x"}', type('text/plain')),
    push('a form', 415, 'a=x', type('application/x-www-form-urlencoded')),
    push('a relative of JSON', 415, '{"a":"x"}', type('application/merge-patch+json')),
    push('no type', 415, '{"a":"x"}', type('')),
    push('no valid type', 415, '{"a":"x"}', type('json')),
    push('compressed', 415, '{"a":"x"}', { 'content-encoding': 'gzip' }),
    push('said not to be compressed', 415, '{"a":"x"}', { 'content-encoding': 'identity' }),
    push('compressed by nothing', 415, '{"a":"x"}', { 'content-encoding': '' }),
    push('nothing', 400, ''),
    push('white space', 400, '  '),
    push('cut off', 400, '{"a":"x"'),
    push('a comma too many', 400, '{"a":"x",}'),
    push('invalid UTF-8', 400, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x22, 0x78, 0x22, 0x7d])),
    push('a byte order mark', 200, Buffer.from('\ufeff{"a":"x"}')),
    push('two byte order marks', 400, Buffer.from('\ufeff\ufeff{"a":"x"}')),
    push('UTF-16', 400, Buffer.from('{"a":"x"}', 'utf16le')),
  ])
})

t.test('does not quote malformed JSON in the error', async t => {
  const reply = await scene.server.put(
    '/api/projects/web/bundles/en/body',
    scene.acme.key,
    '{"a":"swordfish" swordfish}',
  )
  t.equal(reply.status, 400)
  t.notMatch(reply.text, /swordfish/)
})

t.test('uses the last of two equal members, and reads __proto__ as a member', async t => {
  const { server, acme } = scene
  await server.must('PUT', '/api/projects/web/bundles/en/odd', {
    key: acme.key,
    body: '{"a":"first","a":"last","__proto__":{"polluted":"yes"},"constructor":{"prototype":{"x":"y"}}}',
  })
  const { text } = await server.get('/api/projects/web/bundles/en/odd', acme.key)
  const read = JSON.parse(text)
  t.equal(read.a, 'last')
  t.strictSame(Object.getOwnPropertyDescriptor(read, '__proto__')?.value, { polluted: 'yes' })
  t.equal(({} as Record<string, unknown>).polluted, undefined)
})

t.test('returns 400 when a body has an unknown member', async t => {
  const { server, acme } = scene
  const create = (body: unknown) => server.post('/api/projects', acme.key, body)
  t.match(
    (await create({ slug: 'x', name: 'x', sourceLanguage: 'en', colour: 'red' })).json.error,
    /unknown field "colour"/,
  )
  t.match((await create({ slug: 'x', name: 'x' })).json.error, /"sourceLanguage" is missing/)
  t.match((await create({ slug: 5, name: 'x', sourceLanguage: 'en' })).json.error, /"slug"/)
  for (const body of ['[]', 'null', '"x"', '5']) t.equal((await create(body)).status, 400, body)
})

/** Writes a body above the limit as a slow client does. @returns the answer */
function pour(
  server: Server,
  path: string,
  key: string,
  size: number,
  chunked: boolean,
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(server.base)
  const length = chunked ? {} : { 'content-length': String(size) }
  const headers = { 'x-api-key': key, 'content-type': 'application/json', ...length }
  return new Promise((resolve, reject) => {
    const request = open({ host: hostname, port, path, method: 'PUT', headers, agent: false })
    request.on('error', reject)
    request.on('response', response => {
      let text = ''
      response.on('data', part => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    const chunk = Buffer.alloc(2 ** 16, ' ')
    let left = size
    const write = () => {
      while (left > 0) {
        const part = chunk.subarray(0, Math.min(left, chunk.length))
        left -= part.length
        if (!request.write(part)) return request.once('drain', write)
      }
      return request.end()
    }
    write()
  })
}

t.test('returns 413 to a client that still writes when its body passes the limit', async t => {
  const { server, acme } = scene
  const path = '/api/projects/web/bundles/en/large'
  for (const chunked of [false, true]) {
    const tries = Array.from({ length: 20 }, () => pour(server, path, acme.key, 9 * 2 ** 20, chunked))
    const answers = await Promise.all(tries)
    t.strictSame(
      new Set(answers.map(({ status }) => status)),
      new Set([413]),
      chunked ? 'in chunks' : 'of a known length',
    )
    t.match(JSON.parse(answers[0]!.text).error, /8,388,608 bytes/)
  }
  const limits: [string, string, number][] = [
    ['PUT', '/api/projects/web/bundles/en/large/key', 256 * 1024],
    ['POST', '/api/projects', 16 * 1024],
  ]
  for (const [method, limited, limit] of limits) {
    const at = (size: number) => server.call(method, limited, { key: acme.key, body: Buffer.alloc(size, ' ') })
    t.equal((await at(limit)).status, 400, `${limit} bytes are read`)
    t.equal((await at(limit + 1)).status, 413, `${limit + 1} are too many`)
  }
})

t.test('returns 413 to a client with Connection: close after it has written its body', async t => {
  const { server, acme } = scene
  const { hostname, port } = new URL(server.base)
  const lines = [
    'PUT /api/projects/web/bundles/en/large HTTP/1.1',
    'host: x',
    'connection: close',
    `x-api-key: ${acme.key}`,
  ]
  const head = [...lines, 'content-type: application/json', 'transfer-encoding: chunked', '', ''].join('\r\n')
  const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
  const socket = connect(Number(port), hostname).setEncoding('utf8').pause()
  t.teardown(() => socket.destroy())
  const failed = once(socket, 'error').then(([error]) => `${error}`)
  const written = (async () => {
    socket.write(head)
    for (let n = 0; n < 300; n++) {
      await new Promise(resolve => socket.write(chunk, resolve))
      // The server answers long before the last of these chunks.
      if (n % 50 === 0) await pause(10)
    }
    socket.write('0\r\n\r\n')
    let text = ''
    socket.on('data', part => (text += part)).resume()
    await once(socket, 'end')
    return text
  })()
  t.match(await Promise.race([written, failed]), /^HTTP\/1\.1 413 /)
})

t.test('returns 403 before it reads the body', async t => {
  const { server, reader } = scene
  const path = '/api/projects/web/bundles/en/large'
  t.equal((await pour(server, path, 'x', 9 * 2 ** 20, false)).status, 401)
  t.equal((await pour(server, path, reader, 9 * 2 ** 20, true)).status, 403)
})

t.test('serves the next request on the connection after a refused body', async t => {
  const { server, acme } = scene
  const { Agent } = await import('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const { hostname, port } = new URL(server.base)
  const send = (size: number) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'x-api-key': acme.key, 'content-type': 'application/json', 'content-length': size }
      const request = open({ host: hostname, port, path: '/api/projects', method: 'POST', headers, agent })
      request.on('response', response => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
      request.on('error', reject)
      request.end(Buffer.alloc(size, ' '))
    })
  t.equal(await send(20_000), 413)
  t.equal(await send(10), 400)
})
