/** Failures as codes with data; http/answers/errors.ts alone maps codes to HTTP statuses. */

/**
 * What kind of failure it is.
 * - `invalid`: the request is malformed: a bad name, an unknown field, JSON that does not parse
 * - `unauthenticated`: no valid credential
 * - `forbidden`: a valid credential that may not do this
 * - `not-found`: nothing of that name in the caller's organization
 * - `conflict`: the name exists, or differs only in case from an existing one
 * - `stale`: a precondition (`If-Match`) did not hold; `data.etag` is the present entity tag, or `data.bundles` has
 *   the tags of several bundles
 * - `too-large`: the body is past its limit
 * - `unsupported-media`: not JSON in UTF-8, or content-encoded
 * - `unfit`: well-formed, but not native i18next v4 JSON, or a value that does not fit its key
 * - `too-many`: a rate limit; `data.retryAfter` is in seconds
 * - `too-many-headers`: more header lines than a request may have
 * - `unsupported`: the server lacks a program that this needs (system git)
 * - `bad-gateway`: a machine translator that this server asked does not answer as it should
 * - `unavailable`: cannot be done now, may work later
 * - `no-space`: the disk is full
 */
export type FailureCode =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'conflict'
  | 'stale'
  | 'too-large'
  | 'unsupported-media'
  | 'unfit'
  | 'too-many'
  | 'too-many-headers'
  | 'unsupported'
  | 'bad-gateway'
  | 'unavailable'
  | 'no-space'

/** A failure for the caller: one sentence that names the culprit and says what would be right. */
export class Failure extends Error {
  override name = 'Failure'
  readonly code: FailureCode
  readonly data: Record<string, unknown>

  constructor(code: FailureCode, message: string, data: Record<string, unknown> = {}) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** The failure of what may work a little later. @param seconds after which to try again */
export const busy = (message: string, seconds = 1) => new Failure('unavailable', message, { retryAfter: seconds })

/** The failure of what begins while the server ends. */
export const stopping = () => busy('The server is shutting down.')
