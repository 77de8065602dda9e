/**
 * Reduces the work of password hashes in this process to a 256th: the hash is nine tenths of a sign-up.
 * A file that also starts servers as processes of their own hashes as they do, since both read the same accounts.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** Of `N`. In the plain lane passwords cost what they cost users. */
let factor = process.env.PLAIN ? 1 : 1 / 256
let hashes = 0
const { scrypt } = crypto

crypto.scrypt = ((password, salt, length, options, done) => {
  hashes++
  scrypt(password, salt, length, { ...options, N: (options.N ?? 2 ** 14) * factor }, done)
}) as (...given: Parameters<typeof scrypt>) => void as typeof scrypt
syncBuiltinESMExports()

/** Passwords cost from now on what they cost users. */
export function hashAsUsersDo(): void {
  factor = 1
}

/** The number of passwords hashed in this process so far. */
export const hashCount = (): number => hashes
