/** One HTTP request and its answer by Node's own client, of which less is loaded than of `fetch`. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { isLoopback } from '../config/url.ts'

/** An answer whose body is the caller's to read. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

/** A request; it is not redirected anywhere. */
export interface Request extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  body?: string | undefined
}

/** Nobody listens where a connection takes longer, in ms. */
const CONNECT = 10_000
/** After so many ms without a byte nothing more comes: the server says something every 15 s where it lets one wait. */
const SILENCE = 300_000

/** Compressing takes longer than sending within one machine. Else gzip: of Brotli the first byte waits for the last one. */
const codingFor = ({ hostname }: URL) => (isLoopback(hostname) ? 'identity' : 'gzip')

/** @throws Error with the `code` of the system or of TLS, when no answer comes; so does the body of one that is cut off */
export async function request(url: URL, { body, headers, ...rest }: Request): Promise<Reply> {
  const { request: open } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const accept = { 'accept-encoding': codingFor(url), ...headers }
    const sent = open(url, { ...rest, headers: accept, timeout: SILENCE }, resolve).on('error', reject)
    sent.on('timeout', () => sent.destroy(timedOut()))
    limitConnecting(sent)
    sent.end(body)
  })
  const { statusCode, headers: answered } = message
  return { status: statusCode!, headers: answered, body: await decoded(message) }
}

function limitConnecting(sent: ClientRequest): void {
  const late = setTimeout(() => sent.destroy(timedOut()), CONNECT)
  const done = () => clearTimeout(late)
  sent.once('close', done).once('socket', socket => {
    if (socket.connecting) socket.once('connect', done)
    else done()
  })
}

const timedOut = () => Object.assign(new Error('It takes too long.'), { code: 'ETIMEDOUT' })

async function decoded(message: IncomingMessage): Promise<Readable> {
  if (message.headers['content-encoding'] !== 'gzip') return message
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')])
  return pipeline(message, createGunzip({ chunkSize: 2 ** 18 }), () => {})
}

/** The code of the error for a body that is larger than was asked for. */
export const TOO_LARGE = 'TOO_LARGE'

/** All of a body. @param most bytes of it @throws Error with the code {@link TOO_LARGE} */
export function bytesOf({ body }: Reply, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  // As they come: an iterator would copy what waits meanwhile.
  body.on('data', (part: Buffer) => {
    length += part.length
    if (length > most) body.destroy(Object.assign(new Error('The body is too large.'), { code: TOO_LARGE }))
    else parts.push(part)
  })
  return new Promise((resolve, reject) => body.on('error', reject).on('end', () => resolve(Buffer.concat(parts))))
}
