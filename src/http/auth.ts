/** better-auth on the wire: /api/auth/* as web requests, with Fastify's view of client address and scheme. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { membersOf } from '../auth/refusal.ts'
import { readBytes } from './requests/body.ts'
import { serverOrigin } from './requests/origin.ts'

/** Headers about this connection, or about a body handed on whole. */
const NOT_HANDED_ON = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'expect',
  'upgrade',
  'te',
])

/** Adds the routes. @param baseUrl as in Config */
export function authRoutes(app: FastifyInstance, baseUrl: string | undefined): void {
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url: '/api/auth/*',
    schema: { hide: true },
    handler: async (request, reply) => {
      const origin = serverOrigin(request, baseUrl)
      const outer = await webRequest(request, origin)
      const response = await app.auth.handle(
        outer,
        request.ip,
        origin.protocol === 'https:',
        request.protocol === 'https',
      )
      for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value)
      const cookies = response.headers.getSetCookie()
      if (cookies.length > 0) reply.header('set-cookie', cookies)
      const bytes = Buffer.from(await response.arrayBuffer())
      const { error } = response.status < 400 ? {} : (membersOf(bytes.toString()) as { error?: string })
      request.refusal = error ?? null
      return reply.code(response.status).send(bytes)
    },
  })
}

async function webRequest(request: FastifyRequest, origin: URL): Promise<Request> {
  const { method, headers } = request
  const url = new URL(origin.origin + request.url)
  const handedOn = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !NOT_HANDED_ON.has(name)) handedOn.set(name, [value].flat().join(', '))
  }
  const body = method === 'GET' || method === 'HEAD' ? undefined : await readBytes(request, request.server.limits.body)
  return new Request(url, { method, headers: handedOn, body: body?.length ? body : undefined })
}
