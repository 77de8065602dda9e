/** Request bodies as JSON (RFC 8259): UTF-8, a leading byte order mark skipped, of a repeated member the last. */
import { Failure } from './errors.ts'
import { parseJson } from './json.ts'

/** The fault of a body's header fields, in a sentence. Only JSON in UTF-8 without a content coding is accepted. */
export function mediaFault(contentType = '', contentEncoding?: string): string | undefined {
  const [type = '', ...parameters] = contentType.split(';').map(part => part.trim().toLowerCase())
  if (type !== 'application/json') return 'The body must be JSON: send Content-Type: application/json.'
  if (!parameters.every(parameter => /^(charset=("utf-?8"|utf-?8))?$/.test(parameter))) {
    return 'JSON is sent in UTF-8: the only parameter of its content type is charset=utf-8.'
  }
  // Identity as well: Content-Encoding must not name it (RFC 9110 §8.4).
  if (contentEncoding !== undefined) return 'The body must not be compressed: send it without Content-Encoding.'
  return undefined
}

/** Whether JSON is an object: no array, and not null. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A parsed body; `escapes`: its text has a backslash, so that strings may need JSON escapes. */
export interface ParsedBody {
  resource: unknown
  escapes: boolean
}

/** @throws Failure `invalid`; no message quotes the body */
export function parseBody(bytes: Uint8Array): ParsedBody {
  const text = decode(bytes)
  try {
    return { resource: parseJson(text), escapes: bytes.includes(0x5c) }
  } catch (error) {
    throw new Failure('invalid', `The body is not valid JSON${placeOfFault(text, (error as Error).message)}.`)
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('invalid', 'The body is not valid UTF-8.')
  }
}

/** Reads a body only for what {@link parseBody} throws. */
export function checkBody({ body }: { body: Uint8Array }): void {
  parseBody(body)
}

/** Where a text stops being JSON, to end a sentence. V8 places most faults, not unexpected tokens. */
function placeOfFault(text: string, message: string): string {
  const position = /at position (\d+)/.exec(message)?.[1]
  const at = position === undefined ? unexpectedToken(text) : Number(position)
  if (at >= text.length) return ': it ends before it is complete'
  const line = text.slice(0, at).split('\n').length
  return `, from character ${at} on (line ${line}, column ${at - text.lastIndexOf('\n', at - 1)})`
}

const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** The index of the first misplaced token, or the text's length. */
function unexpectedToken(text: string): number {
  const open: string[] = []
  /** What may come next; `v` is a value, `k` a key. */
  let expected = 'v'
  for (let at = 0; ; ) {
    while (isSpace(text.charCodeAt(at))) at++
    const sign = text[at]
    if (sign === undefined) return at
    let end = at + 1
    let kind = sign
    if (sign === '"') {
      end = endOfString(text, at)
      kind = expected.includes('k') ? 'k' : 'v'
    } else if (!'{}[]:,'.includes(sign)) {
      LITERAL.lastIndex = at
      if (!LITERAL.test(text)) return at
      end = LITERAL.lastIndex
      kind = 'v'
    }
    if (!expected.includes(kind === '{' || kind === '[' ? 'v' : kind)) return at
    if (kind === '{') expected = 'k}'
    else if (kind === '[') expected = 'v]'
    else if (kind === 'k') expected = ':'
    else if (kind === ':') expected = 'v'
    else if (kind === ',') expected = open.at(-1) === '{' ? 'k' : 'v'
    if (kind === '{' || kind === '[') open.push(kind)
    else if (kind === '}' || kind === ']' || kind === 'v') {
      if (kind !== 'v') open.pop()
      expected = open.length === 0 ? '' : open.at(-1) === '{' ? ',}' : ',]'
    }
    at = end
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** The end of a string, which V8 has checked. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text[before - 1] === '\\') before--
    if ((end - before) % 2 === 0) return end + 1
  }
  return text.length
}
