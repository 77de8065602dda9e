/** Jobs of machine translation: how far they are, and their end. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { requireProject } from '../project/layout.ts'
import { endsWithin } from '../store/ends-within.ts'
import { sendJson } from './answers/conditional.ts'
import { requireCaller } from './requests/caller.ts'
import {
  answer,
  component,
  count,
  deleting,
  GateFaultsShape,
  key,
  language,
  like,
  MachineFaultShape,
  namespace,
  type OfProject,
  reading,
  revision,
  slug,
  text,
  time,
} from './requests/shapes.ts'
import { recordOf, shownJob } from './translating/job-record.ts'
import type { JobRunner } from './translating/job-runner.ts'
import { recheckSpending } from './translating/may-spend.ts'

/** Milliseconds that the answer waits for a cancelled job to write what it has. */
const PATIENCE_MS = 3_000

const JobShape = component('Job', {
  id: text('Its id.', 'kX3v9QeLr2Aa'),
  machine: text('The machine.', 'DeepL'),
  languages: like(z.array(language), ['de', 'pl']),
  by: z
    .object({ id: text('Its id.', 'u8Zp'), name: text('Its name.', 'Ann') })
    .describe('The user or token that started it.'),
  startedAt: time,
  endedAt: like(time.nullable(), null).describe('Null until it has ended.'),
  state: like(z.enum(['queued', 'running', 'done', 'failed', 'cancelled']), 'running').describe(
    'One job of a project runs at a time. A cancelled one ends with the requests under way.',
  ),
  error: text(
    'Why it failed. What it had by then is written: start another job for the rest.',
    'The machine "DeepL" is busy (status 429).',
  ).optional(),
  fault: MachineFaultShape.optional(),
  done: count('Texts that are through.', 60),
  of: count('Texts to translate.', 412),
  written: count('Texts that it wrote, so far.', 38),
  suggested: count('Suggestions that it stored, so far.'),
  fromMemory: count('Texts from the memory, without a request.', 12),
  refused: z
    .array(
      z.object({
        language,
        namespace,
        key,
        reason: text('Why.', 'the form few lacks {{count}}.'),
        faults: GateFaultsShape,
      }),
    )
    .describe('Texts that the gate refused twice: the first 200, fewer where they are long.'),
  refusedCount: count('All of them.'),
  spent: like(z.number().min(0), 0.12).describe('What it cost, in `unit`.'),
  unit: text('A currency, or `characters`.', 'USD', 'characters'),
  revisions: z.array(revision).describe('Its commits, one for each language: `POST …/revert` undoes them.'),
})
const JobsShape = component('Jobs', { jobs: z.array(JobShape) })

type OfJob = { Params: { slug: string; id: string } }

/** Adds the routes to a scope behind `identify`. */
export function jobRoutes(app: FastifyInstance, runner: JobRunner): void {
  const url = '/api/projects/:slug/jobs'
  const tags = ['Machines']
  const list = {
    tags,
    operationId: 'getJobs',
    summary: 'Jobs of machine translation',
    description: 'The newest first. At most 20 are stored of a project.',
    ...reading(JobsShape.describe('The jobs.'), 'not-found'),
  }
  const config = { permission: 'read' } as const
  app.get<OfProject>(url, { schema: list, config }, async (request, reply) => {
    const place = await placeOf(request)
    sendJson(reply, { jobs: (await app.auth.jobs.list(place)).map(shownJob) })
  })

  const params = z.object({ slug, id: text('The id of the job.', 'kX3v9QeLr2Aa') })
  const one = {
    tags,
    operationId: 'getJob',
    summary: 'How far a job of machine translation is',
    description: 'Read it again, or listen to the events of the project, while it runs.',
    params,
    ...reading(JobShape.describe('The job.'), 'not-found'),
  }
  app.get<OfJob>(`${url}/:id`, { schema: one, config }, async (request, reply) => {
    sendJson(reply, shownJob(await jobOf(request)))
  })

  const cancel = {
    tags,
    operationId: 'cancelJob',
    summary: 'Cancel a job of machine translation',
    description:
      'No further request begins. The texts that were paid for are written; undo its `revisions` to remove them. A job ' +
      'that has ended stays as it is. Needs what starting the job needs.',
    params,
    ...deleting({ 200: answer(JobShape.describe('The job.')) }),
  }
  const edits = { permission: 'edit' } as const
  app.delete<OfJob>(`${url}/:id`, { schema: cancel, config: edits }, async (request, reply) => {
    app.writes.ask(request)
    const job = await jobOf(request)
    const { id } = job
    const { request: asked } = recordOf(job)
    const recheck = () => recheckSpending(app.auth, requireCaller(request, 'edit'), asked, asked.languages)
    recheck()
    await app.auth.jobs.cancel(id, recheck)
    await runner.changed()
    await endsWithin(PATIENCE_MS, runner.ended(id))
    return reply.send(shownJob(await jobOf(request)))
  })

  async function placeOf(request: FastifyRequest<OfProject>) {
    const { organization } = requireCaller(request, 'read')
    const { slug } = request.params
    await app.store.read(organization, now => requireProject(now, slug))
    return { organization, project: slug }
  }

  /** @throws Failure `not-found` for a job of another project, as for none */
  async function jobOf(request: FastifyRequest<OfJob>) {
    const { organization, project } = await placeOf(request)
    const job = await app.auth.jobs.get(request.params.id)
    if (job?.organization === organization && job.project === project) return job
    throw new Failure('not-found', `Project "${project}" has no job ${quoteSome([request.params.id])}.`)
  }
}
