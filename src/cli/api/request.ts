/** HTTP requests by Node's own client, which loads faster than `fetch`. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import type { Readable } from 'node:stream'
import { isLoopback } from '../config/url.ts'

/** An answer. The caller reads its body. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: Readable
}

/** A request. Redirects are not followed. */
export interface Request extends Pick<RequestOptions, 'method' | 'headers' | 'signal'> {
  body?: string | undefined
}

/** Maximum milliseconds to connect. */
const MAX_CONNECT = 10_000
/** Maximum milliseconds without a byte. A server that lets a client wait sends one every 15 s. */
const MAX_SILENCE = 300_000

/** Within one machine compression costs more than it saves. Brotli would delay the first byte. */
const codingFor = ({ hostname }: URL) => (isLoopback(hostname) ? 'identity' : 'gzip')

/** @throws Error with the `code` of the system or of TLS. The body of an interrupted answer fails in the same way. */
export async function request(url: URL, { body, headers, ...rest }: Request): Promise<Reply> {
  const { request: open } = url.protocol === 'https:' ? await import('node:https') : await import('node:http')
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    const accept = { 'accept-encoding': codingFor(url), ...headers }
    const sent = open(url, { ...rest, headers: accept, timeout: MAX_SILENCE }, resolve).on('error', reject)
    sent.on('timeout', () => sent.destroy(timedOut()))
    limitConnecting(sent)
    sent.end(body)
  })
  const { statusCode, headers: answered } = message
  return { status: statusCode!, headers: answered, body: await decoded(message) }
}

function limitConnecting(sent: ClientRequest): void {
  const late = setTimeout(() => sent.destroy(timedOut()), MAX_CONNECT)
  const done = () => clearTimeout(late)
  sent.once('close', done).once('socket', socket => {
    if (socket.connecting) socket.once('connect', done)
    else done()
  })
}

const timedOut = () => Object.assign(new Error('No answer in time.'), { code: 'ETIMEDOUT' })

async function decoded(message: IncomingMessage): Promise<Readable> {
  if (message.headers['content-encoding'] !== 'gzip') return message
  const [{ createGunzip }, { pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')])
  return pipeline(message, createGunzip({ chunkSize: 2 ** 18 }), () => {})
}

/** The code of the error for a body above the limit. */
export const TOO_LARGE = 'TOO_LARGE'

/** Reads a body. @param most maximum bytes @throws Error with the code {@link TOO_LARGE} */
export function bytesOf({ body }: Reply, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  // Events instead of an iterator, which would copy waiting parts.
  body.on('data', (part: Buffer) => {
    length += part.length
    if (length > most) body.destroy(Object.assign(new Error('The body is too large.'), { code: TOO_LARGE }))
    else parts.push(part)
  })
  return new Promise((resolve, reject) => body.on('error', reject).on('end', () => resolve(Buffer.concat(parts))))
}
