/** The shapes on the wire that several routes share, as zod schemas: OpenAPI describes the API with them, and small bodies are checked by them. */
import { z } from 'zod'
import type { FailureCode } from '../bundle/errors.ts'
import { STATUS } from './errors.ts'

const sentence = z.string().describe('One sentence that names the culprit and says what would be right.')
const ErrorBody = z.object({ error: sentence })
const StaleBody = ErrorBody.extend({
  etag: z.string().describe('The present entity tag of what the precondition is about.'),
})

const meanings: Record<FailureCode, string> = {
  invalid: 'A path segment, query parameter or body that is not valid.',
  unauthenticated: 'No valid credential: missing, unknown, expired or revoked.',
  forbidden: 'A valid credential that may not do this, or a cookie sent from a page of another site.',
  'not-found': 'Not found, or of another organization: the two are the same.',
  conflict: 'The name is taken, or differs only in case from one that is.',
  stale: 'A precondition (`If-Match`, `If-None-Match`) does not hold; nothing was written.',
  'too-large': 'The body is past its limit.',
  'unsupported-media': 'The body is not `application/json` in UTF-8, or it is compressed.',
  unfit: 'Not native i18next v4 JSON, or a value that does not fit its key. At most ten keys are named.',
  'too-many': 'Too many requests; `Retry-After` says when to come back.',
  unsupported: 'This server lacks what it takes.',
  unavailable: 'Cannot be done now; it may work later.',
  'no-space': 'The disk of the server is full.',
}

/** The error answers of a route by status, for its `schema.response`. */
export function failures(...codes: FailureCode[]): Record<number, z.ZodType> {
  return Object.fromEntries(
    codes.map(code => [STATUS[code], (code === 'stale' ? StaleBody : ErrorBody).describe(meanings[code])]),
  )
}

/** What every route behind a credential can answer. */
export const denied = failures('invalid', 'unauthenticated', 'forbidden', 'too-many')

/** What every route that writes translations or projects can answer beside {@link denied}. */
export const writeFailures = failures('conflict', 'too-large', 'unsupported-media', 'unavailable', 'no-space')

/** An answer without a body. */
export const nothing = (description: string) => z.null().describe(description)

/** Either credential, as `schema.security`. */
export const eitherCredential: Record<string, string[]>[] = [{ apiToken: [] }, { session: [] }]

/** A project, in a path or an answer. */
export const slug = z
  .string()
  .describe('The slug of the project.')
  .meta({ examples: ['web'] })
/** A language, likewise. */
export const language = z
  .string()
  .describe('A BCP 47 language tag, kept as written.')
  .meta({ examples: ['de', 'pt-BR'] })
/** A namespace, likewise. */
export const namespace = z
  .string()
  .describe('The name of the namespace.')
  .meta({ examples: ['common'] })

/** The request headers of conditional reads. */
export const readHeaders = z.object({
  'if-none-match': z.string().optional().describe('An entity tag read before: unchanged gives 304.'),
})

/** The request headers of conditional writes. */
export const writeHeaders = z.object({
  'if-match': z
    .string()
    .optional()
    .describe(
      '`*` or the entity tag that the bundle must still have; one that does not exist has the tag of the empty bundle.',
    ),
  'if-none-match': z.string().optional().describe('`*`: the bundle must not exist yet.'),
})
