/** Compares answers with the OpenAPI document: an undescribed status, header or shape fails the test. */
import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

type Json = Record<string, unknown>
interface Response {
  headers?: Record<string, { required?: boolean; schema: Json }>
  content?: Record<string, { schema: Json }>
}
interface Operation {
  responses: Record<string, Response | { $ref: string }>
}
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

/** An answer as a client has it. */
export interface Seen {
  method: string
  /** With its query, as it was asked for. */
  path: string
  status: number
  headers: IncomingHttpHeaders
  /** Undefined when the body was too long to store. */
  body: Buffer | undefined
}

/** Headers that every answer may have: of HTTP, of browser security, and of caches. */
const EVERYWHERE = new Set(
  [
    'connection',
    'keep-alive',
    'date content-length transfer-encoding content-type content-encoding vary cache-control allow',
    'content-security-policy x-content-type-options x-frame-options referrer-policy strict-transport-security',
    'cross-origin-resource-policy access-control-allow-origin access-control-expose-headers',
    'access-control-allow-methods access-control-allow-headers access-control-max-age set-cookie retry-after pragma parlance-stale',
  ]
    .join(' ')
    .split(' '),
)
/** Statuses of refusals before there is a route, and of missing methods. `info.description` documents them. */
const BEFORE_ROUTES = new Set([405, 408, 413, 414, 415, 417, 431])

const ERROR = { $ref: '#/components/schemas/Error' }

/** What a document says of answers. */
export class Description {
  static readonly #byText = new Map<string, Description>()
  static readonly #byDocument = new WeakMap<ApiDocument, Description>()
  readonly #document: ApiDocument
  readonly #ajv: Ajv2020
  readonly #compiled = new Map<string, ValidateFunction>()
  readonly #paths: { segments: string[]; operations: Record<string, Operation> }[]

  private constructor(document: ApiDocument) {
    this.#document = document
    // The linter of test/http/openapi.slow.test.ts looks at the schemas.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema({ $id: 'api', components: document.components })
    this.#paths = Object.entries(document.paths).map(([path, operations]) => ({
      segments: path.split('/'),
      operations,
    }))
  }

  /** One for all servers of the same document, because schemas compile slowly. */
  static of(document: ApiDocument): Description {
    let description = Description.#byDocument.get(document)
    if (description !== undefined) return description
    const text = JSON.stringify(document)
    description = Description.#byText.get(text) ?? new Description(document)
    Description.#byText.set(text, description)
    Description.#byDocument.set(document, description)
    return description
  }

  /** The undescribed parts of an answer. */
  faults({ method, path, status, headers, body }: Seen): string[] {
    const operation = this.#find(method, path)
    if (operation === 'unknown') return status >= 400 ? this.#error(headers, body) : []
    if (operation === undefined) {
      if (method === 'OPTIONS') return status === 204 || status >= 400 ? [] : ['OPTIONS answers 204']
      return status >= 400 ? this.#error(headers, body) : [`${method} is no operation`]
    }
    const told = operation.responses[status]
    if (told === undefined) {
      if (BEFORE_ROUTES.has(status)) return this.#error(headers, body)
      return [`the status ${status} is not described`]
    }
    const response = this.#resolve<Response>(told)
    return [...this.#headerFaults(response, headers), ...this.#bodyFaults(response, method, headers, body)]
  }

  #headerFaults({ headers: told = {} }: Response, headers: IncomingHttpHeaders): string[] {
    const described = new Map(
      Object.entries(told).map(([name, header]) => [
        name.toLowerCase(),
        this.#resolve<{ required?: boolean; schema: Json }>(header),
      ]),
    )
    const missing = [...described]
      .filter(([name, { required }]) => required && headers[name] === undefined)
      .map(([name]) => `the header ${name} is described as required, and missing`)
    const odd = Object.entries(headers).flatMap(([name, value]) => {
      const header = described.get(name)
      if (header === undefined) return EVERYWHERE.has(name) ? [] : [`the header ${name} is not described`]
      return [value].flat().flatMap(one => this.misfit(header.schema, one, `header ${name}`))
    })
    return [...missing, ...odd]
  }

  #bodyFaults({ content }: Response, method: string, headers: IncomingHttpHeaders, body: Seen['body']): string[] {
    if (content === undefined) return body?.length === 0 ? [] : ['a body where none is described']
    if (method === 'HEAD') return body?.length === 0 ? [] : ['a body for HEAD']
    const type = String(headers['content-type'] ?? '').split(';')[0]!
    const media = content[type]
    if (media === undefined) {
      // git shows its user a refusal when it is plain text alone.
      if (type === 'text/plain' && content['application/json']?.schema.$ref === ERROR.$ref) return []
      return [`the content type "${type}" is not described: ${Object.keys(content).join(', ')}`]
    }
    if (body === undefined) return []
    const plain = decoded(body, headers)
    const value = type === 'application/json' ? parsed(plain) : plain.toString('utf8')
    return value === undefined ? ['the body is no JSON'] : this.misfit(media.schema, value, 'body')
  }

  #error(headers: IncomingHttpHeaders, body: Seen['body']): string[] {
    if (!body?.length || String(headers['content-type']).startsWith('text/plain')) return []
    const value = parsed(decoded(body, headers))
    if (value === undefined) return ['an error that is no JSON']
    const either = { anyOf: [ERROR, { $ref: '#/components/schemas/AuthError' }] }
    return this.misfit(either, value, 'error')
  }

  /** The parts of a value that violate a schema of the document. */
  misfit(schema: object, value: unknown, what: string): string[] {
    const name = JSON.stringify(schema)
    let validate = this.#compiled.get(name)
    if (validate === undefined) {
      validate = this.#ajv.compile(JSON.parse(name.replaceAll('"#/components/', '"api#/components/')))
      this.#compiled.set(name, validate)
    }
    if (validate(value)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }

  #resolve<T>(given: unknown): T {
    const { $ref } = given as { $ref?: string }
    if ($ref === undefined) return given as T
    const [kind = '', name = ''] = $ref.slice('#/components/'.length).split('/')
    return this.#document.components[kind]![name] as T
  }

  /** The operation of a request; `unknown` where the document has no such path. */
  #find(method: string, path: string): Operation | undefined | 'unknown' {
    const segments = path.split('?')[0]!.split('/')
    const fits = (template: string[]) =>
      template.length === segments.length &&
      template.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
    const found = this.#paths.find(({ segments: template }) => fits(template))
    if (found === undefined) return 'unknown'
    return found.operations[(method === 'HEAD' ? 'GET' : method).toLowerCase()]
  }
}

function decoded(body: Buffer, { 'content-encoding': coding }: IncomingHttpHeaders): Buffer {
  if (coding === 'br') return brotliDecompressSync(body)
  return coding === 'gzip' ? gunzipSync(body) : body
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
