/** The server's health, for probes and people: cheap, and without data of organizations for strangers. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { type Caller, reaches } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import type { Backup, BackupStatus } from '../store/backup/backup.ts'
import { sendError } from './answers/errors.ts'
import type { NodeStatus } from './answers/node-status.ts'
import { callerIfKnown } from './requests/caller.ts'
import { component, like, text } from './requests/shapes.ts'

const problems = like(
  z.int().describe('How many such files, repositories and tasks there are in all organizations.'),
  0,
)
const cluster = z
  .object({
    engine: z.enum(['ok', 'away']).describe('Whether the database that the nodes share answers.'),
    fresh: z
      .boolean()
      .describe('Whether this node knows all that was acknowledged; its reads are marked as stale else.'),
    leaseAge: z
      .number()
      .nullable()
      .describe('Seconds since its lease, which lasts for two, was last renewed; null before the first time.'),
    lag: z.int().describe("Writes of other nodes that are not in this one's git yet."),
    nodes: z
      .array(
        z.object({
          url: z.string(),
          own: z.boolean().describe('Whether it is the one that answers.'),
          seen: z.number().describe('Seconds since it said that it lives.'),
        }),
      )
      .describe('The nodes that serve.'),
  })
  .describe('In a cluster, for an owner by session: the state of its nodes.')
const Health = component('Health', {
  status: z
    .enum(['ok', 'degraded'])
    .describe(
      '`degraded`: the server answers, but something needs attention: refused external edits, a damaged repository, a failing background task, or old backups.',
    ),
  problems,
  files: z
    .array(z.object({ path: z.string(), error: z.string() }))
    .optional()
    .describe('With a credential: those of your organization, as far as it reaches.'),
  tasks: z
    .array(z.object({ name: z.string(), error: z.string() }))
    .optional()
    .describe(
      "With a credential: what fails at present of the server's work in the background, for your organization or for all. It is tried again by itself.",
    ),
  backup: z
    .object({
      state: z
        .enum(['ok', 'pending', 'failing', 'diverged', 'off'])
        .describe(
          '`diverged`: the remote has something of its own, which is not overwritten. `off`: there is no remote.',
        ),
      lastSuccess: z.iso.datetime().nullable().describe('When your organization was last pushed.'),
      lag: z.number().describe('Seconds since its oldest change that is not pushed; 0 when there is none.'),
      error: z.string().optional().describe('Why it fails, or why a restore from it would.'),
      lastCheck: z.iso
        .datetime()
        .optional()
        .describe(
          'When it was last fetched from the remote and looked at as a restore would; absent before the first time.',
        ),
    })
    .optional()
    .describe('For an owner by session: the backup of your organization. Absent on a node that does not push it.'),
  cluster: cluster.optional(),
})
const Unwell = component('Unwell', {
  error: text('Why.', 'The disk is full.'),
  status: z
    .literal('failing')
    .optional()
    .describe('Nothing can be written; reads go on. Absent while the server stops.'),
  problems: problems.optional(),
  cluster: cluster.optional(),
})
const Live = z.object({ status: z.literal('ok') })

/** Adds the routes. The server listens only once all is open, so any answer means live. */
export function healthRoutes(
  app: FastifyInstance,
  backup: () => Backup | 'elsewhere' | undefined,
  cluster: NodeStatus | undefined,
): void {
  const { store, background } = app
  /** An organization opens at its first use. Its refused files are known after that, for the next answer. */
  const open = (organization: string) => {
    if (store.snapshot(organization) !== undefined) return
    background.once('opening an organization', () => store.read(organization, () => {}).catch(() => {}))
  }
  const common = { tags: ['Server'], security: [] }
  const health = {
    ...common,
    operationId: 'getHealth',
    summary: 'Whether the server is well',
    description: 'Tests at most every five seconds whether the disk accepts writes.',
    response: {
      200: Health.describe('Live, and ready to read and write.'),
      503: Unwell.describe('Live, but nothing can be written.'),
    },
  }
  app.get('/api/health', { schema: health }, async (request, reply) => {
    const { problems } = store.status()
    const failing = background.problems()
    const count = problems.length + failing.length
    reply.header('cache-control', 'no-store')
    const failure = (await store.unwritable()) ?? (cluster?.isAway ? engineAway : undefined)
    const caller = await callerIfKnown(request)
    if (failure)
      return sendFailing(reply, failure, { problems: count, ...(caller && (await clusterOf(caller, cluster))) })
    // Without a path it is the whole repository's, with a system error: for the log alone.
    const own = problems.filter(({ organization }) => organization === caller?.organization)
    if (caller && own.length === 0) open(caller.organization)
    const files = own
      .filter(({ path }) => path !== '')
      .filter(({ path }) => reaches(caller!, path.split('/')[0]!))
      .map(({ path, error }) => ({ path, error }))
    // A task is the whole organization's, and its error may name any project.
    const isOwn = (organization: string) => organization === caller?.organization && caller.projects === undefined
    const tasks = failing
      .filter(({ organization }) => organization === undefined || isOwn(organization))
      .map(({ name, error }) => ({ name, error }))
    const status = count > 0 || isTroubled(backup()) ? 'degraded' : 'ok'
    const more = caller && {
      files,
      ...(tasks.length > 0 && { tasks }),
      ...backupOf(caller, backup()),
      ...(await clusterOf(caller, cluster)),
    }
    return { status, problems: count, ...more }
  })

  const live = {
    ...common,
    operationId: 'getLive',
    summary: 'Whether the server runs',
    description: 'For what restarts a server that hangs: a full disk is nothing that a restart would mend.',
    response: { 200: Live.describe('It runs.') },
  }
  app.get('/api/health/live', { schema: live }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
}

const isTroubled = (backup: Backup | 'elsewhere' | undefined) => backup !== 'elsewhere' && backup?.troubled

/** The organization's backup, for its signed-in owners only. */
function backupOf({ kind, role, organization }: Caller, backup: Backup | 'elsewhere' | undefined) {
  if (kind !== 'session' || role !== 'owner' || backup === 'elsewhere') return {}
  const off: BackupStatus = { state: 'off', lastSuccess: null, lag: 0 }
  const { lastSuccess, lastCheck, ...status } = backup?.status(organization) ?? off
  return {
    backup: {
      ...status,
      lastSuccess: lastSuccess === null ? null : new Date(lastSuccess).toISOString(),
      ...(lastCheck === undefined ? {} : { lastCheck: new Date(lastCheck).toISOString() }),
    },
  }
}

/** The nodes, likewise. */
async function clusterOf({ kind, role }: Caller, cluster: NodeStatus | undefined) {
  if (cluster === undefined || kind !== 'session' || role !== 'owner') return {}
  const { engine, isFresh: fresh, leaseAge, lag, nodes } = await cluster.status()
  return { cluster: { engine, fresh, leaseAge, lag, nodes } }
}

const engineAway = new Failure(
  'unavailable',
  'The database of the cluster cannot be reached, so nothing can be written. Reads go on for READS_WITHOUT_ENGINE.',
)

/** Reports a fault of the disk or the database, without naming an organization. */
function sendFailing(reply: FastifyReply, failure: Failure, more: object): FastifyReply {
  sendError(reply, 503, failure.message, { status: 'failing', ...more })
  return reply
}
