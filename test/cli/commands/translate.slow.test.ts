/** `translate`: its plan, its job, and what Ctrl-C leaves, against a server that answers as scripted. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t, { type Test } from 'tap'
import type { request } from '../../../src/cli/api/request.ts'
import { startServer } from '../../contract/server.ts'
import { FakeMachine, translating } from '../../machine/fake-machine.ts'
import { newFolder } from '../../new-folder.ts'
import { Checkout, type Running } from '../checkout.ts'

const PLAN = {
  ...{ machine: 'DeepL', texts: 412, characters: 12_345, fromMemory: 38, estimate: 0.4, unit: 'USD' },
  skipped: [{ reason: 'a person wrote the text', count: 3 }],
  languages: [
    { language: 'de', texts: 400, fromMemory: 38 },
    { language: 'pl', texts: 12, fromMemory: 0 },
  ],
}
const NOTHING = { ...PLAN, texts: 0, characters: 0, fromMemory: 0, estimate: 0, languages: [] }
const JOB = {
  ...{
    id: 'j-1',
    machine: 'DeepL',
    languages: ['de', 'pl'],
    by: { id: 'a', name: 'Ann' },
    startedAt: 'now',
    endedAt: null,
  },
  ...{ state: 'running', done: 7, of: 412, written: 0, suggested: 0, fromMemory: 0, refused: [], refusedCount: 0 },
  ...{ spent: 0, unit: 'USD', revisions: [] as string[] },
}
const DONE = {
  ...JOB,
  state: 'done',
  done: 412,
  written: 412,
  fromMemory: 38,
  spent: 0.38,
  revisions: ['a'.repeat(40)],
}
const PROJECT = { sourceLanguage: 'en', languages: ['en', 'de', 'pl'], namespaces: [], defaultFormat: 'i18next-json' }

interface Script {
  plan?: object
  /** The answer to a start. */
  start?: [status: number, body: object]
  /** The job at each look; the last one stays. */
  jobs?: object[]
}

/** What was sent to the server as a start. */
interface Started {
  bodies: { machine?: string }[]
}

async function translate(t: Test, words: string, script: Script = {}, running: Running = {}) {
  const { plan = PLAN, start = [202, { job: 'j-1' }], jobs = [DONE] } = script
  const started: Started = { bodies: [] }
  let looks = 0
  const answer = (asked: string, body: string): [status: number, body: object] => {
    if (asked === 'GET /api/projects/web') return [200, PROJECT]
    if (asked === 'POST /api/projects/web/translate?dryRun=true') return [200, plan]
    if (asked === 'POST /api/projects/web/translate') {
      started.bodies.push(JSON.parse(body))
      return start
    }
    if (asked === 'DELETE /api/projects/web/jobs/j-1') return [200, JOB]
    if (asked === 'GET /api/projects/web/jobs/j-1') return [200, jobs[Math.min(looks++, jobs.length - 1)]!]
    throw new Error(`unexpected: ${asked}`)
  }
  const send: typeof request = async (url, { method, body }) => {
    const [status, json] = answer(`${method} ${url.pathname}${url.search}`, body ?? '')
    const headers = { 'content-type': 'application/json' }
    return { status, headers, body: Readable.from([Buffer.from(JSON.stringify(json))]) }
  }
  const env = { PARLANCE_URL: 'http://127.0.0.1:1', PARLANCE_TOKEN: `prl_${'a'.repeat(43)}`, PARLANCE_PROJECT: 'web' }
  const ended = await new Checkout(t, env).run(words, { send, ...running })
  return { ...ended, started }
}

const PLANNED = `DeepL would translate 412 texts, 38 of them from the translation memory: 12345 characters; about 0.4 USD
  de  400 texts, 38 of them from the translation memory
  pl  12 texts
Skipped: 3, a person wrote the text
`

