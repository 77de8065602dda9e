/** A new password: from standard input or random, never from the command line, which all users see. */
import { randomBytes } from 'node:crypto'
import { Failure } from '../bundle/errors.ts'
import type { Terminal } from './report.ts'

/** More than any password rule allows. */
const LIMIT = 4096

/** @throws Failure `invalid` when standard input holds no password, or more than one line */
export async function newPassword(
  { input }: Terminal,
  options: { passwordStdin?: boolean },
): Promise<{ password: string; generated: boolean }> {
  if (!options.passwordStdin) return { password: randomBytes(18).toString('base64url'), generated: true }
  const bytes = await readAll(input())
  const password = decode(bytes).replace(/\r?\n$/, '')
  if (password === '') throw new Failure('invalid', 'No password came on standard input.')
  if (/[\r\n]/.test(password)) throw new Failure('invalid', 'More than one line came on standard input.')
  return { password, generated: false }
}

async function readAll(input: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of input) {
    parts.push(part)
    length += part.length
    if (length > LIMIT) throw new Failure('invalid', 'What came on standard input is too long for a password.')
  }
  return Buffer.concat(parts)
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failure('invalid', 'The password on standard input is not UTF-8.')
  }
}
