/** The database's errors, which better-auth hides, by the request of the failed statement. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Failure } from '../bundle/errors.ts'
import { databaseFailure } from './database.ts'

/** What {@link withHiddenErrors} hands to a request. */
export interface HiddenErrors {
  /** The last one, if the disk or the database server is at fault. */
  last?: Failure
}

const underWay = new AsyncLocalStorage<HiddenErrors>()

/** Runs a request, with all that it awaits. */
export function withHiddenErrors<T>(run: (hidden: HiddenErrors) => T): T {
  const hidden: HiddenErrors = {}
  return underWay.run(hidden, () => run(hidden))
}

/** Called by the dialects with each error of the driver. Outside of a request the error reaches its caller. */
export function noteHiddenError(error: unknown): void {
  const hidden = underWay.getStore()
  const failure = hidden && databaseFailure(error)
  if (failure) hidden.last = failure
}