t.test('shows the plan, and starts nothing in a dry run or without an answer', async t => {
  const dry = await translate(t, 'translate --dry-run')
  t.match(dry, { code: 0, err: '', out: `${PLANNED}Nothing was changed: this was a dry run.\n` })
  t.match(await translate(t, 'translate'), { code: 2, requests: [], err: /Give --yes, or --dry-run to look\./ })
  const no = await translate(t, 'translate', {}, { typed: ['n'] })
  t.match(no, { code: 0, out: /Skipped: 3, .*\nNothing was changed\.\n$/ })
  const empty = await translate(t, 'translate --yes', { plan: NOTHING })
  t.match(empty, { code: 0, out: 'There is nothing to translate.\nSkipped: 3, a person wrote the text\n' })
  t.match(await translate(t, 'translate --dry-run --json'), {
    code: 0,
    json: { project: 'web', plan: PLAN, job: null },
  })
  for (const { started } of [dry, no, empty]) t.strictSame(started.bodies, [])
})

t.test('starts the job of the plan with the given limits, and waits for its end', async t => {
  const queued = { ...JOB, state: 'queued', done: 0, of: 0 }
  const all = await translate(t, 'translate', { jobs: [queued, JOB, DONE] }, { typed: ['y'] })
  t.match(all, { code: 0, err: '' })
  t.ok(
    all.out.endsWith(`Started the job j-1.
Stored 412 of 412 texts, 38 of them from the translation memory; 0 refused; 0.38 USD.
To undo it: \`parlance undo ${'a'.repeat(40)}\`\n`),
    all.out,
  )
  t.strictSame(all.started.bodies, [{ machine: 'DeepL', languages: ['de', 'pl'], save: 'text' }])
  t.equal(all.requests.filter(asked => asked === 'GET /api/projects/web/jobs/j-1').length, 3)
  const part = await translate(
    t,
    'translate --language de --namespace shop cart --machine Own --is missing,stale --suggest --again --yes --json',
    { plan: { ...PLAN, machine: 'Own' }, jobs: [{ ...DONE, written: 0, suggested: 412 }] },
  )
  t.strictSame(part.started.bodies, [
    {
      ...{ machine: 'Own', languages: ['de'], namespaces: ['shop', 'cart'] },
      is: ['missing', 'stale'],
      save: 'suggestion',
      again: true,
    },
  ])
  t.match([part.code, part.json], [0, { project: 'web', plan: { machine: 'Own' }, job: { suggested: 412 } }])
  t.match(await translate(t, 'translate --is missing,old --yes'), { code: 2, requests: [], err: /not "old"\./ })
})

t.test('lists refused texts with their reasons, and fails with a job that failed', async t => {
  const row = { language: 'de', namespace: 'common', key: 'pay\u001b[2J', reason: 'lacks {{count}}\nHACKED' }
  const refused = { ...DONE, written: 401, refused: [row], refusedCount: 11 }
  const some = await translate(t, 'translate --yes', { jobs: [refused] })
  t.match(some, {
    code: 1,
    out: '\nrefused  de/common  pay\\u001b[2J: lacks {{count}}⏎HACKED\n… and 10 more\nStored 401 of',
  })
  const failed = { ...JOB, state: 'failed', error: 'DeepL has reached its limit.' }
  const ended = await translate(t, 'translate --yes', { jobs: [failed] })
  t.match(ended, { code: 1, out: /\nThe job failed: DeepL has reached its limit\. Stored 0 of 412 texts; 0 refused;/ })
  t.match(await translate(t, 'translate --yes --json', { jobs: [failed] }), { code: 1, json: { job: failed } })
  t.match(await translate(t, 'translate --yes', { jobs: [{ ...JOB, state: 'cancelled' }] }), {
    code: 1,
    out: /Cancelled\. /,
  })
  const error = 'This API token may only read, suggest texts and write comments.'
  const forbidden = await translate(t, 'translate --yes', { start: [403, { error }] })
  t.match(forbidden, { code: 1, err: `parlance: ${error}\n` })
})

