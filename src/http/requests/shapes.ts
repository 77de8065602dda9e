/** Zod schemas that several routes share, for description and for checking small bodies. */
import { z } from 'zod'
import { CHECK_KINDS, CHECK_LEVELS } from '../../bundle/checks/check-settings.ts'
import type { FailureCode } from '../../bundle/errors.ts'
import { GATE_FAULT_CODES } from '../../bundle/gate/gate-sentence.ts'
import { MACHINE_FAULT_CODES } from '../../machine/machine-fault.ts'
import type { BundleName } from '../../project/project.ts'
import { STATUS } from '../answers/errors.ts'
import type { PageLimit } from './query.ts'

/** One status in a route's `schema.response`. A bare zod schema is a JSON body without special headers. */
export interface Answer {
  description: string
  body?: z.ZodType
  /** JSON by default. */
  type?: string
  /** The body when a parameter asks for another type. */
  also?: { type: string; body: z.ZodType }
  /** What the data of each event is, where the body is a stream of server-sent events: JSON. */
  events?: z.ZodType
  headers?: readonly HeaderName[]
  /** Its name in the document, if shared. */
  name?: string
}

/** A header of an answer. @param pattern of its value @param required whether it always comes */
const header = (description: string, example: string, pattern?: string, required = true) => ({
  description,
  ...(required && { required }),
  schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  example,
})

/** Headers with a meaning to clients, beside those of every answer. */
export const HEADERS = {
  ETag: header(
    'Names the content: the git id of what was read, or a hash of it. Send it back as `If-None-Match` or `If-Match`.',
    'W/"1f7a7a472abf3dd9643fd615f6da379c4acb3e3a"',
    '^W/"[0-9a-f]{40}([0-9a-f]{24})?"$',
  ),
  'Cache-Control': header(
    '`private, no-cache`, `no-store`, or for an answer that never changes `private, max-age=31536000, immutable`.',
    'private, no-cache',
  ),
  'Content-Disposition': header('Says that it is a file to save, with a name.', 'attachment; filename="web.zip"'),
  'Parlance-Revision': header(
    'The full id of the commit of this state. As `?at=` it always returns the same state.',
    'e4f927de68739af7dd1d2434857fa8223e4aed89',
    '^[0-9a-f]{40}$',
  ),
  'Parlance-Since': header(
    'The revision given as `since`: what does not differ from it is left out.',
    'e4f927de68739af7dd1d2434857fa8223e4aed89',
    '^[0-9a-f]{40}$',
    false,
  ),
  'Parlance-Stale': header(
    'For how many seconds the answer may be stale. Only from a server of several that cannot reach the database they share, and on any of its answers.',
    '12',
    '^[1-9][0-9]*$',
    false,
  ),
  Location: header('The address of what was created, relative to that of the request.', 'projects/web'),
  'Retry-After': header('Seconds after which to ask again.', '1', '^[1-9][0-9]*$', false),
  'WWW-Authenticate': header('How to say who asks.', 'ApiKey realm="Parlance", header="x-api-key"'),
  'X-Accel-Buffering': header('`no`: proxies are to hand on each event at once.', 'no'),
  'Set-Cookie': header(
    'The cookies of the session. Over https their names begin with `__Host-`.',
    'parlance.session_token=…; Path=/; HttpOnly; SameSite=Lax',
    undefined,
    false,
  ),
}

/** The name of a header in {@link HEADERS}. */
type HeaderName = keyof typeof HEADERS

/** An object that the document names. */
export const component = <T extends z.core.$ZodLooseShape>(id: string, shape: T) => z.object(shape).meta({ id })
/** A query parameter that switches something on. */
export const flag = z.enum(['true', 'false']).optional()
/** A type with examples. */
export const like = <T extends z.ZodType>(type: T, ...examples: unknown[]): T => type.meta({ examples }) as T
/** A text with examples of it. */
export const text = (description: string, ...examples: string[]) => z.string().describe(description).meta({ examples })

