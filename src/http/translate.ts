/** Translates the rest of a project by a machine: a plan, or a job in the background. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { peel } from '../bundle/message.ts'
import { checkKey, checkLanguage, checkNamespace } from '../bundle/names.ts'
import { type Machine, partsOfUnit, unitOf } from '../machine/machine.ts'
import { machineFailure } from '../machine/machine-fault.ts'
import type { MachineList } from '../machine/machine-list.ts'
import { refuseSource, requireLanguage, requireProject } from '../project/layout.ts'
import { machineNamed, readMachines } from './machines.ts'
import type { MemorySearch } from './reading/memory-search.ts'
import { requireCaller } from './requests/caller.ts'
import { inTurns } from './requests/client-gone.ts'
import {
  answer,
  component,
  count,
  type Flags,
  flag,
  key,
  language,
  like,
  namespace,
  type OfProject,
  type Sends,
  text,
  writing,
} from './requests/shapes.ts'
import { GateRefusals } from './translating/gate-refusals.ts'
import { jobReading } from './translating/job-reading.ts'
import { type JobRecord, type JobRequest, NO_COUNTS } from './translating/job-record.ts'
import type { JobRunner } from './translating/job-runner.ts'
import { recheckSpending } from './translating/may-spend.ts'
import { planJob } from './translating/plan-job.ts'
import { SKIP_PHRASES, type SkipReason } from './translating/plan-language.ts'

/** What one request names. */
const MOST = { languages: 100, namespaces: 1_000, keys: 1_000 }
const KINDS = ['missing', 'empty', 'stale'] as const

const TranslatingShape = z
  .strictObject({
    machine: text('Which machine. May be left out where the server has one.', 'DeepL').optional(),
    languages: like(z.array(language).min(1).max(MOST.languages), ['de', 'pl']),
    namespaces: like(z.array(namespace).min(1).max(MOST.namespaces).optional(), ['common']).describe('All by default.'),
    keys: z
      .array(key)
      .min(1)
      .max(MOST.keys)
      .optional()
      .describe('Only these keys, of the one namespace that `namespaces` names.'),
    is: like(z.array(z.enum(KINDS)).min(1).max(KINDS.length).optional(), ['missing', 'empty']).describe(
      'Which texts: keys that the language lacks, empty texts, stale texts. All by default.',
    ),
    save: like(z.enum(['text', 'suggestion']).optional(), 'text').describe(
      '`suggestion`: every translation waits for a person. By default texts are written, but never in place of a ' +
        "person's, and not in a language with a review.",
    ),
    instructions: z.string().max(1_000).optional().describe('Wishes for the style. Only chat models read them.'),
    again: like(z.boolean().optional(), true).describe(
      'Sends texts again that the gate refused in an earlier job. By default they wait until their text, the machine ' +
        'or its configuration changes.',
    ),
  })
  .meta({ id: 'Translating' })
const SKIP_CODES = Object.keys(SKIP_PHRASES) as [SkipReason]
const SkippedShape = z.object({
  code: z.enum(SKIP_CODES),
  reason: z.string(),
  count: z.int(),
  language: language.optional().describe('Of `language`: the machine does not translate into it.'),
})
const PlanShape = component('TranslationPlan', {
  machine: text('The machine.', 'DeepL'),
  texts: count('Texts to translate.', 412),
  characters: count('Characters to send, a text for each form that the language needs.', 18_200),
  fromMemory: count('Texts that need no request: the organization has an equal source with a translation.', 38),
  estimate: like(z.number().nullable(), 0.4).describe('About what it costs, in `unit`. Null without a price.'),
  unit: text('A currency, or `characters`.', 'USD', 'characters'),
  skipped: like(z.array(SkippedShape), [{ code: 'source-empty', reason: 'the source is empty', count: 3 }]).describe(
    'Texts that are not translated, and why.',
  ),
  languages: z.array(z.object({ language, texts: count('Texts.', 412), fromMemory: count('Without a request.', 38) })),
})
const StartedShape = component('StartedJob', { job: text('The id of the job.', 'kX3v9QeLr2Aa') })
const flags = { dryRun: flag.describe('`true`: answers with the plan. No request is sent and nothing is written.') }

/** What the route shares with the rest of the server. */
interface TranslateOptions {
  memory: MemorySearch
  machines: MachineList
  runner: JobRunner
}

