/** Conditional requests (RFC 9110 §13): entity tags, 304, 412, and headers against shared caches. */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../bundle/errors.ts'
import { claimantOf } from '../bounds/body-memory.ts'

/** What a request is conditional on: a git object id, and whether the thing exists (as `*` demands). */
export interface CurrentEntity {
  id: string
  exists: boolean
}

/** The caller may store the answer, and revalidates it each time. */
export const REVALIDATED = 'private, no-cache'
/** The caller may store the answer for good: a year, to caches (RFC 8246, RFC 9111 §1.2.2). */
export const IMMUTABLE = 'private, max-age=31536000, immutable'

const JSON_TYPE = 'application/json; charset=utf-8'

/** The entity tag of a git object: weak, as a compressing proxy changes the bytes. */
export function entityTag(id: string): string {
  return `W/"${id}"`
}

/** An entity tag's id for what is no git object: from its bytes, or from the names of its ingredients. */
export function idOf(content: Buffer | string): string {
  return createHash('sha1').update(content).digest('hex')
}

/** Marks an answer as the caller's own: revalidated each time, never given to others. */
export function markPrivate(reply: FastifyReply): void {
  reply.header('cache-control', REVALIDATED)
  addVary(reply, 'Cookie, X-API-Key')
}

/** Adds request headers that the answer depends on. */
export function addVary(reply: FastifyReply, names: string): void {
  const named = reply.getHeader('vary')
  reply.header('vary', named === undefined ? names : `${names}, ${named}`)
}

/**
 * Tags the answer to a read of this id.
 * @param isCoded whether its bytes are compressed for a client that accepts it, by {@link sendEntity}
 * @returns whether the client has it, and was answered with 304
 */
export function sendUnchanged(reply: FastifyReply, id: string, isCoded = false): boolean {
  const { request } = reply
  const etag = entityTag(id)
  reply.header('etag', etag)
  if (!isKnown(request, id)) return false
  if (isCoded) request.server.encodings.spare(reply)
  request.server.answerCache.keep(reply, etag)
  reply.code(304).send()
  return true
}

/**
 * Answers a read of this id: 304 when the client has it, else its bytes, rendered only then, compressed if accepted.
 * @param variant distinguishes presentations of the same thing
 * @param again finds the bytes later, if it can; it stays in memory with all that it holds
 */
export function sendEntity(
  reply: FastifyReply,
  id: string,
  bytes: () => Buffer,
  variant = '',
  again: () => Buffer | undefined = bytes,
  type = JSON_TYPE,
): void {
  const { request } = reply
  const { answers, answerCache, encodings } = request.server
  if (sendUnchanged(reply, id, true)) return
  const etag = entityTag(id)
  reply.header('content-type', type)
  const sent = encodings.encode(reply, contentOf(request, id, variant), bytes, again)
  if (sent.again) answerCache.keep(reply, etag, sent.again)
  answers.hold(claimantOf(request), reply.raw, sent.bytes)
  reply.send(sent.bytes)
}

/** As {@link sendEntity}: a JSON body under the id of its own bytes. */
export function sendJson(reply: FastifyReply, body: object): void {
  const bytes = json(body)
  sendEntity(reply, idOf(bytes), () => bytes)
}

/** A body's bytes. */
export const json = (body: object): Buffer => Buffer.from(JSON.stringify(body))

/** The name in the cache of encodings: per organization, lest timing reveal what others hold. */
const contentOf = ({ caller }: FastifyRequest, id: string, variant: string) =>
  `${caller?.organization ?? ''} ${id}${variant}`

/**
 * As {@link sendEntity}, for costly bytes, which are cached.
 * @param render returns them, now or later
 * @param options `mayThrow`: rendering may show that the name is unknown, and then there is no 304 either; `type` if
 * not JSON
 */
export function sendRendered(
  reply: FastifyReply,
  id: string,
  render: () => Buffer | Promise<Buffer>,
  variant: string,
  { mayThrow = false, type }: { mayThrow?: boolean; type?: string } = {},
): Promise<void> | void {
  const { request } = reply
  const { encodings } = request.server
  const content = contentOf(request, id, variant)
  const needed = (mayThrow || !isKnown(request, id)) && !encodings.has(request, content)
  const made = needed ? render() : undefined
  const again = encodings.finding(content)
  const send = (bytes?: Buffer) =>
    sendEntity(reply, id, () => encodings.rendered(content, () => bytes!), variant, again, type)
  return made instanceof Promise ? made.then(send) : send(made)
}

/**
 * Checks a write's preconditions, inside its transaction. Weak tags count too: ours name content, so that equal tags
 * are equal bytes.
 * @param what the thing, for the message
 * @throws Failure `stale` with the present entity tag
 */
export function checkPreconditions(headers: FastifyRequest['headers'], present: CurrentEntity, what = 'bundle'): void {
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers
  const etag = entityTag(present.id)
  if (wanted !== undefined && !matches(wanted, present)) {
    throw new Failure('stale', `The ${what} is not what If-Match says: read it again, then decide.`, { etag })
  }
  if (unwanted !== undefined && matches(unwanted, present)) {
    throw new Failure('stale', `The ${what} is already there as If-None-Match says.`, { etag })
  }
}

/**
 * Answers with something costly that its name determines: 304 when the client has it.
 * @param name such as full commit ids; `exact` when the caller gave those, who may then store it for good
 * @param make `variant` as for {@link sendEntity}
 */
export async function sendNamed(
  reply: FastifyReply,
  { name, exact }: { name: unknown; exact: boolean },
  make: () => Promise<{ body: object; variant?: string }>,
): Promise<FastifyReply> {
  const id = idOf(JSON.stringify(name))
  if (exact) reply.header('cache-control', IMMUTABLE)
  try {
    const { body, variant = '' } = isKnown(reply.request, id, false) ? { body: {} } : await make()
    sendEntity(reply, id, () => json(body), variant)
    return reply
  } catch (error) {
    reply.header('cache-control', REVALIDATED)
    throw error
  }
}

/** Whether the client has this. @param exists whether `*` says so, too */
function isKnown({ headers }: FastifyRequest, id: string, exists = true): boolean {
  const known = headers['if-none-match']
  return known !== undefined && matches(known, { id, exists })
}

/** Whether a list of entity tags, or `*`, names what is present. */
export function matches(field: string, { id, exists }: CurrentEntity): boolean {
  // Nearly always one tag of ours: checked before parsing a list.
  if (field === `W/"${id}"`) return true
  if (field.trim() === '*') return exists
  for (const [, opaque] of field.matchAll(/(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"/g)) if (opaque === id) return true
  return false
}