const sentence = text('One sentence that names the culprit and says what would be right.', 'There is no project "wep".')
/** Why a machine translator, or a job of it, failed. */
export const MachineFaultShape = component('MachineFault', {
  code: like(z.enum(MACHINE_FAULT_CODES), 'busy'),
  machine: text('The machine.', 'DeepL').optional(),
  status: like(z.int().optional(), 429).describe('The HTTP status of its answer.'),
  seconds: like(z.number().optional(), 60).describe('How long it wants no request, or did not answer.'),
  limit: like(z.number().optional(), 50).describe('The limit of the month in `unit`, of a plan in texts.'),
  unit: text('A currency, or `characters`.', 'USD').optional(),
  language: text('The language that it does not translate into.', 'de').optional(),
  detail: text("The code of the system's error.", 'ECONNREFUSED').optional(),
}).describe('Of machine translation: the reason by a code, for programs.')
const GateFaultShape = component('GateFault', {
  code: like(z.enum(GATE_FAULT_CODES), 'lacks'),
  form: like(z.string().optional(), 'few').describe('The plural form. Absent of a text and of a whole answer.'),
  names: like(z.array(z.string()).optional(), ['{{count}}']).describe('Placeholders, characters or words: at most 5.'),
  more: like(z.int().optional(), 2).describe('The number of further ones.'),
  length: like(z.int().optional(), 24).describe('Of `length`: characters of the text.'),
  max: like(z.int().optional(), 20).describe('Of `length`: the maximum of the note.'),
  detail: like(z.string().optional(), 'is an object in namespace "common"').describe('Of some codes, in English.'),
})

/** Why the gate refused a translation. */
export const GateFaultsShape = z.array(GateFaultShape).describe('The reason by codes, for programs.')
/** The body of every answer that is no success. */
export const ErrorBody = component('Error', { error: sentence, fault: MachineFaultShape.optional() })
const StaleBody = ErrorBody.extend({
  etag: text('The present entity tag of what the precondition is about.', HEADERS.ETag.example),
}).meta({ id: 'Stale' })

const meanings: Record<FailureCode, string> = {
  invalid: 'A path segment, header, query parameter or body that is not valid.',
  unauthenticated: 'No valid credential: missing, unknown, expired or revoked.',
  forbidden: 'A valid credential that may not do this, or a cookie sent from a page of another site.',
  'not-found': 'Not found, or of another organization: the two are the same.',
  conflict: 'The name exists, or differs only in case from an existing one.',
  stale: 'A precondition (`If-Match`, `If-None-Match`) does not hold; nothing was written.',
  'too-large': 'The body is past its limit.',
  'unsupported-media': 'The body is not `application/json` in UTF-8, or it is compressed.',
  unfit: 'Not native i18next v4 JSON, or a value that does not fit its key. At most ten keys are named.',
  'too-many-headers': 'More than 200 header lines.',
  'too-many': 'Too many requests; `Retry-After` says when to come back.',
  unsupported: 'This server lacks a program that this needs.',
  'bad-gateway': 'A machine translator that this server asked does not answer as it should.',
  unavailable: 'Cannot be done now; it may work later.',
  'no-space': 'The disk of the server is full.',
}
const headersOf: Partial<Record<FailureCode, HeaderName[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  stale: ['ETag'],
  'too-many': ['Retry-After'],
  unavailable: ['Retry-After'],
}

/** A route's error answers by status, for its `schema.response`. */
export function failures(...codes: FailureCode[]): Record<number, Answer> {
  return Object.fromEntries(
    codes.map(code => [
      STATUS[code],
      {
        name: code.replace(/(?:^|-)(\w)/g, (_, first: string) => first.toUpperCase()),
        description: meanings[code],
        body: code === 'stale' ? StaleBody : ErrorBody,
        headers: headersOf[code] ?? [],
      },
    ]),
  )
}

