/** Read-only clone and fetch by git's smart HTTP protocol (gitprotocol-http(5)) at `/api/translations.git`. */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Auth } from '../auth/auth.ts'
import { Failure } from '../bundle/errors.ts'
import type { UploadPack, UploadRequest } from '../store/git/upload-pack.ts'
import type { ReadOnlyStore } from '../store/store.ts'
import { REVALIDATED } from './answers/conditional.ts'
import { claimantOf, noRoom } from './bounds/body-memory.ts'
import type { RequestLimits } from './bounds/request-limits.ts'
import { readBytes } from './requests/body.ts'
import { keepWithin, requireCaller } from './requests/caller.ts'
import { clientGone } from './requests/client-gone.ts'
import { type Answer, denied, failures, text } from './requests/shapes.ts'

const PATH = '/api/translations.git'
const UPLOAD = 'git-upload-pack'
const RECEIVE = 'git-receive-pack'

/** Bytes of a request, packed and unpacked, as in git's own server (`http.maxRequestBuffer`). */
const REQUEST_LIMIT = 10 * 2 ** 20

/**
 * Milliseconds without progress before the server disconnects a client. Progress shows in steps of up to a megabyte, as
 * the system's send buffer drains: a shorter time would disconnect slow lines.
 */
const STALLED_MS = 120_000

const READ_ONLY =
  'This repository is read-only over git: write through the API ' +
  '(PUT /api/projects/:slug/bundles/:lang/:ns, see /api/docs), and every write becomes a commit.'

const unzip = promisify(gunzip)

const gitBytes = text("Lines of git's own.", '0014command=ls-refs\n0000')
const bytes = (description: string, kind: string): Answer => ({
  description,
  body: gitBytes,
  type: `application/x-${UPLOAD}-${kind}`,
  headers: ['Cache-Control'],
})

/** Adds the routes in a scope of their own, with authorization. @param options for tests: see {@link STALLED_MS} */
export function gitRoutes(
  app: FastifyInstance,
  store: ReadOnlyStore,
  auth: Auth,
  uploadPack: UploadPack,
  { stalledMs = STALLED_MS, limits }: { stalledMs?: number; limits?: RequestLimits } = {},
): void {
  const tags = ['Clone']
  const security: Record<string, string[]>[] = [{ basic: [] }, { apiToken: [] }]
  const common = { ...denied, ...failures('unsupported', 'unavailable') }
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', REVALIDATED).header('vary', 'Authorization, X-API-Key')
    request.caller = callerOfGit(auth, request, limits)
    const excess = limits?.excess(request.caller, 'read')
    // The repository holds all projects.
    if (excess === undefined) keepWithin(request, request.caller)
    done(excess)
  })
  app.addHook('onSend', sentenceForGit)

  const answer = async (request: FastifyRequest, reply: FastifyReply, type: string, body: UploadRequest['body']) => {
    const { organization } = requireCaller(request, 'read')
    const protocol = protocolOf(request.headers['git-protocol'])
    await uploadPack.answer(
      { body, protocol, signal: clientGone(reply), claimant: claimantOf(request) },
      use => store.readGit(organization, use),
      output => {
        // Only protocol 2 starts without naming the service.
        if (body === null && protocol !== 2) output.unshift(`001e# service=${UPLOAD}\n0000`)
        reply.raw.setTimeout(stalledMs, () => {
          // When nothing waits for the client, it is git that is silent.
          if (reply.raw.writableLength + output.readableLength > 0) reply.raw.destroy()
          else reply.raw.setTimeout(stalledMs)
        })
        reply.type(type).send(output)
      },
    )
    return reply
  }

  const advertise = {
    tags,
    security,
    operationId: 'beginClone',
    summary: 'Begin a clone or fetch: what git asks first',
    description:
      "`git clone <base>/api/translations.git` clones the organization's repository: any user name, an API token as " +
      'password. It holds every write that was acknowledged before.',
    querystring: z.object({ service: z.literal(UPLOAD).describe('What git asks for: to fetch.') }),
    response: { 200: bytes("git's advertisement.", 'advertisement'), ...common },
  }
  app.get<{ Querystring: { service?: unknown } }>(`${PATH}/info/refs`, { schema: advertise }, (request, reply) => {
    const { service } = request.query
    if (service === RECEIVE) throw new Failure('forbidden', READ_ONLY)
    if (service !== UPLOAD) {
      throw new Failure('invalid', `Only the smart protocol is spoken here: ask with ?service=${UPLOAD}.`)
    }
    return answer(request, reply, `application/x-${UPLOAD}-advertisement`, null)
  })

  const upload = {
    tags,
    security,
    operationId: 'clone',
    summary: 'Clone or fetch: what git asks next',
    description: `The body is git's own, of type \`application/x-${UPLOAD}-request\`, gzip or not.`,
    body: gitBytes,
    consumes: [`application/x-${UPLOAD}-request`],
    response: {
      200: bytes("git's answer, with the pack in it.", 'result'),
      ...common,
      ...failures('too-large', 'unsupported-media'),
    },
  }
  app.post(`${PATH}/${UPLOAD}`, { schema: upload }, async (request, reply) => {
    const body = await readRequest(request)
    return answer(request, reply, `application/x-${UPLOAD}-result`, body)
  })

  app.post(`${PATH}/${RECEIVE}`, { schema: { hide: true } }, () => {
    throw new Failure('forbidden', READ_ONLY)
  })
}

