/** Who acts on the accounts, for the audit trail: SQLite's triggers ask while a statement runs. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Refusal } from './refusal.ts'

/** The author of an act; without user and operator, the client has not proven an identity. */
export interface Actor {
  /** Its path below /api/auth, or a word of our own. */
  path: string
  user?: { id: string; email: string }
  /** The client's IP address. */
  address?: string
  /** A command on the server's machine. */
  operator?: true
  /** Why it failed, where better-auth does not pass that on. */
  fault?: Refusal
  /** The hash of a new password, computed before its transaction. */
  hashed?: { password: string; hash: string }
  /** The deleted organization. Its data is still to be removed. */
  deleted?: string
}

const underWay = new AsyncLocalStorage<Actor | undefined>()

/** Undefined for writes of the server itself. */
export const currentActor = (): Actor | undefined => underWay.getStore()

/** Runs an act, with all that it awaits. */
export const actAs = <T>(actor: Actor | undefined, act: () => T): T => underWay.run(actor, act)
