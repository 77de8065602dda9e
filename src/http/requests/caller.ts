/** Who asks, from the API token or the session cookie, and what each caller may do. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import {
  type Caller,
  notAMember,
  type Permission,
  permit,
  reaches,
  signInFirst,
  unknownToken,
} from '../../auth/access.ts'
import type { Actor } from '../../auth/actor.ts'
import type { Auth, SessionState } from '../../auth/auth.ts'
import { isCrossSite } from '../../auth/same-origin.ts'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { checkSlug } from '../../bundle/names.ts'
import { noProject } from '../../project/layout.ts'
import { markPrivate } from '../answers/conditional.ts'
import type { RequestLimits } from '../bounds/request-limits.ts'
import { serverOrigin } from './origin.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null for open routes, and before {@link identify} has run. */
    caller: Caller | null
  }
  interface FastifyContextConfig {
    /** The route, of no one project, shows a token that is limited to some only what is theirs, by {@link reaches}. */
    showsWithin?: true
  }
}

/** What a right is asked for: a request, or work in the background that a request has begun. */
export interface PermittedRequest {
  caller: Caller | null
  params: unknown
  routeOptions: { url?: string | undefined; config: { permission?: Permission; showsWithin?: true } }
}

type OnRequest = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/**
 * The hook that admits only known callers. An `x-api-key` is judged alone, cookie or not; the organization comes only
 * from the credential. It has a callback, since tokens, the most frequent case, are checked synchronously.
 * @param baseUrl as in Config @param limits without them requests are not counted
 */
export function identify(auth: Auth, baseUrl: string | undefined, limits: RequestLimits | undefined): OnRequest {
  const refuse = (request: FastifyRequest, error: unknown) =>
    limits && error instanceof Failure && error.code === 'unauthenticated' ? limits.refuse(request, error) : error
  const admit = (request: FastifyRequest, caller: Caller) => {
    request.caller = caller
    const excess = limits?.excess(caller, isRead(request) ? 'read' : 'write')
    if (excess === undefined) keepWithin(request, caller)
    return excess
  }
  return (request, reply, done) => {
    markPrivate(reply)
    const key = request.headers['x-api-key']
    if (key === undefined) {
      callerOfSession(auth, request, reply, baseUrl).then(
        caller => done(admit(request, caller)),
        error => done(refuse(request, error) as Error),
      )
      return
    }
    const caller = auth.tokens.verify(String(key))
    if (caller !== undefined) done(admit(request, caller))
    else done(refuse(request, unknownToken(String(key))) as Error)
  }
}

/** Whether a request only reads. */
export const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'

/** An open route's caller: undefined for strangers, invalid credentials, and while rights cannot be known. */
export async function callerIfKnown(request: FastifyRequest): Promise<Caller | undefined> {
  const { auth } = request.server
  if (!request.server.mayRead()) return undefined
  const key = request.headers['x-api-key']
  if (key !== undefined) return auth.tokens.verify(String(key))
  // Looked for without one, it would cost the first answer of a server 20 ms: Node loads undici for `Headers`.
  if (request.headers.cookie === undefined) return undefined
  const state = await auth.session(cookiesOf(request), request.protocol === 'https')
  return state?.organization ? callerOf(state, state.organization) : undefined
}

/**
 * Limits a token to its projects. Any other project is not found. A route without a project is forbidden unless its
 * config has `showsWithin`. A project's name in a path is always `:slug`.
 * @throws Failure `not-found` or `forbidden`
 */
export function keepWithin(request: PermittedRequest, caller: Caller): void {
  const { projects } = caller
  if (projects === undefined) return
  const { slug } = request.params as { slug?: string }
  if (slug === undefined) {
    if (request.routeOptions.config.showsWithin) return
    const words = `This API token reaches only ${quoteSome([...projects])}, and this needs all projects of the organization.`
    throw new Failure('forbidden', words)
  }
  // The same answer for an existing and a missing project.
  if (!reaches(caller, checkSlug(slug))) throw noProject(slug)
}

/** The caller of a route behind {@link identify}. @throws Failure `forbidden` without the route's permission */
export function requireCaller(request: PermittedRequest, permission: Permission): Caller {
  const { caller } = request
  if (caller === null) throw new Error(`${request.routeOptions.url} is not behind identify()`)
  permit(caller, permission)
  return caller
}

/** Who acts on API tokens by this request, for the audit trail. */
export const actingIn = ({ ip }: FastifyRequest, { id, email }: Caller): Actor => ({
  path: 'tokens',
  user: { id, email },
  address: ip,
})

async function callerOfSession(auth: Auth, request: FastifyRequest, reply: FastifyReply, baseUrl?: string) {
  const origin = serverOrigin(request, baseUrl)
  const state = await auth.session(cookiesOf(request), origin.protocol === 'https:', request.protocol === 'https')
  if (state === null) throw signInFirst()
  if (state.setCookies.length > 0) reply.header('set-cookie', state.setCookies)
  if (!isRead(request) && isCrossSite(sourceOf(request, origin))) {
    throw new Failure('forbidden', 'This write comes from a page of another site: cookies do not work from there.')
  }
  if (state.organization) return callerOf(state, state.organization)
  if (state.problem === 'not-a-member') throw notAMember()
  throw new Failure('forbidden', 'You belong to no organization: create one, or accept an invitation to one.')
}

function callerOf(
  { id: session, user }: SessionState,
  { id, ...standing }: NonNullable<SessionState['organization']>,
): Caller {
  return { ...user, kind: 'session', session, scope: 'write', organization: id, ...standing }
}

function cookiesOf({ headers }: FastifyRequest): Headers {
  return new Headers(headers.cookie === undefined ? {} : { cookie: headers.cookie })
}

/** The headers with the origin of a browser's request. */
function sourceOf({ headers }: FastifyRequest, { host }: URL): Headers {
  const source = new Headers({ host })
  for (const name of ['origin', 'sec-fetch-site']) {
    const value = headers[name]
    if (typeof value === 'string') source.set(name, value)
  }
  return source
}
