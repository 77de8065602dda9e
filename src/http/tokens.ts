/** An organization's API tokens, over a session only: list, mint, revoke. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Caller } from '../auth/access.ts'
import type { Acting } from '../auth/acting.ts'
import type { Auth } from '../auth/auth.ts'
import { Failure } from '../bundle/errors.ts'
import { checkShape, readJson } from './body.ts'
import { requireCaller } from './caller.ts'
import { readFlags } from './query.ts'
import { answer, component, denied, failures, like, text, time } from './shapes.ts'

const scope = z.enum(['read', 'write'])
const id = text('The id of the token.', 'k3tR8sLq2vXw')
const name = text('1 to 100 characters after trimming.', 'ci')
const NewToken = z
  .strictObject({
    name,
    scope: scope.optional().describe('`read` tokens get 403 on any write; default `write`.'),
    expiresInDays: z.number().optional().describe('1 to 3650 whole days; without it the token does not expire.'),
  })
  .meta({ id: 'NewToken' })
const TokenRow = component('Token', {
  id,
  name,
  scope,
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

/** Adds the routes to a scope behind `identify`. @param bodyLimit in bytes */
export function tokenRoutes(app: FastifyInstance, auth: Auth, bodyLimit: number): void {
  const { tokens } = auth
  const tags = ['Tokens']
  const security = [{ session: [] }]

  const list = {
    tags,
    security,
    operationId: 'listTokens',
    summary: 'List the API tokens of the organization',
    response: {
      200: z.object({ tokens: z.array(TokenRow) }).describe('Safe metadata, never a key or its hash.'),
      ...denied,
    },
  }
  app.get('/api/tokens', { schema: list }, (request, reply) => {
    const caller = requireCaller(request, 'list-tokens')
    reply.send({ tokens: tokens.list(caller.organization) })
  })

  const mint = {
    tags,
    security,
    operationId: 'mintToken',
    summary: 'Mint an API token',
    description: 'Takes the role owner or admin. The key is in this answer and nowhere else.',
    body: NewToken,
    response: {
      201: answer(Minted.describe('The token with its key.'), 'Cache-Control'),
      ...denied,
      ...failures('too-large', 'unsupported-media', 'unavailable', 'no-space'),
    },
  }
  app.post('/api/tokens', { schema: mint }, async (request, reply) => {
    const caller = requireCaller(request, 'manage-tokens')
    readFlags(request, [])
    const { name, scope = 'write', expiresInDays } = checkShape(NewToken, await readJson(request, bodyLimit))
    const asked = {
      organization: caller.organization,
      name,
      scope,
      ...(expiresInDays === undefined ? {} : { expiresInDays }),
      createdBy: { id: caller.id, name: caller.name },
    }
    const { lastUsedAt: _, ...minted } = await auth.change(() => {
      auth.recheck(caller, 'manage-tokens')
      return tokens.mint(asked, actingIn(request, caller))
    })
    return reply.code(201).header('cache-control', 'no-store').send(minted)
  })

  const revoke = {
    tags,
    security,
    operationId: 'revokeToken',
    summary: 'Revoke an API token',
    description: 'Takes the role owner or admin; effective at once, and final.',
    params: z.object({ id }),
    response: { 204: { description: 'Revoked.' }, ...denied, ...failures('not-found', 'unavailable', 'no-space') },
  }
  app.delete<{ Params: { id: string } }>('/api/tokens/:id', { schema: revoke }, async (request, reply) => {
    const caller = requireCaller(request, 'manage-tokens')
    readFlags(request, [])
    const { id } = request.params
    if (!(await auth.revoke(caller, id, actingIn(request, caller)))) {
      throw new Failure('not-found', 'There is no token of this id.')
    }
    return reply.code(204).send()
  })
}

const actingIn = ({ ip }: FastifyRequest, { id, email }: Caller): Acting => ({
  path: 'tokens',
  user: { id, email },
  address: ip,
})
