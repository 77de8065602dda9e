/**
 * Compares every answer of the apps in this process with their OpenAPI document. An undescribed answer fails the test
 * file at its end. Refusals before there is a request are not seen.
 */
import diagnostics from 'node:diagnostics_channel'
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import t from 'tap'
import type { ApiDocument } from './described.ts'

interface App {
  server: Server
  /** Undefined in an app that a test builds from a part. */
  openapi?: () => ApiDocument
}

interface Sent {
  chunks: Buffer[]
  bytes: number
}

/** Longer bodies are not checked: shorter ones have the same shapes. */
const MOST_BYTES = 2 ** 18

const require = createRequire(import.meta.url)
const apps = new WeakMap<Server, App>()
const faults = new Set<string>()
const answers = new WeakMap<ServerResponse, Sent>()
let newest: App | undefined

diagnostics.subscribe('fastify.initialization', message => {
  const { fastify: app } = message as { fastify: App }
  if (newest === undefined) watchResponses()
  newest = app
  apps.set(app.server, app)
})

t.teardown(() => {
  if (faults.size > 0) throw new Error(`not as the OpenAPI document says:\n${[...faults].join('\n')}`)
})

/** Wraps what all answers pass, of fastify and around it. */
function watchResponses(): void {
  const { prototype } = (require('node:http') as typeof import('node:http')).ServerResponse
  const { write, end } = prototype as unknown as Record<string, (...args: unknown[]) => unknown>
  Object.assign(prototype, {
    write(this: ServerResponse, ...args: unknown[]) {
      keep(this, args)
      return write!.apply(this, args)
    },
    end(this: ServerResponse, ...args: unknown[]) {
      const isFirst = !this.writableEnded
      keep(this, args)
      const result = end!.apply(this, args)
      if (isFirst) judge(this)
      return result
    },
  })
}

/** Stores a chunk in any form that `write` and `end` accept. */
function keep(response: ServerResponse, [chunk, encoding]: unknown[]): void {
  if (chunk === undefined || chunk === null || typeof chunk === 'function') return
  let sent = answers.get(response)
  if (sent === undefined) answers.set(response, (sent = { chunks: [], bytes: 0 }))
  const bytes =
    typeof chunk === 'string'
      ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(chunk as Uint8Array)
  sent.bytes += bytes.length
  if (sent.bytes <= MOST_BYTES) sent.chunks.push(bytes)
  else sent.chunks = []
}

function judge(response: ServerResponse): void {
  const { method = '', url: path = '', socket } = response.req
  const { server } = socket as { server?: Server }
  // Requests that fastify injects have no server.
  const document = (server === undefined ? newest : apps.get(server))?.openapi?.()
  if (document === undefined) return
  const { chunks, bytes } = answers.get(response) ?? { chunks: [], bytes: 0 }
  const { _header: head, _hasBody: hasBody } = response as unknown as { _header: string; _hasBody: boolean }
  const body = bytes > MOST_BYTES ? undefined : Buffer.concat(hasBody ? chunks : [])
  const seen = { method, path, status: response.statusCode, headers: headersIn(head), body }
  const { Description } = require('./described.ts') as typeof import('./described.ts')
  for (const fault of Description.of(document).faults(seen)) {
    faults.add(`${method} ${path} answered ${seen.status}: ${fault}`)
  }
}

/** What was sent, in whichever way it was given to node. */
function headersIn(head: string): IncomingHttpHeaders {
  const headers: Record<string, string | string[]> = {}
  for (const line of head.split('\r\n').slice(1, -2)) {
    const colon = line.indexOf(':')
    const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)]
    headers[name] = name in headers ? [headers[name]!, value].flat() : value
  }
  return headers
}
