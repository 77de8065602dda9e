/** Who asks: the rights of the caller's token or session, before the caller tries a write. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { TOKEN_SCOPES } from '../auth/access.ts'
import { Failure } from '../bundle/errors.ts'
import { requireCaller } from './requests/caller.ts'
import { RightsShape } from './requests/rights-shape.ts'
import { answer, component, denied, failures, like, text } from './requests/shapes.ts'
import { VERSION } from './version.ts'

const Who = component('Who', {
  organization: z.object({
    id: text('Its id.', 'oxbKBE03s4iLXqmtQ2GQ7GdqCy7EdkjI'),
    slug: text('Its slug.', 'acme'),
    name: text('Its name.', 'Acme'),
  }),
  kind: z.enum(['token', 'session']).describe('Which credential it is.'),
  name: text('Of the token, or of the user.', 'ci'),
  scope: z.enum(TOKEN_SCOPES).describe('What a token may do; a session has `write`.'),
  role: z.enum(['owner', 'admin', 'member']).optional().describe("The user's, with a session."),
  projects: like(z.array(z.string()).optional(), ['web']).describe(
    'The only projects that the token reaches; absent when it reaches all.',
  ),
  rights: RightsShape.optional().describe(
    'The languages that it may write; absent when nothing narrows the role or scope.',
  ),
  version: text('Of the server.', VERSION),
})

/** Adds the route to a scope behind `identify`. */
export function whoamiRoute(app: FastifyInstance): void {
  const security: Record<string, string[]>[] = [{ apiToken: [] }, { session: [] }]
  const schema = {
    tags: ['Tokens'],
    security,
    operationId: 'whoami',
    summary: 'The owner of a credential, and its rights',
    description: 'For a session and for a token. Tools call it first, to report a missing right at once.',
    response: { 200: answer(Who.describe('The caller.'), 'Cache-Control'), ...denied, ...failures('unavailable') },
  }
  app.get('/api/whoami', { schema, config: { showsWithin: true } }, (request, reply) => {
    const { organization: id, kind, name, scope, role, projects, rights } = requireCaller(request, 'read')
    const named = app.auth.named(id)
    // A session may outlive its organization for as long as its cookie is remembered.
    if (named === undefined) throw new Failure('forbidden', 'The organization of this credential is deleted.')
    const of = kind === 'session' ? { role } : { ...(projects && { projects }) }
    reply.send({
      organization: { id, ...named },
      kind,
      name,
      scope,
      ...of,
      ...(rights && { rights }),
      version: VERSION,
    })
  })
}
