/**
 * Answers that no Parlance gives, to each request of each command: a sentence with the address, and whole files. The
 * honest answers are recorded once and then replayed, all but one.
 */
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import { type Reply, request } from '../../src/cli/api/request.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { nameOf } from '../../src/cli/program.ts'
import { Checkout, newProject } from './checkout.ts'
import { startParlance } from './command.ts'

const parlance = await startParlance(t)
const web = await newProject(parlance, {
  'en/common': { a: 'A', item_one: 'one', item_other: 'many', n: { b: 'B' } },
  'de/common': { a: 'A', item_one: 'eins', n: { b: 'B' } },
})
await web.set('en/common/a', 'A 2')
await web.release('v1')
await web.set('en/common/a', 'A 3')
const [{ revision }] = await web.commits()
const HOST = parlance.server.base

const CONFIG = { output: 'locales/{{language}}/{{namespace}}.json', languages: ['en', 'de'], sourceLanguage: 'en' }
const FILES = { 'parlance.config.json': CONFIG, 'locales/en/common.json': { a: 'A 3', c: 'new' } }

/** A line of each command that asks the server. */
const LINES: Record<string, string[]> = {
  login: ['login'],
  whoami: ['whoami'],
  init: ['init --yes'],
  pull: ['pull', 'pull --check', 'pull --at v1 --prefer theirs'],
  push: ['push', 'push --dry-run'],
  sync: ['sync'],
  export: ['export out', 'export out.zip'],
  import: ['import locales'],
  status: ['status'],
  stale: ['stale'],
  review: ['review'],
  diff: ['diff', 'diff --from v1'],
  history: ['history', 'history common:a'],
  restore: ['restore common:a --at v1 --yes', 'restore common --at v1 --dry-run'],
  undo: [`undo ${revision} --yes`],
  rename: ['rename common:a common:z --yes'],
  'release create': ['release create v2'],
  'release list': ['release list'],
  types: ['types', 'types --output i18next.d.ts'],
  open: ['open common:a --print'],
  doctor: ['doctor'],
  clone: ['clone texts'],
}
/** These ask no server, one with a machine, or answer in a protocol: translate.slow.test.ts, mcp.test.ts. */
const ALONE = ['logout', 'completion', 'translate', 'mcp']
/** Requests with an answer that only counts by its status. */
const UNREAD = [/^GET \/api\/health$/, /^POST \/api\/projects$/, /^GET \/$/, /\/bundles\/en\/common\/common$/]

/** An empty project: `{}` is what these answer then. */
const MAY_BE_EMPTY = /\/export$|\/bundles\/de\+en\/common$/

interface Recorded {
  asked: string
  status: number
  headers: Reply['headers']
  bytes: Buffer
}

const checkout = (t: Test) => new Checkout(t, web.env, FILES)

/** Runs a line at the real server. @returns its answers and the files that it left */
async function record(t: Test, line: string) {
  const recorded: Recorded[] = []
  const send: typeof request = async (url, what) => {
    const { body, ...reply } = await request(url, what)
    const parts: Buffer[] = []
    for await (const part of body) parts.push(part)
    const bytes = Buffer.concat(parts)
    recorded.push({ asked: `${what.method ?? 'GET'} ${url.pathname}`, ...reply, bytes })
    return { ...reply, body: Readable.from([bytes]) }
  }
  const app = checkout(t)
  const ended = await app.run(line, { send })
  return { recorded, ended, files: contents(app) }
}

const contents = (app: Checkout): Record<string, string> =>
  Object.fromEntries(Object.keys(app.look()).map(path => [path, app.text(path)]))

/** Answers as recorded, by method and path in their order; `change` may give another one. */
const replay = (recorded: readonly Recorded[], change: (answer: Recorded, at: number) => Reply | undefined) => {
  const seen = new Map<string, number>()
  const send: typeof request = async (url, { method = 'GET' }) => {
    const asked = `${method} ${url.pathname}`
    const same = recorded.filter(answer => answer.asked === asked)
    const times = seen.get(asked) ?? 0
    seen.set(asked, times + 1)
    const answer = same[Math.min(times, same.length - 1)]
    if (answer === undefined) throw new Error(`${asked} was not recorded`)
    const { status, headers, bytes } = answer
    return change(answer, recorded.indexOf(answer)) ?? { status, headers, body: Readable.from([bytes]) }
  }
  return send
}

const as = (headers: Reply['headers'], text: string, status = 200): Reply => ({
  status,
  headers,
  body: Readable.from(text === '' ? [] : [Buffer.from(text)]),
})

const BLOCK = Buffer.alloc(2 ** 24, 'x')
function* endless() {
  for (;;) yield BLOCK
}

/** What comes in place of an answer. */
const OTHERS: Record<string, (answer: Recorded) => Reply> = {
  'no JSON': ({ headers }) => as(headers, 'nonsense'),
  null: ({ headers }) => as(headers, 'null'),
  'a list': ({ headers }) => as(headers, '[]'),
  'a text': ({ headers }) => as(headers, '"text"'),
  'an object without members': ({ headers }) => as(headers, '{}'),
  'members of other types': ({ headers, bytes }) => as(headers, withOtherTypes(bytes)),
  'a page': () => as({ 'content-type': 'text/html' }, '<!doctype html><title>Sign in</title>'),
  'a page that says 404': () => as({ 'content-type': 'text/html' }, '<h1>Not found</h1>', 404),
  'half of it': ({ headers, bytes }) => as(headers, bytes.subarray(0, bytes.length / 2).toString()),
  'half of it, and the line breaks': ({ headers, bytes }) => ({
    status: 200,
    headers,
    body: Readable.from(
      (function* () {
        yield bytes.subarray(0, bytes.length / 2)
        throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
      })(),
    ),
  }),
  'more than there can be': ({ headers }) => ({ status: 200, headers, body: Readable.from(endless()) }),
}

