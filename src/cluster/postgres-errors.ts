/** What PostgreSQL's error codes (its Appendix A) and the driver's errors mean here. */
import { noTurn } from '../auth/database.ts'
import { Failure } from '../bundle/errors.ts'

const AWAY = 'The database of the cluster cannot be reached: try again soon.'

/** The failure for an engine that does not answer. Nothing was written. */
export const engineAway = (cause?: unknown): Failure =>
  Object.assign(new Failure('unavailable', AWAY, { retryAfter: 2 }), { cause })

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code)

/** Whether PostgreSQL itself refused a statement so, and the connection goes on: all of it is then undone. */
export const isOfSql = (error: unknown) =>
  /^[0-9A-Z]{5}$/.test(codeOf(error)) && !/^(08|28|57P|25P03|53300|XX)/.test(codeOf(error))

/** Whether another transaction held what a statement needed for too long: it did nothing. */
export const isHeldUp = (error: unknown) => codeOf(error) === '55P03'

/** A server that has become a standby. */
export const isOfPrimary = (error: unknown) => codeOf(error) === '25006'

/** No connection, PostgreSQL is starting, ending or a standby, or this node is no member of the cluster. */
const NOT_REACHED = /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0[23]|25006|53300|PN001)$/
/** A connection broke off, or two acts collided: the client tries again. */
const LOST = /^(?:ECONNRESET|EPIPE|ETIMEDOUT|08...|57P01|57P05|25P03|40001|40P01)$/

/** What the driver says, without a code, of a connection that broke off, or on which no answer came in time. */
const NOT_QUERYABLE =
  /^(?:Query read timeout|Connection terminated|Client (?:has encountered a connection error|was closed))/

/** An error of the accounts' statements as its public failure, where the server is at fault; others as they are. */
export function accountsFailure(error: unknown): unknown {
  const cause = codeOf(error)
  if (cause === '53100') {
    return new Failure('no-space', 'The database server has no disk space left; nothing was written.', { cause })
  }
  if (NOT_REACHED.test(cause)) {
    const words = 'The database of the accounts cannot be reached now; nothing was written.'
    return new Failure('unavailable', words, { cause, retryAfter: 1 })
  }
  if (isHeldUp(error)) return noTurn()
  if (LOST.test(cause) || NOT_QUERYABLE.test(String((error as Error | null)?.message))) {
    const words = 'The database of the accounts was lost just then: look whether it was written before you try again.'
    return new Failure('unavailable', words, { cause, retryAfter: 1, doubtful: true })
  }
  return error
}
