/** Whether the server is well: for probes and people, cheap, and telling strangers nothing about any organization. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Auth } from '../auth/auth.ts'
import type { Store } from '../store/store.ts'
import { callerIfKnown } from './caller.ts'

const Health = z.object({
  status: z
    .enum(['ok', 'degraded'])
    .describe('`degraded`: it serves, but files that someone edited outside break the rules.'),
  problems: z.int().describe('How many such files there are in all organizations.'),
  files: z
    .array(z.object({ path: z.string(), error: z.string() }))
    .optional()
    .describe('With a credential: those of your organization.'),
})

/** Adds the route. That it answers at all says that the server is live and ready: it listens only once everything is open. */
export function healthRoutes(app: FastifyInstance, store: Store, auth: Auth): void {
  const health = {
    tags: ['Server'],
    summary: 'Whether the server is well',
    security: [],
    response: { 200: Health.describe('Live and ready.') },
  }
  app.get('/api/health', { schema: health }, async (request, reply) => {
    const { problems } = store.status()
    const caller = await callerIfKnown(auth, request)
    // A problem without a path is the whole repository's, and its error is one of the system's: for the log alone.
    const files = problems
      .filter(({ organization, path }) => organization === caller?.organization && path !== '')
      .map(({ path, error }) => ({ path, error }))
    reply.header('cache-control', 'no-store')
    return { status: problems.length > 0 ? 'degraded' : 'ok', problems: problems.length, ...(caller ? { files } : {}) }
  })
}
