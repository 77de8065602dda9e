/** JSON bodies under /api/auth, read by the same rules as all others. */
import { isObject, mediaFault, parseBody } from '../bundle/body.ts'
import { Refusal } from './refusal.ts'

/** The members of a JSON object. */
export type JsonBody = Record<string, unknown>

/**
 * The body as JSON, if any. No forms, which pages of other sites can send unasked.
 * @throws Refusal 415 for another type, charset or encoding, 400 for what is no JSON object in UTF-8
 */
export async function readBody(request: Request): Promise<JsonBody | undefined> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  const field = (name: string) => request.headers.get(name) ?? undefined
  const fault = mediaFault(field('content-type'), field('content-encoding'))
  if (fault !== undefined) throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', fault)
  const members = parsed(new Uint8Array(bytes))
  if (isObject(members)) return members
  throw new Refusal(400, 'INVALID_JSON', 'The body must be a JSON object.')
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseBody(bytes).resource
  } catch (error) {
    throw new Refusal(400, 'INVALID_JSON', (error as Error).message)
  }
}