/** Adds the route to a scope behind `identify`. */
export function translateRoutes(app: FastifyInstance, { memory, machines, runner }: TranslateOptions): void {
  const inTurn = inTurns('plans of translations')
  const schema = {
    tags: ['Machines'],
    operationId: 'translateRest',
    summary: 'Translate what is missing, by a machine',
    description:
      'Starts a job in the background. Texts of the memory are used where their source is equal. The others are sent to ' +
      'the machine; what does not pass the gate is refused. Each language becomes one commit by the caller. A text that a ' +
      'person wrote is never replaced: where its source changed it gets a suggestion. Costs money, so it needs a session or ' +
      'a token of scope `write`, and the right `translate` (`suggest` for suggestions) in each language.',
    querystring: z.object(flags),
    body: TranslatingShape,
    ...writing(
      {
        200: answer(PlanShape.describe('With `dryRun=true`: the plan.')),
        202: answer(StartedShape.describe('The job has been stored.')),
      },
      'not-found',
      'unfit',
    ),
  }
  type Translate = OfProject & Flags<typeof flags> & Sends<typeof TranslatingShape>
  const options = { config: { permission: 'edit' }, bodyLimit: app.limits.keyBody } as const
  app.post<Translate>('/api/projects/:slug/translate', { schema, ...options }, async (request, reply) => {
    const { slug } = request.params
    const { machine: name, ...part } = partOf(slug, request.body)
    const recheck = () => recheckSpending(app.auth, requireCaller(request, 'edit'), part, part.languages)
    const caller = recheck()
    const { organization, projects = null } = caller
    await app.writes.look(request, snapshot => {
      const project = requireProject(snapshot, slug)
      for (const language of part.languages) {
        requireLanguage(snapshot, project, language)
        refuseSource(project, language, 'name another one')
      }
    })
    const machine = machineOf(await readMachines(request, machines), name)
    const asked: JobRequest = { ...part, machine: machine.name }
    const { dryRun } = request.query
    const plan = await inTurn(reply, async left => {
      const reading = await jobReading(app, organization, slug, left)
      const place = { organization, project: slug }
      const refusals = async (language: string) =>
        asked.again ? undefined : GateRefusals.read(app.auth.jobs, place, language)
      return planJob(reading, asked, machine, { search: dryRun ? memory : undefined, projects, refusals })
    })
    if (dryRun) return reply.send(plan)
    const { kind, id, name: author, email } = caller
    const record: JobRecord = {
      request: asked,
      by: { kind, id, name: author, email },
      planned: Object.fromEntries(plan.languages.map(({ language, texts }) => [language, texts])),
      counts: { ...NO_COUNTS },
      ...{ doneNow: 0, refused: [], amount: 0, revisions: [], ended: [] },
      ...{ unit: unitOf(machine), unitParts: partsOfUnit(machine) },
    }
    const job = await app.auth.jobs.add({ organization, project: slug }, record, recheck)
    if (job === undefined) throw machineFailure('unavailable', { code: 'jobs' }, { retryAfter: 60 })
    await runner.changed()
    return reply.code(202).send({ job: job.id })
  })
}

/** @throws Failure `not-found`, `invalid` */
function machineOf(machines: readonly Machine[], name: string | undefined): Machine {
  const [only, ...others] = machines
  if (only === undefined) throw machineFailure('not-found', { code: 'none' })
  if (name === undefined && others.length === 0) return only
  if (name !== undefined) return machineNamed(machines, name)
  const names = quoteSome(machines.map(machine => machine.name))
  throw new Failure('invalid', `This server has several machines: name one of ${names}.`)
}

/** @throws Failure `invalid` */
function partOf(slug: string, body: z.infer<typeof TranslatingShape>) {
  const { machine, languages, namespaces, keys, is = KINDS, save = 'text', instructions, again = false } = body
  const only = <T>(values: readonly T[]) => [...new Set(values)]
  if (keys !== undefined && namespaces?.length !== 1) {
    throw new Failure('invalid', 'The body does not fit: "keys" need exactly one namespace in "namespaces".')
  }
  return {
    ...{ slug, machine, languages: only(languages.map(checkLanguage)) },
    namespaces: namespaces ? only(namespaces.map(checkNamespace)) : null,
    keys: keys ? only(keys.map(key => peel(checkKey(key)).key)) : null,
    ...{ is: only(is), save, instructions: instructions?.trim() || null, again },
  }
}
