/** An organization's API tokens, over a session only: list, mint, revoke. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { TOKEN_SCOPES } from '../auth/access.ts'
import { projectsOf } from '../auth/rights.ts'
import { Failure } from '../bundle/errors.ts'
import { jsonList } from './answers/json-list.ts'
import { actingIn, requireCaller } from './requests/caller.ts'
import { requireProjects } from './requests/require-projects.ts'
import { RightsShape } from './requests/rights-shape.ts'
import { answer, component, denied, failures, like, type Sends, text, time } from './requests/shapes.ts'

const scope = z.enum(TOKEN_SCOPES)
const id = text('The id of the token.', 'k3tR8sLq2vXw')
const name = text('1 to 100 characters after trimming.', 'ci')
const projects = like(z.array(z.string()), ['web'])
const NewToken = z
  .strictObject({
    name,
    scope: scope
      .optional()
      .describe(
        'What the token may do; default `write`. `read` gets 403 on any write, `add` on any but saveMissing (POST to a ' +
          'namespace), `suggest` on any but suggestions and comments (POST): it cannot spend money on machines.',
      ),
    projects: projects
      .optional()
      .describe(
        'Slugs of 1 to 100 projects that there are. All other projects are 404 to the token, and what is of the whole ' +
          'organization, such as a clone, is 403. Without it the token reaches every project.',
      ),
    rights: RightsShape.optional().describe(
      'The languages that the token may write; without it all. Every write that its scope allows is held to them.',
    ),
    expiresInDays: z.number().optional().describe('1 to 3650 whole days; without it the token does not expire.'),
  })
  .meta({ id: 'NewToken' })
const TokenRow = component('Token', {
  id,
  name,
  scope,
  projects: projects.optional().describe('The only projects that it reaches; absent when it reaches all.'),
  rights: RightsShape.optional().describe('What narrows its writes; absent when nothing does.'),
  start: text('The first 8 characters of the key.', 'prl_9f3K'),
  createdAt: time,
  createdBy: like(z.object({ id: z.string(), name: z.string() }).nullable(), {
    id: 'oxbKBE03s4iLXqmtQ2GQ7GdqCy7EdkjI',
    name: 'Ann',
  }),
  lastUsedAt: time.nullable(),
  expiresAt: like(time.nullable(), null),
})
const Minted = TokenRow.omit({ lastUsedAt: true })
  .extend({
    key: text('The token itself, shown this once.', 'prl_9f3Kq0YbVtWmZ1cR7uXhJdLs5NaPeG2iTo8BwCyFkQx'),
  })
  .meta({ id: 'MintedToken' })

/** Adds the routes to a scope behind `identify`. */
export function tokenRoutes(app: FastifyInstance): void {
  const { auth } = app
  const tags = ['Tokens']
  const security = [{ session: [] }]

  const list = {
    tags,
    security,
    operationId: 'listTokens',
    summary: 'List the API tokens of the organization',
    description: 'Every member may read it; a key is never shown again.',
    response: {
      200: z.object({ tokens: z.array(TokenRow) }).describe('Safe metadata, never a key or its hash.'),
      ...denied,
    },
  }
  app.get('/api/tokens', { schema: list, config: { permission: 'list-tokens' } }, async (request, reply) => {
    const caller = requireCaller(request, 'list-tokens')
    const list = await jsonList({}, 'tokens', await auth.tokens.list(caller.organization))
    return reply.type('application/json; charset=utf-8').send(list)
  })

  const mint = {
    tags,
    security,
    operationId: 'mintToken',
    summary: 'Mint an API token',
    description: 'Needs the role owner or admin. The key is in this answer and nowhere else.',
    body: NewToken,
    response: {
      201: answer(Minted.describe('The token with its key.'), 'Cache-Control'),
      ...denied,
      ...failures('conflict', 'too-large', 'unsupported-media', 'unavailable', 'no-space'),
    },
  }
  const config = { permission: 'manage-tokens' } as const
  app.post<Sends<typeof NewToken>>('/api/tokens', { schema: mint, config }, async (request, reply) => {
    const { name, scope = 'write', ...limits } = request.body
    const caller = requireCaller(request, 'manage-tokens')
    const asked = {
      organization: caller.organization,
      name,
      scope,
      ...limits,
      createdBy: { id: caller.id, name: caller.name },
    }
    const check = async () => {
      if (asked.projects) await requireProjects(app, caller.organization, asked.projects)
      if (asked.rights) await requireProjects(app, caller.organization, projectsOf(asked.rights), 'rights')
    }
    await check()
    const { lastUsedAt: _, ...minted } = await auth.mint(caller, asked, actingIn(request, caller), check)
    return reply.code(201).header('cache-control', 'no-store').send(minted)
  })

  const revoke = {
    tags,
    security,
    operationId: 'revokeToken',
    summary: 'Revoke an API token',
    description: 'Needs the role owner or admin; effective at once, and final.',
    params: z.object({ id }),
    response: { 204: { description: 'Revoked.' }, ...denied, ...failures('not-found', 'unavailable', 'no-space') },
  }
  app.delete<{ Params: { id: string } }>('/api/tokens/:id', { schema: revoke, config }, async (request, reply) => {
    const caller = requireCaller(request, 'manage-tokens')
    const { id } = request.params
    if (!(await auth.revoke(caller, id, actingIn(request, caller)))) {
      throw new Failure('not-found', 'There is no token of this id.')
    }
    return reply.code(204).send()
  })
}
