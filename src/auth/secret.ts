/** The key that signs session cookies: made at the first start, kept in DATA_DIR/secret. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../bundle/errors.ts'

/** Fewer characters than this are guessable, or the rest of a write that a crash cut short. */
export const SHORTEST = 32

/**
 * The secret of a data folder, made when there is none (mode 0600; by `wx` two starts at once read the same).
 * Sessions survive a restart because it does.
 * @throws Failure `unavailable` when the file holds too little to be a secret
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
    `The secret in ${file} is shorter than ${SHORTEST} characters: restore it, or remove the file to have a new one made, after which everyone signs in again.`,
  )
}
