/** Servers older or newer than the CLI: a stand-in before a real one, which lacks routes or adds members. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { Checkout, newProject } from './checkout.ts'
import { startParlance } from './command.ts'

const parlance = await startParlance(t)
const { server } = parlance

/** What a server does otherwise; undefined as the one behind it. */
interface Other {
  lacks?: RegExp
  /** What of an address it does not know yet. */
  ignores?: RegExp
  /** An answer's headers that it does not know yet. */
  without?: string[]
  more?: (answer: unknown) => unknown
}

async function standIn(t: Test, { lacks, ignores, without = [], more }: Other): Promise<string> {
  const front = createServer(async (request, response) => {
    // What it lacks is answered as the real one answers paths that it does not know.
    if (lacks?.test(request.url!)) request.url = '/api/projects/web/not-yet'
    if (ignores) request.url = request.url!.replace(ignores, '')
    const { host: _, 'accept-encoding': __, connection: ___, ...headers } = request.headers
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const answer = await fetch(server.base + request.url, {
      method: request.method!,
      headers: headers as Record<string, string>,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const shown = Object.fromEntries(
      [...answer.headers].filter(([name]) => !['content-length', 'content-encoding', ...without].includes(name)),
    )
    const text = await answer.text()
    const isJson =
      /^application\/json/.test(answer.headers.get('content-type') ?? '') && !request.url!.includes('/export')
    response.writeHead(answer.status, shown)
    response.end(more && isJson && text !== '' ? JSON.stringify(more(JSON.parse(text))) : text)
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  t.teardown(() => {
    front.closeAllConnections()
    front.close()
  })
  return `http://127.0.0.1:${(front.address() as AddressInfo).port}`
}

const CONFIG = {
  'parlance.config.json': { output: 'locales/{{language}}/{{namespace}}.json', languages: ['en', 'de'] },
}
/** Adds an unknown member to each object of an answer. */
function withMore(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMore)
  if (typeof value !== 'object' || value === null) return value
  return { ...Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withMore(one)])), newer: { a: [1] } }
}

/** A checkout of a project at such a server, with a key to push. */
async function checkout(t: Test, other: Other): Promise<Checkout> {
  const web = await newProject(parlance, { 'en/common': { a: 'A', b: 'B' }, 'de/common': { a: 'A' } })
  const PARLANCE_URL = await standIn(t, other)
  const files = { ...CONFIG, 'locales/en/common.json': { a: 'A', b: 'B', c: 'C' } }
  return new Checkout(t, { ...web.env, PARLANCE_URL }, files)
}

t.test('an older server: what it lacks is named, and the rest works', async t => {
  const told = (asked: string) =>
    new RegExp(`^parlance: http://\\S+ has no ${asked}\\. The server may be older .* /cli\\.`)
  const rows: [Other, Record<string, RegExp | undefined>][] = [
    [{ lacks: /\/whoami/ }, { whoami: undefined, pull: undefined }],
    [
      { lacks: /\/export/ },
      { pull: told('GET /api/projects/\\S+/export'), sync: told('GET \\S+/export'), status: undefined },
    ],
    [{ lacks: /\/push/ }, { pull: undefined, push: told('POST /api/projects/\\S+/push') }],
    [{ lacks: /\/status/ }, { status: told('GET \\S+/status'), pull: undefined }],
    [{ without: ['parlance-revision'] }, { pull: /older than this CLI: its exports .* \/cli\./ }],
  ]
  for (const [other, runs] of rows) {
    const app = await checkout(t, other)
    for (const [words, refusal] of Object.entries(runs)) {
      const { code, err } = await app.run(words)
      t.equal(code, refusal ? 1 : 0, `${words}: ${err}`)
      if (refusal) t.match(err, refusal, words)
    }
    t.strictSame(app.read('locales/en/common.json'), { a: 'A', b: 'B', c: 'C' })
  }
  const app = await checkout(t, { lacks: /\/whoami/ })
  t.match(await app.run('whoami'), { err: /runs an older Parlance than this/, out: /token +from PARLANCE_TOKEN/ })
  t.match(await app.run('doctor'), { code: 0, out: /token +valid; this server does not report its scope/ })
})

t.test('an older server, which gives all where only what differs is asked for', async t => {
  const app = await checkout(t, { ignores: /&since=\w+/ })
  t.match(await app.run('pull'), { code: 0 })
  const set = (value: string) =>
    server.must('PUT', `/api/projects/${app.env.PARLANCE_PROJECT}/bundles/en/common/a`, {
      key: parlance.tokens.write,
      body: { value },
    })
  await set('A 2')
  t.match(await app.run('pull'), { code: 0, out: /a {2}"A" → "A 2"\n1 file written/ })
  t.strictSame(app.read('locales/en/common.json'), { a: 'A 2', b: 'B', c: 'C' })
  const again = await app.run('pull')
  t.match(again, { code: 0, out: 'Up to date.\n', requests: [/&since=/] })
})

t.test('ignores unknown members of a newer server', async t => {
  const app = await checkout(t, { more: withMore })
  const words = [
    'whoami',
    'doctor',
    'pull',
    'status',
    'push',
    'diff',
    'history',
    'stale',
    'release list',
    'types',
    'sync',
  ]
  for (const one of words) {
    const { code, out, err } = await app.run(one)
    t.equal(code, 0, `${one}: ${err}`)
    t.notMatch(out, /newer|\[object|undefined/, one)
  }
})

t.test('an address that answers anything with a page, with nothing or with other JSON is none of Parlance', async t => {
  const app = await checkout(t, {})
  const answers: [type: string | undefined, text: string][] = [
    ['text/html; charset=utf-8', '<!doctype html><title>Sign in</title>'],
    [undefined, ''],
    ['application/json', 'null'],
    ['application/json', '[1]'],
    ['application/json; charset=utf-8', '{'],
  ]
  const words = [
    'whoami',
    'pull',
    'push',
    'sync',
    'status',
    'stale --language de',
    'diff',
    'history',
    'history common:a',
    'restore common:a --at v1 --yes',
    'undo 12345678 --yes',
    'rename common:a common:b --yes',
    'release list',
    'release create v1',
    'types',
    'export out --yes',
    'export out.zip --yes',
    'import locales --yes',
    'clone out',
    'init --project web --yes',
  ]
  for (const [type, text] of answers) {
    const send = async () => ({
      status: 200,
      headers: type === undefined ? {} : { 'content-type': type },
      body: Readable.from(text === '' ? [] : [Buffer.from(text)]),
    })
    for (const one of words) {
      const { code, err } = await app.run(one, { send })
      t.equal(code, 1, one)
      t.match(
        err,
        /answers 200.* Is this the address of a Parlance server\?|is older than this CLI/s,
        `${one}, ${text}`,
      )
      if (type?.startsWith('text/html')) t.notMatch(err, /older/, one)
    }
  }
})
