/** JSON bodies under /api/auth, read by the same rules as all others. */
import { Refusal } from './refusal.ts'

/** The members of a JSON object. */
export type Body = Record<string, unknown>

/**
 * The body as JSON, if any. No forms, which pages of other sites can send unasked.
 * @throws Refusal 415 for another type, charset or encoding, 400 for what is no JSON object in UTF-8
 */
export async function readBody(request: Request): Promise<Body | undefined> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  checkType(request.headers)
  const text = tried(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes), 'The body is not valid UTF-8.')
  const members: unknown = tried(() => JSON.parse(text), 'The body is not valid JSON.')
  if (typeof members === 'object' && members !== null && !Array.isArray(members)) return members as Body
  throw new Refusal(400, 'INVALID_JSON', 'The body must be a JSON object.')
}

function checkType(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const charset = parameters.find(parameter => parameter.startsWith('charset='))?.slice('charset='.length)
  const isUtf8 = charset === undefined || /^"?utf-8"?$/.test(charset)
  if (type === 'application/json' && isUtf8 && !headers.has('content-encoding')) return
  const words = 'The body must be JSON in UTF-8, not encoded, with Content-Type: application/json.'
  throw new Refusal(415, 'UNSUPPORTED_MEDIA_TYPE', words)
}

function tried<T>(read: () => T, fault: string): T {
  try {
    return read()
  } catch {
    throw new Refusal(400, 'INVALID_JSON', fault)
  }
}
