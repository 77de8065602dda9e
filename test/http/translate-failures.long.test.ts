/** A machine that stays away: the job ends with what was paid, and the next one goes on. */
import t from 'tap'
import { eventually } from '../eventually.ts'
import { answersStatus, answersWell, eachFailing, type FailingScript } from './machine-failures.ts'
import { TranslationStage } from './translation-stage.ts'

const slow = { timeoutSeconds: 1 }
const CASES: Record<string, { script: FailingScript; machine?: object; fault: object; attempts: number }> = {
  'status 500': {
    script: answersStatus(500, Number.POSITIVE_INFINITY),
    fault: { code: 'status', status: 500 },
    attempts: 5,
  },
  'status 504': {
    script: answersStatus(504, Number.POSITIVE_INFINITY),
    fault: { code: 'status', status: 504 },
    attempts: 2,
  },
  'a hang': { script: () => true, machine: slow, fault: { code: 'late', seconds: 1 }, attempts: 2 },
  'a slow drip': {
    script: response => {
      response.writeHead(200)
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
      return true
    },
    ...{ machine: slow, fault: { code: 'late' }, attempts: 2 },
  },
  'connections that are reset': {
    script: response => Boolean(response.destroy()),
    ...{ fault: { code: 'cut' }, attempts: 2 },
  },
}

for (const [what, { script, machine = {}, fault, attempts }] of Object.entries(CASES)) {
  t.test(what, async t => {
    const stage = await TranslationStage.open(t)
    // One text is answered before it goes away.
    const goesAway: FailingScript = (response, at, texts) => (at === 0 ? false : script(response, at, texts))
    await eachFailing(
      t,
      stage,
      { scripts: [goesAway, answersWell], machine: { batch: 1, concurrency: 4, ...machine } },
      (t, [first, second]) => {
        const { job, sent, spent } = first!
        t.match(job, { state: 'failed', fault })
        const isPaid = attempts === 2
        const written = job.written
        t.equal(written, 1)
        t.equal(spent, isPaid ? sent.length : written, 'what it may have billed')
        const times = Math.max(...sent.map(text => sent.filter(other => other === text).length))
        t.ok(times <= 2 * attempts, `${times} times`)
        t.equal(second!.job.written, 6 - written)
        t.equal(second!.sent.length, 6 - written, 'nothing is paid again')
      },
    )
  })
}

t.test('a cancelled job ends although the machine hangs', async t => {
  const stage = await TranslationStage.open(t)
  stage.list(stage.fake.row('deepl', { name: 'Hanging', timeoutSeconds: 600, batch: 1, concurrency: 2 }))
  stage.fake.script = ({ json }) => (json.text[0] === 'Good' ? { translations: [{ text: 'Gut' }] } : undefined)
  const url = await stage.project('hanging', {
    'en/common': { a: 'Good', b: 'Bad', c: 'Ugly' },
    'de/other': { x: 'x' },
  })
  const id = await stage.start(url, { languages: ['de'] })
  t.ok(await eventually(() => stage.fake.requests.length === 3))
  const began = performance.now()
  t.match((await stage.call('DELETE', `${url}/jobs/${id}`)).json, { state: 'cancelled' })
  t.ok(performance.now() - began < 8_000, 'the answer waits for no machine')
  t.ok(await eventually(async () => (await stage.call('GET', `${url}/jobs/${id}`)).json.endedAt !== null, 60_000))
  const job = (await stage.call('GET', `${url}/jobs/${id}`)).json
  t.match(job, { state: 'cancelled', done: 1, written: 1, spent: 'GoodBadUgly'.length })
  t.equal((await stage.call('GET', '/api/machines')).json.machines[0].spent, job.spent, 'what it may have billed')
})
