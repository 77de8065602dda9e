/** Generates requests from the OpenAPI document: to each route with fitting and with wrong values. */
import fc from 'fast-check'
import { BODIES } from './hostile-bodies.ts'
import { HEADERS } from './hostile-headers.ts'
import { SEGMENTS } from './hostile-names.ts'
import { hostileText, hostileValue, type Known, mostly, type Schema, valueFor } from './values.ts'
import type { Wire } from './wire.ts'

interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  schema?: Schema
}
interface Described {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
}
export interface Document {
  paths: Record<string, Record<string, Described>>
  components?: { schemas: Record<string, Schema> }
}

/** One method of one path. */
export interface Operation extends Described {
  method: string
  path: string
}

/** Headers with the credential, and others. */
export type Headers = [name: string, value: string][]

export function operationsOf({ paths, components }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody, ...described }]) => ({
      ...described,
      ...(parameters && { parameters: whole(parameters, components) }),
      ...(requestBody && { requestBody: whole(requestBody, components) }),
      method: method.toUpperCase(),
      path,
    })),
  )
}

/** Replaces each `$ref` by its target. */
function whole<T>(value: T, components: Document['components']): T {
  return JSON.parse(JSON.stringify(value), (_key, part) => {
    const name = typeof part?.$ref === 'string' ? part.$ref.split('/').at(-1) : undefined
    return name === undefined ? part : whole(components?.schemas[name], components)
  })
}

/** As `encodeURIComponent`, which throws at half a surrogate pair. */
export const encode = (text: string): string => encodeURIComponent(Buffer.from(text).toString())

/** The percentage of wrong values in a request. Half of the requests are right except for their caller. */
const MALICE = fc.constantFrom(0, 0, 0, 8, 8, 40)
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'BREW', 'PROPFIND']

/** A request to an operation by one of `callers`. */
export function requestTo(operation: Operation, known: Known, callers: Headers[]): fc.Arbitrary<Wire> {
  const { method, parameters = [], requestBody } = operation
  const body = requestBody?.content['application/json']
  return MALICE.chain(malice =>
    fc
      .record({
        method: mostly(malice / 4, fc.constant(method), fc.constantFrom(...METHODS)),
        target: target(operation, known, malice),
        headers: fc.tuple(fc.constantFrom(...callers), headers(parameters, known, malice)).map(both => both.flat()),
        body: body
          ? mostly<Buffer | undefined>(malice / 2, json(body.schema ?? {}, known, malice), someBody)
          : mostly<Buffer | undefined>(malice / 2, fc.constant(undefined), someBody),
        framing: fc.oneof(
          { weight: 8, arbitrary: fc.constant(undefined) },
          { weight: 2, arbitrary: fc.constant('chunked' as const) },
          ...(malice > 0 ? [{ weight: 1, arbitrary: fc.constant('none' as const) }] : []),
        ),
      })
      .map(({ body, framing, ...wire }) => ({ ...wire, ...(body && { body }), ...(framing && { framing }) })),
  )
}

const someBody = fc.option(
  fc.constantFrom(...BODIES).map(([, body]) => body),
  { nil: undefined },
)

function target({ path, parameters = [] }: Operation, known: Known, malice: number): fc.Arbitrary<string> {
  const hostile = fc.oneof(fc.constantFrom(...SEGMENTS), hostileText.map(encode))
  const segments = path.split('/').map(part => {
    const names = /^\{(.*)\}$/.test(part) ? (known[part.slice(1, -1)] ?? []) : [part]
    if (names.length === 0) return hostile
    return names[0] === part ? fc.constant(part) : mostly(malice, fc.constantFrom(...names).map(encode), hostile)
  })
  const query = queryOf(
    parameters.filter(one => one.in === 'query'),
    known,
    malice,
  )
  return fc
    .tuple(fc.tuple(...segments), query)
    .map(([parts, query]) => (query === '' ? parts.join('/') : `${parts.join('/')}?${query}`))
}

const ODD_NAMES = ['__proto__', 'constructor', 'at', 'namespace[]', 'a[b]', '', 'dryrun', 'limit']
const ODD_QUERIES = ['&&&', '=', '%', '%ff=%ff', '?', 'a&'.repeat(5000), 'a=b;c=d']

function queryOf(parameters: Parameter[], known: Known, malice: number): fc.Arbitrary<string> {
  const described = parameters.map(({ name, schema }) => {
    const fitting = [...(known[name] ?? []), ...choices(schema)]
    const value = fitting.length > 0 ? fc.constantFrom(...fitting) : fc.constant('')
    return fc.tuple(fc.constant(name), mostly(malice, value, hostileValue))
  })
  const odd = fc.tuple(fc.oneof(fc.constantFrom(...ODD_NAMES), hostileText), hostileValue)
  const none = fc.constant<[string, string][]>([])
  const pairs = described.length > 0 ? fc.array(mostly(malice, fc.oneof(...described), odd), { maxLength: 4 }) : none
  const text = mostly<[string, string][]>(malice, pairs, fc.array(odd, { maxLength: 2 })).map(pairs =>
    pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&'),
  )
  return mostly(malice / 4, text, fc.constantFrom(...ODD_QUERIES))
}

function choices(schema: Schema = {}): string[] {
  if (schema.enum) return schema.enum.map(String)
  return schema.type === 'integer' || schema.type === 'number' ? ['1', '5', '50'] : []
}

const HOST: Headers[number] = ['Host', '127.0.0.1']
const TYPES = ['application/json', 'application/json; charset=utf-8']

function headers(parameters: Parameter[], known: Known, malice: number): fc.Arbitrary<Headers> {
  const described = parameters
    .filter(one => one.in === 'header')
    .map(({ name }) => fc.tuple(fc.constant(name), fc.constantFrom('*', ...(known[name] ?? []))))
  const hostile = fc
    .constantFrom(...HEADERS)
    .chain(([name, values]) => fc.tuple(fc.constant(name), fc.constantFrom(...values)))
  const fitting = described.length > 0 ? fc.array(fc.oneof(...described), { maxLength: 1 }) : fc.constant<Headers>([])
  const some = mostly<Headers>(malice, fitting, fc.array(hostile, { minLength: 1, maxLength: 3 }))
  return fc.tuple(fc.constantFrom(...TYPES), some).map(([type, some]) => {
    const named = (name: string) => some.some(([other]) => other === name)
    const usual: Headers = [HOST, ['Content-Type', type]]
    return [...usual.filter(([name]) => !named(name)), ...some]
  })
}

function json(schema: Schema, known: Known, malice: number): fc.Arbitrary<Buffer> {
  const value = valueFor(schema, known, malice).map(value => JSON.stringify(value) ?? 'null')
  // Parsers stumble over bytes between two tokens or within one.
  const spoiled = fc.tuple(value, fc.nat(), hostileText).map(([whole, at, text]) => {
    const where = at % (whole.length + 1)
    return whole.slice(0, where) + text + whole.slice(where + (at % 3))
  })
  return mostly(malice, value, spoiled).map(text => Buffer.from(text))
}