/** Error answers of every route behind a credential. */
export const denied = failures('invalid', 'unauthenticated', 'forbidden', 'too-many')

/** Error answers of any route: an ambiguous request, or a failing, busy or stopping server. */
export const commonAnswers: Record<number, Answer> = {
  ...failures('invalid', 'unavailable'),
  500: { name: 'Failed', description: "The server failed; its log says why, under the request's id.", body: ErrorBody },
}

/** An answer in JSON with headers. @param body with its description */
export function answer(body: z.ZodType, ...headers: HeaderName[]): Answer {
  return { description: body.description ?? '', body, headers }
}

const eitherCredential: Record<string, string[]>[] = [{ apiToken: [] }, { session: [] }]

/** A route's request for a project, a language, a bundle, a key. */
export type OfProject = { Params: { slug: string } }
export type OfLanguage = { Params: Omit<BundleName, 'namespace'> }
export type OfBundle = { Params: BundleName }
export type OfKey = { Params: BundleName & { key: string } }
/** The body of a write, and its flags, as `checkRequests` leaves them. */
export type Sends<Shape extends z.ZodType> = { Body: z.output<Shape> }
export type Flags<Shape extends z.ZodRawShape> = { Querystring: Record<keyof Shape, boolean> }

/** A project, in a path or an answer. */
export const slug = text('The slug of the project.', 'web')
/** A language, likewise. */
export const language = text('A BCP 47 language tag, stored as written.', 'de', 'pt-BR')
/** A namespace, likewise. */
export const namespace = text('The name of the namespace.', 'common')

/** What a project has of its own. */
export const projectName = text('1 to 100 characters after trimming.', 'Acme web shop')
export const sourceLanguage = like(language, 'en')
export const defaultFormat = z
  .enum(['i18next-json', 'i18next-json-flat'])
  .describe('`i18next-json` nests keys at dots; `i18next-json-flat` has literal dots.')
  .meta({ examples: ['i18next-json'] })
const affix = text('1 to 20 characters.', '__')
export const interpolation = z
  .strictObject({ prefix: affix, suffix: affix })
  .meta({ id: 'Interpolation' })
  .optional()
  .describe(
    "What stands around placeholders in the project's texts, as in i18next's `interpolation`. Absent: `{{` and `}}`.",
  )
/** A level for some checks. */
export const checks = z
  .partialRecord(z.enum(CHECK_KINDS), z.enum(CHECK_LEVELS))
  .optional()
  .describe(
    'How strict the checks of translations are. `warn` counts a fault as a problem, `refuse` refuses writes that bring ' +
      'it, too, and `off` ignores it. Absent checks have `warn`.',
  )
  .meta({ examples: [{ space: 'refuse', tag: 'off' }] })
const LanguageReview = z
  .strictObject({
    fourEyes: like(z.boolean(), false).describe(
      'Whether no one accepts a suggestion, or approves a text, of their own.',
    ),
  })
  .meta({ id: 'LanguageReview' })
/** The languages with a review. */
export const review = z
  .record(z.string(), LanguageReview)
  .optional()
  .describe(
    'By language: what someone without the right to review writes becomes a suggestion. Absent languages need no review.',
  )
  .meta({ examples: [{ de: { fourEyes: false } }] })
/** Changed languages of it. */
export const reviewChange = z
  .record(z.string(), LanguageReview.partial().nullable())
  .optional()
  .describe('By language, how its texts are reviewed; null ends the review. Not for the source language.')
const fields = { name: projectName, sourceLanguage, defaultFormat, interpolation, checks, review }
/** A project as the lists show it. */
export const ProjectRow = component('Project', { slug, ...fields })
/** A project's own fields, null where there is none. */
export const FieldsShape = component('ProjectFields', fields).nullable()

