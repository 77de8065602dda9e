/** The door for agents: the Model Context Protocol over POST, without sessions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Failure } from '../bundle/errors.ts'
import { type ApiCall, ApiRefusal } from '../mcp/api-call.ts'
import { nextTurn } from '../scheduling/slices.ts'
import { idOf } from './answers/conditional.ts'
import { readJson } from './requests/body.ts'
import { requireCaller } from './requests/caller.ts'
import { checkShape } from './requests/check-shape.ts'
import { clientGone } from './requests/client-gone.ts'
import { serverOrigin } from './requests/origin.ts'
import { denied, failures, text } from './requests/shapes.ts'
import { VERSION } from './version.ts'

const URL_PATH = '/api/mcp'
/** Bytes of a request: 500 texts. */
const MOST_BYTES = 2 ** 20
/** Headers of the protocol. */
const FORWARDED = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']

const Message = z
  .record(z.string(), z.unknown())
  .meta({ id: 'McpMessage', examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }] })

/** Adds the route to a scope of its own, before `identify`. @param baseUrl as in Config */
export function mcpRoute(app: FastifyInstance, baseUrl: string | undefined): void {
  const rejected = { description: 'A fault of the protocol, as JSON-RPC.', body: Message }
  const schema = {
    tags: ['Agents'],
    operationId: 'callMcp',
    summary: 'Tools for agents (Model Context Protocol)',
    description:
      'One message of JSON-RPC for each request: protocol 2026-07-28, and 2025-11-25 without a session. The token is sent ' +
      'as `x-api-key`, or as `Authorization: Bearer`. Each tool has the rights and limits of the routes that it calls.',
    security: [{ apiToken: [] }, { bearer: [] }] as Record<string, string[]>[],
    headers: z.object({ 'mcp-protocol-version': text('The protocol.', '2026-07-28').optional() }),
    body: Message,
    response: {
      200: { description: 'The answer, as JSON-RPC.', body: Message },
      202: { description: 'A notification arrived; it has no answer.' },
      ...denied,
      ...failures('too-large', 'unsupported-media', 'unavailable'),
      400: rejected,
      404: rejected,
      406: rejected,
    },
  }
  const config = { permission: 'read', readsBody: true, showsWithin: true, countsAsRead: true } as const
  app.post(URL_PATH, { schema, config, bodyLimit: MOST_BYTES }, async (request, reply) => {
    if (requireCaller(request, 'read').kind !== 'token') {
      throw new Failure('forbidden', 'Agents need an API token: send it in x-api-key, or as a bearer token.')
    }
    refuseOtherSites(request, baseUrl)
    const body = await readJson(request, MOST_BYTES)
    // A batch, which only versions before 2025-06-18 have, would multiply the limits of an answer.
    if (Array.isArray(body)) {
      const error = { code: -32_600, message: 'Send one message in a request.' }
      return reply.code(400).send({ jsonrpc: '2.0', id: null, error })
    }
    // It costs 30 MB of memory, which a server without agents saves.
    const { answerMcp } = await import('../mcp/answer-mcp.ts')
    const response = await answerMcp({
      request: new Request(new URL(URL_PATH, 'http://localhost'), {
        method: 'POST',
        headers: FORWARDED.flatMap(name =>
          request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]],
        ),
        signal: clientGone(reply),
      }),
      ...{ body, version: VERSION, check: checkShape, call: callerOf(reply), log: error => request.log.error(error) },
    })
    reply.code(response.status as 200)
    if (response.body === null) return reply.send()
    const bytes = Buffer.from(await response.arrayBuffer())
    const sent = app.encodings.encode(
      reply,
      idOf(bytes),
      () => bytes,
      () => undefined,
    )
    return reply.type('application/json; charset=utf-8').send(sent.bytes)
  })
}

/** Sends `Authorization: Bearer` on as `x-api-key`. */
export function acceptBearer(app: FastifyInstance): void {
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? []
    if (token !== undefined) headers['x-api-key'] ??= token
    done()
  })
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * A page of a browser may reach a server that no one else reaches (DNS rebinding): its Origin must be the server's.
 * @throws Failure `forbidden`
 */
function refuseOtherSites(request: FastifyRequest, baseUrl: string | undefined): void {
  const { origin } = request.headers
  if (origin === undefined) return
  const { hostname, origin: own } = serverOrigin(request, baseUrl)
  const isKnown = LOOPBACK.has(hostname) || (baseUrl !== undefined && new URL(baseUrl).origin === own)
  if (origin === own && isKnown) return
  throw new Failure('forbidden', 'This request comes from a page of another site.')
}

/**
 * Asks the routes of this server with the token of the request, so that no rule, right, limit or log line needs a
 * second place. The routes answer within one turn: many calls at once must not.
 */
function callerOf({ request, server }: FastifyReply): ApiCall {
  const key = String(request.headers['x-api-key'])
  return async ({ method, path, query = {}, body }) => {
    await nextTurn()
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
    const answer = await server.inject({
      ...{ method, url: path, query: Object.fromEntries(given), remoteAddress: request.ip },
      headers: { 'x-api-key': key, host: request.host },
      // The JSON of an object: without one there is no content type.
      ...(body !== undefined && { payload: body }),
    })
    const json = answer.json()
    if (answer.statusCode < 400) return json
    const after = answer.headers['retry-after']
    throw new ApiRefusal(answer.statusCode, json.error, after === undefined ? {} : { retryAfter: Number(after) })
  }
}
