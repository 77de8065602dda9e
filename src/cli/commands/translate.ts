/** `parlance translate`: lets a machine of the server translate what is missing, empty or stale, as a job there. */
import { setTimeout as pause } from 'node:timers/promises'
import { started, translationJob, translationPlan } from '../api/answers.ts'
import { projectPath } from '../api/client.ts'
import { needManifest } from '../api/key-name.ts'
import type { Of } from '../api/shape.ts'
import type { Context, Run } from '../context.ts'
import { Problem } from '../problem.ts'
import { needAnswer } from '../terminal/ask.ts'
import { asLine } from '../terminal/printable.ts'
import { counted } from '../terminal/table.ts'

/** Milliseconds between two looks at a job. */
const INTERVAL = 1000

interface Options {
  language?: string[]
  namespace?: string[]
  machine?: string
  is?: string[]
  suggest?: boolean
  again?: boolean
  watch?: string
  cancel?: string
  dryRun?: boolean
  yes?: boolean
}

type Plan = Of<typeof translationPlan>
type Job = Of<typeof translationJob>

/**
 * With `--json`: `{ project, plan, job }`, both as the API answers. `plan` is null with `--watch` and `--cancel`, `job`
 * is null for a dry run and with nothing to do. Exit code 1 if the job did not end as asked, or texts were refused.
 */
export const run: Run<Options> = async (context, options) => {
  const { watch, cancel, dryRun = false, yes = false } = options
  const [project, question] = [await context.project(), 'Start it?']
  let [plan, id]: [Plan | null, string | undefined] = [null, watch ?? cancel]
  if (id === undefined) await needAnswer(context, question, { dryRun, yes })
  const api = await context.api()
  if (id === undefined) {
    const [body, path] = [await bodyOf(context, options), projectPath(project, 'translate')]
    plan = (await api.ask('POST', path, translationPlan, { query: { dryRun: true }, body })).json
    const words = inWords(plan)
    if (dryRun || plan.texts === 0) {
      const text = () => (dryRun ? `${words}\nNothing was changed: this was a dry run.` : words)
      return void (await context.print({ project, plan, job: null }, text))
    }
    if (!context.json) await context.out(`${words}\n`)
    if (!yes && !(await context.ask.confirm(question, '--yes')))
      return void (await context.out('Nothing was changed.\n'))
    // Another machine may have become the default since the plan.
    id = (await api.ask('POST', path, started, { body: { ...body, machine: plan.machine } })).json.job
    if (!context.json) await context.out(`Started the job ${id}.\n`)
  }
  const path = projectPath(project, 'jobs', id)
  if (cancel !== undefined) await api.ask('DELETE', path, translationJob)
  const job = await ended(context, id, async () => (await api.ask('GET', path, translationJob)).json)
  await context.print({ project, plan, job }, () => outcome(context, job))
  return job.state === (cancel === undefined ? 'done' : 'cancelled') && job.refusedCount === 0 ? 0 : 1
}

async function bodyOf(
  context: Context,
  { language, namespace, machine, is, suggest, again }: Options,
): Promise<object> {
  const languages = language ?? (await translationsOf(context))
  const save = suggest ? 'suggestion' : 'text'
  return { machine, languages, namespaces: namespace, is, save, ...(again && { again }) }
}

/** The languages of the project, without the source. @throws Problem without any */
async function translationsOf(context: Context): Promise<string[]> {
  const { languages, sourceLanguage } = await needManifest(context)
  const found = languages.filter(one => one !== sourceLanguage)
  if (found.length > 0) return found
  throw new Problem(`Project "${await context.project()}" has no language beside the source.`)
}

/** Shows progress until a job has ended. @throws Problem at Ctrl-C, which ends no job */
async function ended(context: Context, id: string, look: () => Promise<Job>): Promise<Job> {
  try {
    for (;;) {
      const job = await look()
      if (job.state !== 'queued' && job.state !== 'running') return job
      const progress = context.progress(`${asLine(job.machine)}: ${job.done} of ${counted(job.of, 'text')}`)
      await pause(INTERVAL, undefined, { signal: context.stop }).finally(() => progress.stop())
    }
  } catch (error) {
    if (!context.stop.aborted) throw error
    const hint = `Watch it by \`parlance translate --watch=${id}\`, cancel it by \`parlance translate --cancel=${id}\`.`
    throw new Problem('The job goes on, on the server.', { hint, data: { job: id } })
  }
}

const amount = (value: number, unit: string) =>
  `${value.toLocaleString('en', { maximumFractionDigits: 4 })} ${asLine(unit)}`

const memory = (count: number) => (count === 0 ? '' : `, ${count} of them from the translation memory`)

function inWords({ machine, texts, characters, fromMemory, estimate, unit, skipped, languages }: Plan): string {
  const cost = estimate === null ? '' : `; about ${amount(estimate, unit)}`
  const what = `${counted(texts, 'text')}${memory(fromMemory)}: ${counted(characters, 'character')}${cost}`
  return [
    texts === 0 ? 'There is nothing to translate.' : `${asLine(machine)} would translate ${what}`,
    ...languages.map(one => `  ${one.language}  ${counted(one.texts, 'text')}${memory(one.fromMemory)}`),
    ...skipped.map(({ reason, count }) => `Skipped: ${count}, ${asLine(reason)}`),
  ].join('\n')
}

function outcome({ terminal: { style } }: Context, job: Job): string {
  const { state, error, written, suggested, of, fromMemory, refused, refusedCount, spent, unit, revisions } = job
  const stored = suggested === 0 ? written : `${counted(suggested, 'suggestion')} and ${counted(written, 'text')}`
  const end = state === 'failed' ? `The job failed: ${asLine(error ?? '?')} ` : state === 'done' ? '' : 'Cancelled. '
  const rows = refused.map(({ language, namespace, key, reason }) => {
    return `${style('yellow', 'refused')}  ${language}/${namespace}  ${asLine(key)}: ${asLine(reason)}`
  })
  if (refusedCount > refused.length) rows.push(`… and ${refusedCount - refused.length} more`)
  rows.push(
    `${end}Stored ${stored} of ${counted(of, 'text')}${memory(fromMemory)}; ${refusedCount} refused; ${amount(spent, unit)}.`,
  )
  if (state === 'failed') rows.push('For the rest, translate again: nothing that is stored is paid twice.')
  if (revisions.length > 0) rows.push(`To undo it: \`parlance undo ${revisions.join(' ')}\``)
  return rows.join('\n')
}
