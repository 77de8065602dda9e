/** OpenAPI 3.1 from the routes' zod schemas: shapes with an id become components. */
import { z } from 'zod'
import { type Answer, commonAnswers, HEADERS, IN_PATHS } from '../requests/shapes.ts'

/** A JSON object. */
export type Json = Record<string, unknown>

/** A route's `schema`, for description only: handlers check their input themselves. */
export interface RouteSchema {
  operationId?: string
  tags?: readonly string[]
  summary?: string
  description?: string
  security?: readonly Record<string, string[]>[]
  /** Of the path; by default those of {@link IN_PATHS} that it names. */
  params?: z.ZodType
  querystring?: z.ZodType
  headers?: z.ZodType
  body?: z.ZodType
  /** JSON by default. */
  consumes?: readonly string[]
  response?: Record<number, Answer | z.ZodType>
}

/** A route and its description; `url` as in Fastify, such as `/api/projects/:slug`. */
export interface Described {
  method: string
  url: string
  schema: RouteSchema
}

/** `paths` and `components` of an OpenAPI document. */
export function describeRoutes(routes: readonly Described[]): { paths: Json; components: Json } {
  const schemas: Json = {}
  const responses: Json = {}
  const paths: Record<string, Json> = {}
  for (const { method, url, schema } of routes) {
    const path = url.replace(/:(\w+)/g, '{$1}')
    const { operationId, tags, summary, description, security } = schema
    const parameters = [
      ...parametersOf('path', schema.params ?? namesIn(url), schemas),
      ...parametersOf('query', schema.querystring, schemas),
      ...parametersOf('header', schema.headers, schemas),
    ]
    const answers = Object.entries({ ...commonAnswers, ...schema.response })
    paths[path] ??= {}
    paths[path][method.toLowerCase()] = {
      operationId,
      tags,
      summary,
      ...(description && { description }),
      security,
      ...(parameters.length > 0 && { parameters }),
      ...(schema.body && {
        requestBody: { required: true, content: contentOf(schema.body, schema.consumes?.[0], schemas) },
      }),
      responses: Object.fromEntries(
        answers.map(([status, answer]) => [status, responseOf(answer, schemas, responses)]),
      ),
    }
  }
  return { paths, components: { schemas, responses, headers: HEADERS } }
}

function namesIn(url: string): z.ZodType {
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => [name, IN_PATHS[name as keyof typeof IN_PATHS]])
  return z.object(Object.fromEntries(names))
}

function parametersOf(place: string, list: z.ZodType | undefined, schemas: Json): Json[] {
  if (list === undefined) return []
  const { properties = {}, required = [] } = jsonSchema(list, schemas) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
    in: place,
    name,
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
    ...(Array.isArray(examples) && { example: examples[0] }),
  }))
}

function responseOf(answer: Answer | z.ZodType, schemas: Json, shared: Json): Json {
  const {
    name,
    description,
    body,
    type,
    also,
    events,
    headers = [],
  } = answer instanceof z.ZodType ? ({ description: answer.description ?? '', body: answer } as Answer) : answer
  const response = {
    description,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(one => [one, { $ref: `#/components/headers/${one}` }])),
    }),
    ...(body && {
      content: {
        ...contentOf(body, type, schemas, events),
        ...(also && contentOf(also.body, also.type, schemas)),
      },
    }),
  }
  if (name === undefined) return response
  shared[name] = response
  return { $ref: `#/components/responses/${name}` }
}

function contentOf(body: z.ZodType, type = 'application/json', schemas: Json, events?: z.ZodType): Json {
  const { description: _, examples, ...schema } = jsonSchema(body, schemas)
  if (events !== undefined) {
    // OpenAPI 3.1 has no word of its own for it; this is what JSON Schema has for what a text holds (2020-12, 8.5).
    const items = jsonSchema(events, schemas)
    Object.assign(schema, { contentMediaType: type, contentSchema: { type: 'array', items } })
  }
  const example = Array.isArray(examples) ? examples[0] : exampleOf(schema, schemas)
  return { [type]: { schema, ...(example !== undefined && { example }) } }
}

const COMPONENTS = '#/components/schemas/'

/** Most routes share their schemas, and zod's conversion is slow. */
const converted = new WeakMap<z.ZodType, { schema: Json; named: Json }>()

/** The JSON schema of a zod schema's output; those with an id are added to `schemas`. */
function jsonSchema(schema: z.ZodType, schemas: Json): Json {
  let made = converted.get(schema)
  if (made === undefined) converted.set(schema, (made = convert(schema)))
  Object.assign(schemas, made.named)
  return made.schema
}

function convert(schema: z.ZodType): { schema: Json; named: Json } {
  const named: Json = {}
  const made = z.toJSONSchema(schema, { unrepresentable: 'any', override: ({ jsonSchema }) => plain(jsonSchema) })
  const text = JSON.stringify(made).replaceAll('"#/$defs/', `"${COMPONENTS}`)
  const { $schema: _, $defs, id, ...whole } = JSON.parse(text) as Json & { $defs?: Record<string, Json>; id?: string }
  for (const [name, { id: _, ...part }] of Object.entries($defs ?? {})) named[name] = part
  if (id === undefined) return { schema: whole, named }
  named[id] = whole
  return { schema: { $ref: COMPONENTS + id }, named }
}

/** Drops zod's bounds for integers that fit a double. */
function plain(schema: Json): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

/** A value from a schema's examples; optional parts only if they have one themselves. */
function exampleOf(schema: Json, schemas: Json): unknown {
  const { examples, $ref, const: only, enum: values, anyOf, type, items, properties = {}, required = [] } = schema
  if (Array.isArray(examples)) return examples[0]
  if (typeof $ref === 'string') return exampleOf(schemas[$ref.slice(COMPONENTS.length)] as Json, schemas)
  if (only !== undefined) return only
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as Json, schemas)
  if (type === 'boolean') return false
  if (type === 'null') return null
  if (type === 'array') return [exampleOf(items as Json, schemas)]
  if (type !== 'object') return undefined
  const members = Object.entries(properties as Record<string, Json>)
    .filter(([name, part]) => (required as string[]).includes(name) || Array.isArray(part.examples))
    .map(([name, part]) => [name, exampleOf(part, schemas)])
  return Object.fromEntries(members)
}
