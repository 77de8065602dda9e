/** Failures on the wire: one table from code to status, and one shape `{ "error": <sentence> }`. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { databaseFailure } from '../../auth/database.ts'
import { Failure, type FailureCode } from '../../bundle/errors.ts'
import { systemFailure } from '../../store/disk.ts'
import { CONNECTION_TIMEOUTS } from '../bounds/connections.ts'
import { RAW_HEADERS } from './security-headers.ts'

/** The status of each kind of failure (RFC 9110 §15.5, §15.6; 429, 431: RFC 6585; 507: RFC 4918 §11.5). */
export const STATUS: Record<FailureCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  stale: 412,
  'too-large': 413,
  'unsupported-media': 415,
  unfit: 422,
  'too-many': 429,
  'too-many-headers': 431,
  unsupported: 501,
  'bad-gateway': 502,
  unavailable: 503,
  'no-space': 507,
}

/** Fastify's and Node's refusals in our words: theirs quote the request or name their options. */
const refusals: Record<string, { status: number; error: string }> = {
  FST_ERR_BAD_URL: { status: 400, error: 'The path is not valid: percent-encode it as UTF-8.' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 414, error: 'A segment of the path is too long.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { status: 415, error: 'The content type is not valid: send application/json.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { status: 400, error: 'The body is not as long as its Content-Length.' },
  HPE_HEADER_OVERFLOW: { status: 431, error: 'The request line and headers are too long together.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, error: 'The chunk extensions of the body are too long.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, error: 'The request did not arrive in time.' },
  // Ours: `connections.ts` reports it.
  ANSWER_TIMEOUT: {
    status: 503,
    error: `The server has no answer after ${CONNECTION_TIMEOUTS.idle / 1000} s. A write may still succeed: read its result before you send it again.`,
  },
}

/** Answers all failures of `app`'s routes, hooks and unknown paths in the one shape. */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler(answerFailure)
  app.setNotFoundHandler((request, reply) => answerFailure(nothingHere(request.url), request, reply))
}

/** The failure for a path without a route, perhaps only for a slash at its end. */
export function nothingHere(url = ''): Failure {
  return new Failure(
    'not-found',
    /[^/]\/+(\?|$)/.test(url)
      ? 'There is nothing at this path: it ends with a slash, leave that away.'
      : 'There is nothing at this path: see /api/docs for what there is.',
  )
}

/** Answers a failure: ours by the table, Fastify's by status, others as a 500 with only its log id. */
export function answerFailure(error: Error, request: FastifyRequest, reply: FastifyReply): void {
  const failure = error instanceof Failure ? error : (databaseFailure(error) ?? systemFailure(error))
  // It belongs to what could not be read.
  reply.removeHeader('etag')
  if (failure) {
    const status = STATUS[failure.code]
    // The client is to retry: that is no fault of the server's, and there may be thousands.
    if (status >= 500 && failure.data.retryAfter === undefined)
      request.log.error({ reqId: request.id, err: error }, 'request failed')
    addHeaders(reply, failure)
    const { etag, bundles, fault } = failure.data
    const present = failure.code !== 'stale' ? { fault } : bundles === undefined ? { etag } : { bundles }
    sendError(reply, status, failure.message, present)
    return
  }
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  const known = refusals[code]
  if (known) sendError(reply, known.status, known.error)
  else if (statusCode >= 400 && statusCode < 500) {
    sendError(reply, statusCode, `The request was refused: ${STATUS_CODES[statusCode] ?? 'bad request'}.`)
  } else {
    request.log.error({ reqId: request.id, err: error }, 'request failed')
    sendError(reply, 500, `The server failed to answer; its log says why under request ${request.id}.`)
  }
}

/** Answers `{ "error": message }` with its headers, and lets a client still writing read it. */
export function sendError(reply: FastifyReply, status: number, message: string, more = {}): void {
  const { request } = reply
  if (!request.raw.complete) readAway(request.raw)
  request.refusal = message
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: message, ...more }))
}

/** Answers what Node's HTTP parser refuses: bad syntax, long headers, an endless request; and slow answers. */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const refusal = refusals[error.code ?? ''] ?? { status: 400, error: 'The request is not valid HTTP.' }
  const body = JSON.stringify({ error: refusal.error })
  if (!socket.writable) return void socket.destroy()
  socket.end(
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n${RAW_HEADERS}Connection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  )
}

const CHALLENGE = 'ApiKey realm="Parlance", header="x-api-key"'

function addHeaders(reply: FastifyReply, { code, data }: Failure): void {
  // RFC 9110 §15.5.2 wants a challenge on every 401; ours opens no browser's password prompt.
  if (code === 'unauthenticated') reply.header('www-authenticate', data.challenge ?? CHALLENGE)
  if (typeof data.retryAfter === 'number') reply.header('retry-after', String(Math.max(1, Math.ceil(data.retryAfter))))
  if (code === 'stale' && typeof data.etag === 'string') reply.header('etag', data.etag)
}

/** How much of a refused body is read, so that its client sees the answer; `quiet`: without a byte. */
const READ_AWAY = { bytes: 64 * 2 ** 20, milliseconds: 15_000, quietMilliseconds: 1_000 }

/**
 * Reads an unwanted body within bounds, then cuts. Closing with bytes unread resets the connection, and a client still
 * writing would miss the answer.
 */
function readAway(raw: IncomingMessage): void {
  const { socket } = raw
  // A request of this server to itself has no connection.
  if (!('destroy' in socket)) return
  raw.on('error', () => {})
  // A gone connection brings nothing more, and the timer would hold its memory.
  if (raw.destroyed || socket.destroyed) return
  const most = socket.bytesRead + READ_AWAY.bytes
  const timer = setTimeout(() => socket.destroy(), READ_AWAY.milliseconds).unref()
  // Node closes an unkept connection once the answer is out: not while more is coming, either.
  let quiet: NodeJS.Timeout | undefined
  socket.destroySoon = () => {
    quiet = setTimeout(() => socket.destroy(), READ_AWAY.quietMilliseconds).unref()
  }
  const onData = () => {
    quiet?.refresh()
    if (socket.bytesRead > most) socket.destroy()
  }
  const through = () => {
    raw.off('data', onData).off('close', through).off('end', through)
    clearTimeout(timer)
    clearTimeout(quiet)
    Reflect.deleteProperty(socket, 'destroySoon')
    if (quiet) socket.destroySoon()
  }
  raw.on('data', onData).on('close', through).on('end', through)
  raw.resume()
}
