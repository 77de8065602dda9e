/** Whether the server is well: for probes and people, cheap, and telling strangers nothing about any organization. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../auth/access.ts'
import type { Auth } from '../auth/auth.ts'
import type { Failure } from '../bundle/errors.ts'
import type { Backup, BackupStatus } from '../store/backup/backup.ts'
import type { Store } from '../store/store.ts'
import { callerIfKnown } from './caller.ts'
import { sendError } from './errors.ts'

const problems = z.int().describe('How many such files there are in all organizations.')
const Health = z.object({
  status: z
    .enum(['ok', 'degraded'])
    .describe(
      '`degraded`: it serves, but files that someone edited outside break the rules, a repository is damaged, or backups have failed for long.',
    ),
  problems,
  files: z
    .array(z.object({ path: z.string(), error: z.string() }))
    .optional()
    .describe('With a credential: those of your organization.'),
  backup: z
    .object({
      state: z
        .enum(['ok', 'pending', 'failing', 'diverged', 'off'])
        .describe(
          '`diverged`: the remote has something of its own, which is not overwritten. `off`: there is no remote.',
        ),
      lastSuccess: z.iso.datetime().nullable().describe('When your organization was last pushed.'),
      lag: z.number().describe('Seconds since its oldest change that is not pushed; 0 when there is none.'),
      error: z.string().optional().describe('Why it fails.'),
    })
    .optional()
    .describe('For an owner by session: how the backup of your organization does.'),
})
const Unwell = z.object({
  error: z.string().describe('Why.'),
  status: z.literal('failing').describe('Nothing can be written; reads go on.'),
  problems,
})
const Live = z.object({ status: z.literal('ok') })

/** Adds the routes. The server listens only once everything is open, so that to answer at all is to be live. */
export function healthRoutes(app: FastifyInstance, store: Store, auth: Auth, backup: Backup | undefined): void {
  const common = { tags: ['Server'], security: [] }
  const health = {
    ...common,
    summary: 'Whether the server is well',
    description: 'Tries at most every five seconds whether the disk takes writes.',
    response: {
      200: Health.describe('Live, and ready to read and write.'),
      503: Unwell.describe('Live, but nothing can be written.'),
    },
  }
  app.get('/api/health', { schema: health }, async (request, reply) => {
    const { problems } = store.status()
    reply.header('cache-control', 'no-store')
    const failure = await store.unwritable()
    if (failure) return tell(request, reply, failure, problems.length)
    const caller = await callerIfKnown(auth, request)
    // A problem without a path is the whole repository's, and its error is one of the system's: for the log alone.
    const files = problems
      .filter(({ organization, path }) => organization === caller?.organization && path !== '')
      .map(({ path, error }) => ({ path, error }))
    const status = problems.length > 0 || backup?.troubled ? 'degraded' : 'ok'
    return { status, problems: problems.length, ...(caller ? { files, ...backupOf(caller, backup) } : {}) }
  })

  const live = {
    ...common,
    summary: 'Whether the server runs',
    description: 'For what restarts a server that hangs: a full disk is nothing that a restart would mend.',
    response: { 200: Live.describe('It runs.') },
  }
  app.get('/api/health/live', { schema: live }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )
}

/** How the backup of the caller's organization does; nothing for whoever is not its owner, signed in. */
function backupOf({ kind, role, organization }: Caller, backup: Backup | undefined) {
  if (kind !== 'session' || role !== 'owner') return {}
  const off: BackupStatus = { state: 'off', lastSuccess: null, lag: 0 }
  const { lastSuccess, ...status } = backup?.status(organization) ?? off
  return { backup: { ...status, lastSuccess: lastSuccess === null ? null : new Date(lastSuccess).toISOString() } }
}

/** Says what is wrong with the disk, and nothing of whose data is on it. */
function tell(request: FastifyRequest, reply: FastifyReply, failure: Failure, problems: number): FastifyReply {
  sendError(request, reply, 503, failure.message, { status: 'failing', problems })
  return reply
}
