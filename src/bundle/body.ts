/** The bytes of a request's body as JSON (RFC 8259): UTF-8, a leading byte order mark skipped, of a member named twice the last. */
import { Failure } from './errors.ts'

/** A body once parsed; `escapes` tells whether its text has a backslash, without which no string in it holds what JSON escapes. */
export interface Body {
  resource: unknown
  escapes: boolean
}

/** @throws Failure `invalid`; no message quotes the body */
export function parseBody(bytes: Buffer): Body {
  const text = decode(bytes)
  try {
    return { resource: JSON.parse(text), escapes: bytes.includes(0x5c) }
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message)?.[1]
    throw new Failure('invalid', `The body is not valid JSON${position ? `, from character ${position} on` : ''}.`)
  }
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('invalid', 'The body is not valid UTF-8.')
  }
}