const OF_EACH_COMMAND = ['members of other types', 'a page']

function withOtherTypes(bytes: Buffer): string {
  try {
    const whole = JSON.parse(bytes.toString())
    return JSON.stringify(Object.fromEntries(Object.keys(whole).map(name => [name, otherOf(whole[name])])))
  } catch {
    return '{"a":1}'
  }
}

const otherOf = (value: unknown) => (typeof value === 'object' ? 7 : { 7: [null] })

/** The same JSON with one value of another type, for each place; of a list the first element stands for all. */
function* wrongOnes(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  for (const name of Array.isArray(value) ? Object.keys(value).slice(0, 1) : Object.keys(value)) {
    const put = (member: unknown) => {
      const copy = structuredClone(value) as Record<string, unknown>
      copy[name] = member
      return copy
    }
    const own = (value as Record<string, unknown>)[name]
    for (const other of [null, otherOf(own)]) yield put(other)
    for (const inner of wrongOnes(own)) yield put(inner)
  }
}

const isSentence = /^parlance: [^\n]+\n$/
const isInside = /TypeError|Cannot read|undefined|is not (iterable|a function)|\n {4}at |Maximum call stack/

const all: ({ line: string } & Awaited<ReturnType<typeof record>>)[] = []
for (const line of Object.values(LINES).flat()) all.push({ line, ...(await record(t, line)) })

t.test('each command of the table is tried', async t => {
  t.strictSame([...Object.keys(LINES), ...ALONE].sort(), COMMANDS.map(nameOf).sort())
})

t.test('what is no answer of Parlance ends in a sentence with the address, and in whole files', async t => {
  const tried = new Set<string>()
  for (const { line, recorded, files, ended } of all) {
    t.ok([0, 1].includes(ended.code!), `${line}: ${ended.err}`)
    for (const [at, { asked }] of recorded.entries()) {
      if (UNREAD.some(pattern => pattern.test(asked))) continue
      for (const [kind, other] of Object.entries(OTHERS)) {
        // The same code reads a request of several commands.
        if (tried.has(asked) && !OF_EACH_COMMAND.includes(kind)) continue
        if (kind === 'an object without members' && MAY_BE_EMPTY.test(asked)) continue
        const app = checkout(t)
        const before = contents(app)
        const send = replay(recorded, (answer, place) => (place === at ? other(answer) : undefined))
        const { code, out, err } = await app.run(line, { send })
        const what = `${line}, ${asked} answers ${kind}`
        const said = line === 'doctor' ? out : err.replace(/^.*trying again.*\n/gm, '')
        if (code === 0) t.fail(`${what}: it went well`)
        else if (line !== 'doctor' && !isSentence.test(said)) t.fail(`${what}: ${said}`)
        else if (isInside.test(said) || !said.includes(HOST)) t.fail(`${what}: ${said}`)
        for (const [path, text] of Object.entries(contents(app))) {
          if (text !== before[path] && text !== files[path]) t.fail(`${what}: ${path} is half written`)
        }
      }
      tried.add(asked)
    }
  }
  t.ok(all.length > 20)
})

t.test('one member of another type is no TypeError', async t => {
  const tried = new Set<string>()
  for (const { line, recorded } of all) {
    for (const [at, { asked, headers, bytes }] of recorded.entries()) {
      if (tried.has(asked) || !headers['content-type']?.startsWith('application/json')) continue
      tried.add(asked)
      for (const value of wrongOnes(JSON.parse(bytes.toString()))) {
        const app = checkout(t)
        const text = JSON.stringify(value)
        const send = replay(recorded, (_, place) => (place === at ? as(headers, text) : undefined))
        const { out, err } = await app.run(line, { send }).catch(error => ({ out: '', err: String(error) }))
        const said = err + (line === 'doctor' ? out : '')
        if (isInside.test(said)) t.fail(`${line}, ${asked} answers ${text.slice(0, 300)}: ${said}`)
      }
    }
  }
  t.ok(tried.size > 12)
})

t.test('pages that never end do', async t => {
  const paged = all.filter(({ recorded }) => recorded.some(({ bytes }) => /"next":/.test(bytes.toString())))
  t.strictSame(paged.map(({ line }) => line).sort(), [
    'diff --from v1',
    'history',
    'history common:a',
    'review',
    'stale',
  ])
  for (const { line, recorded } of paged.filter(({ line }) => !line.startsWith('history'))) {
    const send = replay(recorded, ({ status, headers, bytes }) => {
      const json = JSON.parse(bytes.toString())
      return 'next' in json ? as(headers, JSON.stringify({ ...json, next: 'more' }), status) : undefined
    })
    const { code, err } = await checkout(t).run(line, { send })
    t.match({ code, err }, { code: 1, err: /^parlance: The list of http:\S+ at \/api\/\S+ has no end\./ }, line)
  }
})
