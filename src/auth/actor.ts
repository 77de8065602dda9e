/** Who acts on the accounts, for the audit trail: SQLite's triggers ask while a statement runs. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Failure } from '../bundle/errors.ts'
import { databaseFailure } from './database.ts'
import type { Refusal } from './refusal.ts'

/** The author of an act; without user and operator, the client has not proven an identity. */
export interface Actor {
  /** Its path below /api/auth, or a word of our own; empty until the request is known to be an act. */
  path: string
  user?: { id: string; email: string }
  /** The client's IP address. */
  address?: string
  /** A command on the server's machine. */
  operator?: true
  /** Why it failed, where better-auth does not pass that on. */
  fault?: Refusal
  /** The last fault of the disk or the database server, which better-auth hides. */
  failure?: Failure
  /** The hash of a new password, computed before its transaction. */
  hashed?: { password: string; hash: string }
  /** The rights of the accepted invitation, as stored. The membership gets them as it is created. */
  rights?: string | null
  /** The deleted organization. Its data is still to be removed. */
  deleted?: string
}

const underWay = new AsyncLocalStorage<Actor | undefined>()

/** Undefined for writes of the server itself. */
export const currentActor = (): Actor | undefined => underWay.getStore()

/** Runs an act, with all that it awaits. */
export const actAs = <T>(actor: Actor | undefined, act: () => T): T => underWay.run(actor, act)

/** Called by the dialects with each error of the driver. */
export function noteFailure(error: unknown): void {
  const actor = currentActor()
  const failure = actor && databaseFailure(error)
  if (failure) actor.failure = failure
}

/** The facts of an act that the audit trail records. */
export interface ActorFacts {
  by: 'operator' | 'user' | 'nobody'
  path: string | undefined
  address: string | undefined
  id: string | undefined
  email: string | undefined
}

/** {@link ActorFacts} of an act; of none for a write of the server itself. */
export function actorFacts(actor: Actor | undefined): ActorFacts {
  const { path, address, user: { id, email } = {} } = actor ?? {}
  const by = actor?.operator ? 'operator' : actor?.user ? 'user' : 'nobody'
  return { by, path, address, id, email }
}
