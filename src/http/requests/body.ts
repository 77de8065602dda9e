/** Request bodies: bytes within a limit, and JSON in UTF-8. */
import type { FastifyRequest } from 'fastify'
import { mediaFault, parseBody } from '../../bundle/body.ts'
import { Failure } from '../../bundle/errors.ts'
import type { Config } from '../../config.ts'
import { slices } from '../../scheduling/slices.ts'
import { BodyBuffer, noRoom } from '../bounds/body-memory.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The largest bodies, in bytes. */
    limits: Config['limits']
  }
}

/**
 * The body's bytes. @throws Failure `too-large` past `limit` bytes, `invalid` when the connection breaks,
 * `unavailable` when all bodies together need too much memory
 */
export function readBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  const { raw } = request
  const tooLarge = () =>
    new Failure('too-large', `The body is larger than ${limit.toLocaleString('en')} bytes, the maximum of this route.`)
  const expected = Number(request.headers['content-length'])
  if (expected > limit) return Promise.reject(tooLarge())
  const broken = () => new Failure('invalid', 'The connection closed before the whole body had arrived.')
  // Its events are over: a client may leave while its right is looked up.
  if (raw.destroyed) return Promise.reject(broken())
  return new Promise((resolve, reject) => {
    const body = new BodyBuffer()
    const settle = (act: () => void) => {
      raw.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken)
      act()
    }
    const drop = (failure: Failure) => {
      request.server.bodies.release(request)
      settle(() => reject(failure))
    }
    const onData = (chunk: Buffer) => {
      body.add(chunk)
      if (body.length > limit) drop(tooLarge())
      else if (!request.server.bodies.hold(request, chunk.length, drop)) drop(noRoom())
    }
    const onEnd = () => {
      request.server.bodies.arrived(request)
      settle(() => resolve(body.bytes()))
    }
    const onBroken = () => {
      // Unheard errors end the process, and a socket may report several.
      raw.on('error', () => {})
      settle(() => reject(broken()))
    }
    raw.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken)
  })
}

/**
 * The body as JSON, see {@link parseBody}; no message quotes it. @throws Failure `unsupported-media`, `too-large` or
 * `invalid`
 */
export async function readJson(request: FastifyRequest, limit: number): Promise<unknown> {
  const bytes = await readJsonBytes(request, limit)
  const pause = slices()
  if (countTokens(bytes) > MOST_TOKENS) throw tooManyTokens()
  const wait = unfold(request, bytes)
  if (wait) await wait
  const { resource } = parseBody(bytes)
  await pause()
  return resource
}

/** Strings, brackets and commas of a body that the main thread parses. 10,000 names cost some 10 ms. */
const MOST_TOKENS = 80_000

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const TOKENS = new Set(Buffer.from('{[,'))

/** Counts no further than {@link MOST_TOKENS}. */
function countTokens(bytes: Buffer): number {
  let count = 0
  for (let at = 0; at < bytes.length && count <= MOST_TOKENS; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) {
      count++
      at = endOfText(bytes, at)
    } else if (TOKENS.has(byte)) count++
  }
  return count
}

/** The index of the quote that ends a string; the end of the bytes where none does. */
function endOfText(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(QUOTE, from + 1); end !== -1; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end
    while (bytes[before - 1] === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

const tooManyTokens = () =>
  new Failure(
    'too-large',
    `The body has more than ${MOST_TOKENS.toLocaleString('en')} strings, brackets and commas: send less in a request.`,
  )

/** A JSON body's bytes, unparsed. @throws Failure as {@link readJson} does */
export async function readJsonBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  const { headers } = request
  refuseEmpty(request)
  const fault = mediaFault(headers['content-type'], headers['content-encoding'])
  if (fault !== undefined) throw new Failure('unsupported-media', fault)
  const bytes = await readBytes(request, limit)
  if (bytes.length === 0) throw emptyBody('JSON')
  return bytes
}

/** Waits, if needed, for room for a body as objects, see BodyMemory. Call it once for a request. */
export function unfold(request: FastifyRequest, bytes: Buffer): Promise<void> | undefined {
  return request.server.bodies.unfold(request, bytes.length)
}

/** @throws Failure `invalid` for a request without a body @param type what to send */
export function refuseEmpty({ headers }: FastifyRequest, type = 'JSON'): void {
  if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) throw emptyBody(type)
}

function emptyBody(type: string): Failure {
  return new Failure('invalid', `The body is empty: send ${type}.`)
}