/** A key in an answer. */
export const key = text('The key; a plural is named by its base.', 'nav.home')
/** What the names in a path stand for, where a route does not say. */
export const IN_PATHS = {
  slug,
  language,
  namespace,
  key: text('The key, percent-encoded; `item_one` is form `one` of plural `item`.', 'nav.home'),
}
/** A commit in an answer. */
export const revision = text('The full id of the commit.', 'e4f927de68739af7dd1d2434857fa8223e4aed89')
/** A moment in an answer. */
export const time = like(z.iso.datetime().describe('ISO 8601, in UTC.'), '2026-11-22T09:30:00.000Z')
/** The query parameter that picks some of what there is. @param what they are */
export const only = (of: z.ZodString, what: string) =>
  z
    .union([of, z.array(of)])
    .optional()
    .describe(`Only these ${what}; may be repeated. 404 for one that the project lacks.`)
/** The query parameters of a list that is read page by page. @param rows what the list holds */
export const paged = ({ most, otherwise }: PageLimit, rows: string) => ({
  cursor: z.string().optional().describe('The `next` of the previous answer.'),
  limit: z.int().min(1).max(most).optional().describe(`Most ${rows}; ${otherwise} by default.`),
})
/** A page's pointer to the one after it. */
export const next = like(z.string().nullable().describe('The `cursor` of the next page; null at the end.'), null)
/** A number of things. @param example as a client may see it */
export const count = (description: string, example = 0) => like(z.int().min(0).describe(description), example)

const readHeaders = z.object({
  'if-none-match': text('An entity tag read before: unchanged gives 304.', HEADERS.ETag.example).optional(),
})

const CONDITIONAL = ['ETag', 'Cache-Control', 'Parlance-Stale'] as const
const unchanged: Answer = {
  name: 'NotModified',
  description: 'Unchanged: what `If-None-Match` names still holds.',
  headers: CONDITIONAL,
}

/**
 * A conditional read by either credential.
 * @param body of the 200, with its description
 * @param codes of more failures
 */
export const reading = (body: z.ZodType, ...codes: FailureCode[]) => ({
  security: eitherCredential,
  headers: readHeaders,
  response: { 200: answer(body, ...CONDITIONAL), 304: unchanged, ...denied, ...failures(...codes) },
})

/** A write with a body by either credential. @param done its success @param codes of more failures */
export const writing = (done: Record<number, Answer | z.ZodType>, ...codes: FailureCode[]) => ({
  security: eitherCredential,
  response: {
    ...done,
    ...denied,
    ...failures('conflict', 'too-large', 'unsupported-media', 'unavailable', 'no-space', ...codes),
  },
})

/** A deletion by either credential. @param done its success, by default without a body @param codes of more failures */
export const deleting = (
  done: Record<number, Answer> = { 204: { description: 'Deleted.' } },
  ...codes: FailureCode[]
) => ({
  security: eitherCredential,
  response: { ...done, ...denied, ...failures('not-found', 'unavailable', 'no-space', ...codes) },
})

/** The request headers of conditional writes. */
export const writeHeaders = z.object({
  'if-match': text(
    '`*` or the entity tag that the bundle must still have; one that does not exist has the tag of the empty bundle.',
    HEADERS.ETag.example,
  ).optional(),
  'if-none-match': text('`*`: the bundle must not exist yet.', '*').optional(),
})

/** The request headers of conditional writes to a language. */
export const languageHeaders = z.object({
  'if-match': text(
    '`*` or the entity tag that the language must still have: that of all its keys.',
    HEADERS.ETag.example,
  ).optional(),
  'if-none-match': text('`*`: the language must not exist now.', '*').optional(),
})

/** The request headers of conditional writes to a project. */
export const projectHeaders = z.object({
  'if-match': z
    .string()
    .optional()
    .describe('`*` or the entity tag that the project must still have: that of its manifest.'),
  'if-none-match': z.string().optional().describe('`*`: there must be no such project now.'),
})