/** The token's caller. No cookies: no browser page may clone by one. */
function callerOfGit(auth: Auth, request: FastifyRequest, limits?: RequestLimits) {
  const { headers } = request
  const key = headers['x-api-key'] ?? passwordOf(headers.authorization)
  const caller = key === undefined ? undefined : auth.tokens.verify(String(key))
  if (caller !== undefined) return caller
  const refusal = new Failure(
    'unauthenticated',
    key === undefined
      ? 'Send an API token: as the password of any user name, or in x-api-key.'
      : 'The API token is unknown, expired or revoked.',
    // git then asks for user name and password.
    { challenge: 'Basic realm="Parlance"' },
  )
  // Every clone begins without a token, so only wrong ones are counted.
  throw key === undefined || limits === undefined ? refusal : limits.refuse(request, refusal)
}

/** Basic authentication's password (RFC 7617). */
function passwordOf(authorization = ''): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const [, password] = /^[^:]*:([\s\S]*)$/.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  return password
}

/** The client's version (gitprotocol-v2(5)), by default the oldest. */
function protocolOf(header: string | string[] | undefined): UploadRequest['protocol'] {
  const version = /^version=([012])$/.exec(String(header))?.[1]
  return Number(version ?? 0) as UploadRequest['protocol']
}

/**
 * The whole request: streamed, it could deadlock, as git's server reads and writes at once and its client does not; and
 * slow senders must not hold a process.
 */
async function readRequest(request: FastifyRequest): Promise<Buffer> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (type.trim().toLowerCase() !== `application/x-${UPLOAD}-request`) {
    throw new Failure('unsupported-media', `The body must be of type application/x-${UPLOAD}-request.`)
  }
  const coding = encoding.trim().toLowerCase()
  if (!['identity', 'gzip', 'x-gzip'].includes(coding)) {
    throw new Failure('unsupported-media', 'The body may be compressed with gzip alone.')
  }
  const bytes = await readBytes(request, REQUEST_LIMIT)
  if (coding === 'identity') return bytes
  try {
    const unpacked = await unzip(bytes, { maxOutputLength: REQUEST_LIMIT })
    if (!request.server.bodies.hold(request, unpacked.length)) throw noRoom()
    return unpacked
  } catch (error) {
    if (error instanceof Failure) throw error
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new Failure('too-large', `The body is larger than ${REQUEST_LIMIT.toLocaleString('en')} bytes, unpacked.`)
    }
    throw new Failure('invalid', 'The body is not valid gzip.')
  }
}

/** git shows its users refusals in plain text only. */
async function sentenceForGit(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode < 400 || typeof payload !== 'string') return payload
  if (!/^git\//.test(request.headers['user-agent'] ?? '')) return payload
  reply.type('text/plain; charset=utf-8').removeHeader('content-length')
  return `${JSON.parse(payload).error}\n`
}
