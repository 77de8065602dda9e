/** Jobs of each kind of machine that fails in some way. */
import type { ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { MACHINE_KINDS } from '../../src/machine/machine.ts'
import { answerOf, textsIn } from '../machine/answers.ts'
import { SECRET_KEY } from '../machine/fake-machine.ts'
import type { TranslationStage } from './translation-stage.ts'

/** A job of six texts by a machine without a price: amounts are characters. */
export interface FailingJob {
  slug: string
  url: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests check its members
  job: any
  /** The texts of all requests since its start. */
  sent: readonly string[]
  /** What it spent, in texts. */
  spent: number
}

/** Fails a request, or returns false to have it answered well. @param at its number, from 0 */
export type FailingScript = (response: ServerResponse, at: number, texts: readonly string[]) => boolean

export const answersWell: FailingScript = () => false
/** @param times requests with this answer */
export const answersStatus = (status: number, times: number, headers = {}): FailingScript => {
  return (response, at) => {
    if (at < times) response.writeHead(status, headers).end(SECRET_KEY)
    return at < times
  }
}

const BODY = { languages: ['de'] }
let projects = 0

/** Runs jobs of each kind of machine over one project, one for each script, and has all of them judged. */
export async function eachFailing(
  t: Test,
  stage: TranslationStage,
  { scripts, machine = {} }: { scripts: readonly FailingScript[]; machine?: object },
  judge: (t: Test, jobs: FailingJob[]) => void,
): Promise<void> {
  for (const kind of MACHINE_KINDS) {
    await t.test(kind, async t => {
      // The machine has a name of its own: its count begins, and no pause of another test holds.
      const slug = `failing-${++projects}`
      stage.list(stage.fake.row(kind, { name: slug, batch: 2, concurrency: 2, ...machine }))
      const texts = Object.fromEntries([1, 2, 3, 4, 5, 6].map(n => [`k${n}`, `Text ${n} of ${slug}`]))
      const url = await stage.project(slug, { 'en/common': texts, 'de/other': { x: 'x' } })
      const jobs: FailingJob[] = []
      let all = 0
      for (const script of scripts) {
        const sent: string[] = []
        stage.fake.script = (request, response) => {
          const asked = textsIn(kind, request)
          const at = sent.length === 0 ? 0 : stage.fake.requests.length - 1
          sent.push(...asked)
          return script(response, at, asked) ? undefined : answerOf(kind, asked)
        }
        stage.fake.requests.length = 0
        const job = await stage.run(url, BODY)
        all += job.spent
        t.notMatch(JSON.stringify(job), SECRET_KEY)
        t.equal((await stage.call('GET', '/api/machines')).json.machines[0].spent, all, 'as the month counts')
        jobs.push({ slug, url, job, sent, spent: job.spent / `Text 1 of ${slug}`.length })
      }
      t.match(jobs.at(-1), { job: { state: 'done' } })
      t.strictSame(await stage.read(url, 'de/common'), texts, 'all texts are there')
      judge(t, jobs)
    })
  }
}