t.test('leaves the job running at Ctrl-C, and says how to watch and cancel it', async t => {
  const stop = new AbortController()
  const stopAtLook: Running = {
    stop: stop.signal,
    before: ({ method, path }) => {
      if (method === 'GET' && path.includes('/jobs/')) setImmediate(() => stop.abort(new Error('Interrupted.')))
    },
  }
  const left = await translate(t, 'translate --yes', { jobs: [JOB] }, stopAtLook)
  t.match(left, {
    code: 1,
    err: /^parlance: The job goes on, on the server\. Watch it by `parlance translate --watch=j-1`/,
  })
  t.match(left.err, '`parlance translate --cancel=j-1`')
  t.notOk(left.requests.some(asked => asked.startsWith('DELETE')))
  const watched = await translate(t, 'translate --watch j-1', { jobs: [JOB, DONE] })
  t.match(watched, { code: 0, out: /^Stored 412 of 412/ })
  t.strictSame(watched.started.bodies, [])
  const cancelled = await translate(t, 'translate --cancel j-1', { jobs: [JOB, { ...JOB, state: 'cancelled' }] })
  t.match(cancelled, { code: 0, out: /^Cancelled\. Stored 0 of 412 texts/ })
  t.equal(cancelled.requests[0], 'DELETE /api/projects/web/jobs/j-1')
})

t.test('refuses answers that no Parlance gives', async t => {
  for (const jobs of [[{ ...JOB, state: 'asleep' }], [{ ...DONE, revisions: ['$(rm -rf ~)'] }], [{}]])
    t.match(await translate(t, 'translate --yes', { jobs }), { code: 1, err: /otherwise than Parlance/ })
  const start: Script['start'] = [202, { job: '`id`' }]
  t.match(await translate(t, 'translate --yes', { start }), { code: 1, err: /job must be the id of a job/ })
  const plan = { ...PLAN, estimate: 'free' }
  t.match(await translate(t, 'translate --yes', { plan }), { code: 1, err: /estimate must be a number/ })
})

t.test('translates on a server with a machine, and undoes it', async t => {
  const fake = await FakeMachine.open(
    t,
    translating(source => (source === 'Broken {{x}}' ? 'x' : `DE ${source}`)),
  )
  const file = join(newFolder(t, { list: JSON.stringify([fake.row('openai')]) }), 'list')
  chmodSync(file, 0o600)
  const server = await startServer(t, { env: { MACHINES_FILE: file } })
  const { key } = await server.organization()
  const web = await server.project(key, 'web')
  const put = (at: string, body: object) => server.must('PUT', `${web}/bundles/${at}`, { key, body })
  await put('en/common', { pay: 'Pay {{amount}}', broken: 'Broken {{x}}', home: 'Home' })
  const env = { PARLANCE_URL: server.base, PARLANCE_TOKEN: key, PARLANCE_PROJECT: 'web' }
  const app = new Checkout(t, env)
  t.match(await app.run('translate --yes'), { code: 1, err: 'Project "web" has no language beside the source.' })
  await put('de/common', { home: 'Start' })
  const translated = async () => (await server.get(`${web}/bundles/de/common`, key)).json
  const plan = await app.run('translate --dry-run')
  t.match(plan, { code: 0, out: /^openai would translate 2 texts: \d+ characters.*\n {2}de {2}2 texts/ })
  t.strictSame(await translated(), { home: 'Start' })
  const done = await app.run('translate --language de --is missing --yes')
  t.match(done, { code: 1, out: /\nrefused {2}de\/common {2}broken: .*\nStored 1 of 2 texts; 1 refused;/ })
  t.strictSame(await translated(), { pay: 'DE Pay {{amount}}', home: 'Start' })
  const [undo] = /undo [0-9a-f]{40}/.exec(done.out)!
  t.match(await app.run(`${undo} --yes`), { code: 0 })
  t.strictSame(await translated(), { home: 'Start' })
  t.match(await app.run('translate --watch none'), { code: 1, err: /has no job "none"/ })
})
