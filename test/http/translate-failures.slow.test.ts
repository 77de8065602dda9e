/** A machine that fails once, or at one text: the job goes on, loses no paid text, and counts all that it spent. */
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { eventually } from '../eventually.ts'
import { answersStatus, answersWell, eachFailing } from './machine-failures.ts'
import { TranslationStage } from './translation-stage.ts'

let stage: TranslationStage
t.before(async () => {
  stage = await TranslationStage.open(t)
})
const done = { state: 'done', done: 6, of: 6, written: 6 }

for (const [what, script] of Object.entries({
  'a server error': answersStatus(500, 1),
  'a server error that says when': answersStatus(502, 1, { 'retry-after': '1' }),
  'too many requests': answersStatus(429, 2, { 'retry-after': '1' }),
})) {
  t.test(what, t =>
    eachFailing(t, stage, { scripts: [script] }, (t, [run]) => {
      t.match(run!.job, done)
      t.equal(run!.spent, 6, 'a refused request costs nothing')
      t.ok(run!.sent.length > 6 && run!.sent.length <= 10, `${run!.sent.length} texts were sent`)
    }),
  )
}

t.test('a connection that is reset, and half an answer', t =>
  eachFailing(
    t,
    stage,
    {
      scripts: [
        (response, at) => {
          if (at === 0) response.destroy()
          if (at === 1) response.end('{"half":')
          return at < 2
        },
      ],
    },
    (t, [run]) => {
      t.match(run!.job, done)
      t.equal(run!.spent, run!.sent.length, 'the machine may have billed it')
      t.ok(run!.sent.length > 6 && run!.sent.length <= 10)
    },
  ),
)

t.test('a text that the machine refuses', t =>
  eachFailing(
    t,
    stage,
    {
      scripts: [
        (response, _, texts) => {
          const isRefused = texts.some(text => text.startsWith('Text 3'))
          if (isRefused) response.writeHead(400).end()
          return isRefused
        },
        answersWell,
      ],
    },
    (t, [first, second]) => {
      const { slug } = first!
      const fault = { code: 'status', machine: slug, status: 400 }
      t.match(first!.job, { state: 'failed', done: 5, of: 6, written: 5, revisions: [String], fault })
      t.equal(first!.job.error, `The machine "${slug}" answers with status 400.`)
      t.equal(first!.spent, 5)
      t.match(second!.job, { written: 1, of: 1 })
      t.strictSame(second!.sent, [`Text 3 of ${slug}`], 'nothing is paid twice')
    },
  ),
)

t.test('goes on with the next language after a text that the machine refuses', async t => {
  stage.list(stage.fake.row('libretranslate', { name: 'Poisoned', batch: 2 }))
  const url = await stage.project('poisoned', {
    ...{ 'en/common': { a: 'Good words', b: 'Bad words' }, 'de/other': { x: 'x' }, 'pl/other': { x: 'x' } },
  })
  stage.fake.script = ({ json }, response) => {
    if (json.q.includes('Bad words') && json.target === 'de') return void response.writeHead(422).end()
    return { translatedText: json.q }
  }
  const job = await stage.run(url, { languages: ['de', 'pl'] })
  t.match(job, { state: 'failed', done: 3, of: 4, written: 3, fault: { code: 'status', status: 422 } })
  t.equal(job.revisions.length, 2)
})

t.test('a cancelled job ends in each pause', async t => {
  for (const seconds of [8, 60]) {
    const slug = `pause-${seconds}`
    stage.list(stage.fake.row('deepl', { name: slug }))
    const url = await stage.project(slug, { 'en/common': { a: `Pause ${seconds}` }, 'de/other': { x: 'x' } })
    stage.fake.requests.length = 0
    stage.fake.script = (_, response) => void response.writeHead(429, { 'retry-after': `${seconds}` }).end()
    const id = await stage.start(url, { languages: ['de'] })
    t.ok(await eventually(() => stage.fake.requests.length === 1))
    const began = performance.now()
    const { json } = await stage.call('DELETE', `${url}/jobs/${id}`)
    t.match(json, { state: 'cancelled', endedAt: String, spent: 0, written: 0 })
    t.ok(performance.now() - began < seconds * 1_000, `${performance.now() - began} ms`)
  }
})

t.test('sends no further text to a place that is gone', async t => {
  const database = new Sqlite(join(stage.scene.server.dataDir, 'parlance.sqlite'), { readonly: true })
  t.teardown(() => database.close())
  const states = database.prepare<[string], { state: string; endedAt: number | null }>(
    'select state, endedAt from machine_job where id = ?',
  )
  for (const [slug, method, path, body] of [
    ['gone-project', 'DELETE', ''],
    ['gone-language', 'DELETE', '/bundles/de'],
    ['renamed-language', 'POST', '/rename-language', { from: 'de', to: 'de-AT' }],
  ] as const) {
    stage.list(stage.fake.row('libretranslate', { name: slug, batch: 1, concurrency: 1 }))
    const texts = Object.fromEntries(['a', 'b', 'c', 'd'].map(key => [key, `${key} of ${slug}`]))
    const url = await stage.project(slug, { 'en/common': texts, 'de/other': { x: 'x' } })
    stage.fake.requests.length = 0
    stage.fake.script = ({ json }, response) => {
      const answer = () => response.end(JSON.stringify({ translatedText: json.q }))
      if (stage.fake.requests.length > 1) answer()
      else void stage.call(method, url + path, body).then(answer)
    }
    const id = await stage.start(url, { languages: ['de'] })
    t.ok(await eventually(() => states.get(id)!.endedAt !== null), `${slug}: the job ends`)
    t.match([states.get(id), stage.fake.requests.length], [{ state: 'failed' }, 1], slug)
  }
})

t.test('says by a code why a request fails', async t => {
  const url = await stage.project('codes', { 'en/common': { a: 'Code' }, 'de/common': { x: 'x' } })
  const suggest = () => stage.call('POST', `${url}/suggest`, { language: 'de', namespace: 'common', key: 'a' })
  const row = (more: object = {}) => stage.list(stage.fake.row('deepl', { name: 'Coded', ...more }))
  for (const [status, code] of [
    [401, 'key'],
    [404, 'address'],
    [456, 'quota'],
    [302, 'redirect'],
    [500, 'status'],
  ] as const) {
    row()
    stage.fake.script = (_, response) => void response.writeHead(status).end()
    const { json } = await suggest()
    t.match(json, { error: /^The machine "Coded" /, fault: { code, machine: 'Coded' } })
  }
  row({ name: 'Poor', monthlyLimit: 1 })
  t.match((await suggest()).json.fault, { code: 'limit', machine: 'Poor', limit: 1, unit: 'characters' })
  row({ languages: ['pl'] })
  const named = { language: 'de', namespace: 'common', key: 'a', machine: 'Coded' }
  t.match((await stage.call('POST', `${url}/suggest`, named)).json.fault, { code: 'language', language: 'de' })
  stage.list()
  t.match((await stage.call('POST', `${url}/translate`, { languages: ['de'] })).json.fault, { code: 'none' })
  stage.list({ name: 'x' })
  t.match((await suggest()).json.fault, { code: 'list' })
})
