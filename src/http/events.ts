/** Live events: each commit of an organization or a project, as it becomes durable (HTML Living Standard, 9.2). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkSlug } from '../bundle/names.ts'
import { requireProject } from '../project/layout.ts'
import { checkSince } from './events/change-event.ts'
import type { EventStreams } from './events/event-streams.ts'
import { MOST_BEHIND } from './events/revision-window.ts'
import { Author, subject } from './history.ts'
import { requireCaller } from './requests/caller.ts'
import { readOnce } from './requests/query.ts'
import {
  component,
  count,
  denied,
  failures,
  HEADERS,
  language,
  like,
  namespace,
  type OfProject,
  revision,
  slug,
  text,
  time,
} from './requests/shapes.ts'

const ChangeShape = component('Change', {
  revision,
  project: slug.nullable().describe('Its slug; null for a commit that touches none or several.'),
  author: Author,
  date: time.describe('As in the history.'),
  subject,
  bundles: z
    .array(
      z.object({
        project: slug.optional().describe('Where the commit touches several.'),
        language,
        namespace,
        etag: like(z.string().nullable(), HEADERS.ETag.example).describe('As a read has it; null: the bundle is gone.'),
      }),
    )
    .describe('What changed, by project, language and namespace.'),
})
const ResetShape = component('Reset', {
  revision: revision.nullable().describe('Where the stream goes on; null before the first commit.'),
})
const JobNewsShape = component('JobNews', {
  id: text('The id of the job.', 'kX3v9QeLr2Aa'),
  project: slug,
  state: like(z.enum(['queued', 'running', 'done', 'failed', 'cancelled']), 'running'),
  ...{ done: count('Texts that are through.', 60), of: count('Texts to translate.', 412) },
  ...{ written: count('Texts that it wrote.', 38), refused: count('Texts that the gate refused.') },
})

const EXAMPLE = `id: e4f927de68739af7dd1d2434857fa8223e4aed89
event: change
data: {"revision":"e4f927de68739af7dd1d2434857fa8223e4aed89","project":"web","author":{"name":"Ann","email":"ann@example.com"},"date":"2026-11-22T09:30:00.000Z","subject":"web de/common: update nav.home","bundles":[{"language":"de","namespace":"common","etag":"W/\\"1f7a7a472abf3dd9643fd615f6da379c4acb3e3a\\""}]}

`

const DESCRIPTION =
  'Server-sent events, one for each commit, in their order and each once. `id` is the revision, `event` is `change`, and ' +
  '`data` is a `Change` as JSON. An event is sent once its commit is durable and its writer was answered.\n\n' +
  'Without `Last-Event-ID` or `since` the stream begins now. If earlier events cannot be replayed (the revision is unknown, the ' +
  `history was rewritten, or more than ${MOST_BEHIND.toLocaleString('en')} commits followed), the server sends \`event: reset\` with a \`Reset\`: ` +
  'load again, and continue to listen. `event: job` with a `JobNews` says how far a job of machine translation is: it has no `id`, and ' +
  'only `GET …/jobs` has it later. A line arrives at least every 15 seconds. The stream ends when its credential does, when the ' +
  'reader is too slow, and when the server stops: connect again with the last id.'

const shape = {
  tags: ['Events'],
  security: [{ apiToken: [] }, { session: [] }] as Record<string, string[]>[],
  querystring: z.object({
    since: text(
      'The full id of a revision: first what came after it. `Last-Event-ID` counts before it.',
      'e4f927de68739af7dd1d2434857fa8223e4aed89',
    ).optional(),
  }),
  headers: z.object({
    'last-event-id': text(
      'The last id that was received: first what came after it. Browsers send it by themselves.',
      'e4f927de68739af7dd1d2434857fa8223e4aed89',
    ).optional(),
  }),
  response: {
    200: {
      description: 'Events without an end.',
      body: text('Lines of events and comments.', EXAMPLE),
      type: 'text/event-stream',
      events: z.union([ChangeShape, ResetShape, JobNewsShape]),
      headers: ['Cache-Control', 'X-Accel-Buffering'] as const,
    },
    ...denied,
    ...failures('unavailable'),
  },
}

/** Adds the routes to a scope behind `identify`. */
export function eventRoutes(app: FastifyInstance, streams: EventStreams): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply, slug?: string) => {
    const caller = requireCaller(request, 'read')
    const since = sinceOf(request)
    await app.store.read(caller.organization, snapshot => slug !== undefined && requireProject(snapshot, slug))
    if (request.method === 'GET') streams.admit(caller)
    reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      // nginx would hold events until its buffer is full.
      .header('x-accel-buffering', 'no')
    if (request.method === 'HEAD') return reply.send('')
    // Nothing follows a stream on its connection: that is free at its end.
    reply.header('connection', 'close')
    streams.open(reply, caller, slug, since)
    return reply
  }

  const all = {
    ...shape,
    operationId: 'streamEvents',
    summary: 'Every commit of the organization, as it comes',
    description: `${DESCRIPTION}\n\nFor a commit of a person's that touches several projects, \`project\` is null and each of the \`bundles\` has its own.`,
  }
  app.get('/api/events', { schema: all }, (request, reply) => answer(request, reply))

  const one = {
    ...shape,
    operationId: 'streamProjectEvents',
    summary: 'Every commit of a project, as it comes',
    description: `${DESCRIPTION}\n\nAfter the event of the project's deletion the stream ends.`,
    response: { ...shape.response, ...failures('not-found') },
  }
  app.get<OfProject>('/api/projects/:slug/events', { schema: one }, (request, reply) =>
    answer(request, reply, checkSlug(request.params.slug)),
  )
}

/** What the client had last. A header that is no id of ours gets a reset: the browser could not help it. */
function sinceOf(request: FastifyRequest): string | undefined {
  const asked = readOnce(request, 'since')
  const since = asked === undefined ? undefined : checkSince(asked)
  const last = request.headers['last-event-id']
  return last === undefined || last === '' ? since : String(last).toLowerCase()
}
