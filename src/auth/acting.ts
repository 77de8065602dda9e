/** Who acts on the accounts at this moment, for the audit trail: SQLite's triggers ask while a statement runs. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Refusal } from './refusal.ts'

/** The one who acts, as far as it is known; without a user and not by the operator, nobody has proven who they are. */
export interface Acting {
  /** What is being done: the path below /api/auth, or a word of our own. */
  path: string
  user?: { id: string; email: string }
  /** The IP address of the client. */
  address?: string
  /** By a command on the server's machine. */
  operator?: true
  /** Why it failed, where better-auth does not hand it on. */
  fault?: Refusal
  /** The hash of a new password, made before the transaction that stores it. */
  hashed?: { password: string; hash: string }
  /** The organization that was deleted by it, whose data is still to be put away. */
  deleted?: string
}

const underWay = new AsyncLocalStorage<Acting | undefined>()

/** Undefined for writes that nobody has taken upon themselves. */
export const whoActs = (): Acting | undefined => underWay.getStore()

/** Runs an act, with all that it waits for. */
export const actAs = <T>(acting: Acting | undefined, act: () => T): T => underWay.run(acting, act)
