/** The JSON body of a request under /api/auth, read by the same rules as every other body of Parlance. */
import { Refusal } from './refusal.ts'

/** A JSON object as text, which is handed on, and as its members, which are judged. */
export interface Body {
  /** Without a byte order mark. */
  text: string
  members: Record<string, unknown>
}

/**
 * The body as JSON; undefined when there is none. Forms are not taken, although better-auth would: a page of another site can send those unasked.
 * @throws Refusal 415 for another type, charset or encoding, 400 for what is no JSON object in UTF-8
 */
export async function readBody(request: Request): Promise<Body | undefined> {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  checkType(request.headers)
  const text = decode(bytes)
  return { text, members: parse(text) }
}

function checkType(headers: Headers): void {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim())
  const charset = parameters.find(parameter => parameter.startsWith('charset='))?.slice('charset='.length)
  const isUtf8 = charset === undefined || /^"?utf-8"?$/.test(charset)
  if (type === 'application/json' && isUtf8 && !headers.has('content-encoding')) return
  throw new Refusal(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'The body must be JSON in UTF-8, not encoded, with Content-Type: application/json.',
  )
}

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(400, 'INVALID_JSON', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'INVALID_JSON', 'The body is not valid JSON.')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Refusal(400, 'INVALID_JSON', 'The body must be a JSON object.')
}
