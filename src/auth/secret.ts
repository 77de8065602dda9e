/** The key that signs session cookies, stored in DATA_DIR/secret. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'

/** Fewer characters are guessable, or a write that a crash cut short. */
export const SHORTEST = 32

/**
 * A data folder's secret, created when missing (mode 0600, `wx`: simultaneous starts read the same).
 * @throws Failure `unavailable` when it is too short
 */
export function loadSecret(dataDir: string): string {
  const file = join(dataDir, 'secret')
  try {
    const descriptor = openSync(file, 'wx', 0o600)
    writeSync(descriptor, `${randomBytes(32).toString('base64url')}\n`)
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= SHORTEST) return secret
  throw new Failure(
    'unavailable',
    `The secret in ${file} is shorter than ${SHORTEST} characters: restore it, or remove the file. The server then creates one, and everyone signs in again.`,
  )
}
