/** The routes of the OpenAPI document, with a valid example of each write that changes something. */
import type { TokenScope } from '../../src/auth/access.ts'
import { operationsOf } from '../http/fuzz/from-openapi.ts'
import type { Scene, Sending, Server } from '../http/server.ts'

/** One method of one path, as a template and with the names of `NAMES` in it. */
export interface Route {
  method: string
  /** The path with `{placeholders}`. */
  template: string
  path: string
  /** Whether the route accepts a session cookie. */
  cookie: boolean
  /** Whether the route accepts an API token. */
  token: boolean
  body?: unknown
  /** The content type of the body; JSON by default. */
  type?: string
  /** The parameters of the query. */
  query: string[]
}

/** The example body of a write, and the least role or scope for it. */
interface Write {
  body?: unknown
  /** The content type of the body; JSON by default. */
  type?: string
  least: 'member' | 'admin'
  /** The scope of tokens beside `write` that may send it. */
  scope?: TokenScope
}

/** The names that {@link furnish} creates. `id` is that of a token. */
export const NAMES = { slug: 'vault', language: 'en', namespace: 'common', key: 'a', name: 'v1', id: 'unknown' }

/** A text that is approved. */
export const APPROVED = { language: 'de', namespace: 'common', keys: ['b'] }

const TBX =
  '<tbx type="TBX-Basic" xml:lang="en"><text><body><conceptEntry><langSec xml:lang="en"><termSec><term>cart</term></termSec>' +
  '</langSec></conceptEntry></body></text></tbx>'

/**
 * Each write route of Parlance. A write route of the document that this table lacks fails a test of functions.ts.
 * Every test of this folder tries each row.
 */
export const WRITES: Record<string, Write> = {
  'POST /api/projects': { body: { slug: 'fresh', name: 'Fresh', sourceLanguage: 'en' }, least: 'admin' },
  'PATCH /api/projects/{slug}': { body: { name: 'Changed' }, least: 'admin' },
  'DELETE /api/projects/{slug}': { least: 'admin' },
  'POST /api/projects/{slug}/bundles/{language}/{namespace}': {
    body: { fresh: 'x' },
    least: 'member',
    scope: 'add',
  },
  'PUT /api/projects/{slug}/bundles/{language}/{namespace}': { body: { a: 'changed' }, least: 'member' },
  'DELETE /api/projects/{slug}/bundles/{language}': { least: 'member' },
  'DELETE /api/projects/{slug}/bundles/{language}/{namespace}': { least: 'member' },
  'PUT /api/projects/{slug}/bundles/{language}/{namespace}/{key}': { body: { value: 'changed' }, least: 'member' },
  'DELETE /api/projects/{slug}/bundles/{language}/{namespace}/{key}': { least: 'member' },
  'PUT /api/projects/{slug}/notes/{namespace}/{key}': { body: { note: 'changed' }, least: 'member' },
  'DELETE /api/projects/{slug}/notes/{namespace}/{key}': { least: 'member' },
  'POST /api/projects/{slug}/comments/{namespace}/{key}': { body: { text: 'x' }, least: 'member', scope: 'suggest' },
  'PATCH /api/projects/{slug}/comments/{namespace}/{key}/{id}': { body: { resolved: true }, least: 'member' },
  'DELETE /api/projects/{slug}/comments/{namespace}/{key}/{id}': { least: 'member' },
  'POST /api/projects/{slug}/suggestions/{language}/{namespace}/{key}': {
    body: { value: 'better' },
    least: 'member',
    scope: 'suggest',
  },
  'POST /api/projects/{slug}/suggestions/accept': {
    body: { language: 'de', by: 'Apertium', anyway: true },
    least: 'member',
  },
  'POST /api/projects/{slug}/suggestions/reject': { body: { language: 'de', by: 'Apertium' }, least: 'member' },
  'PUT /api/glossary': { body: { terms: [{ term: 'cart' }] }, least: 'admin' },
  'PUT /api/projects/{slug}/glossary': { body: { terms: [{ term: 'cart' }] }, least: 'member' },
  ...Object.fromEntries(
    (['/api/glossary', '/api/projects/{slug}/glossary'] as const).flatMap(path => {
      const least = path === '/api/glossary' ? 'admin' : 'member'
      return [
        [`PUT ${path}.csv`, { body: 'term\r\ncart\r\n', type: 'text/csv', least }],
        [`PUT ${path}.tbx`, { body: TBX, type: 'application/x-tbx+xml', least }],
      ] as const
    }),
  ),
  'POST /api/projects/{slug}/rename-key': { body: { namespace: 'common', from: 'a', to: 'z' }, least: 'member' },
  'POST /api/projects/{slug}/rename-namespace': { body: { from: 'common', to: 'shared' }, least: 'member' },
  'POST /api/projects/{slug}/rename-language': { body: { from: 'de', to: 'nl' }, least: 'member' },
  'POST /api/projects/{slug}/delete-key': { body: { namespace: 'common', key: 'a' }, least: 'member' },
  'POST /api/projects/{slug}/changes': {
    body: { set: [{ language: 'de', namespace: 'common', key: 'a', value: 'changed' }] },
    least: 'member',
    scope: 'suggest',
  },
  'POST /api/projects/{slug}/push': { body: { bundles: { en: { common: { a: 'changed' } } } }, least: 'member' },
  'POST /api/projects/{slug}/restore': { body: { at: 'v1', language: 'en', namespace: 'common' }, least: 'member' },
  'POST /api/projects/{slug}/revert': { body: { revision: 'v1' }, least: 'member' },
  'POST /api/projects/{slug}/confirm': {
    body: { language: 'de', namespace: 'common', keys: ['a'] },
    least: 'member',
  },
  'POST /api/projects/{slug}/dismiss': {
    body: { language: 'de', namespace: 'common', key: 'a', kind: 'space' },
    least: 'member',
  },
  'POST /api/projects/{slug}/suggest': {
    body: { language: 'de', namespace: 'common', key: 'a' },
    least: 'member',
  },
  'POST /api/projects/{slug}/translate': { body: { languages: ['de'] }, least: 'member' },
  'DELETE /api/projects/{slug}/jobs/{id}': { least: 'member' },
  'POST /api/projects/{slug}/approve': { body: { language: 'de', namespace: 'common', keys: ['a'] }, least: 'member' },
  'POST /api/projects/{slug}/unapprove': {
    body: { language: 'de', namespace: 'common', keys: ['b'] },
    least: 'member',
  },
  'POST /api/projects/{slug}/releases': { body: { name: 'v2' }, least: 'member' },
  'DELETE /api/projects/{slug}/releases/{name}': { least: 'admin' },
  'POST /api/tokens': { body: { name: 'fresh' }, least: 'admin' },
  'DELETE /api/tokens/{id}': { least: 'admin' },
  'POST /api/inbox/read': { body: { until: 'all' }, least: 'member' },
  'POST /api/inbox/feed': { least: 'member' },
  'PUT /api/inbox/settings': { body: { digest: true }, least: 'member' },
  'PUT /api/members/{id}/rights': {
    body: { rights: [{ languages: ['de'], may: 'translate' }] },
    least: 'admin',
  },
}

const fill = (template: string, names: Record<string, string>) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? 'x')

interface Described {
  security?: Record<string, unknown>[]
}

/** Asked once of each server: the tables of rights ask for the routes of a hundred projects. */
const operations = new WeakMap<Server, ReturnType<typeof operationsOf>>()

/** All routes. @param names the values of the placeholders, `NAMES` by default */
export async function routesOf(server: Server, names: Record<string, string> = NAMES): Promise<Route[]> {
  const known = operations.get(server) ?? operationsOf((await server.get('/api/openapi.json')).json)
  operations.set(server, known)
  return known.map(operation => {
    const { method, path: template, parameters = [], requestBody } = operation
    const { security = [] } = operation as Described
    const own = WRITES[`${method} ${template}`]
    const schema = requestBody?.content['application/json']?.schema as Shape | undefined
    const body = own ? own.body : schema && exampleOf(schema)
    return {
      method,
      template,
      path: fill(template, names),
      cookie: security.some(one => 'session' in one),
      token: security.some(one => 'apiToken' in one),
      query: parameters.filter(one => one.in === 'query').map(({ name }) => name),
      ...(body !== undefined && { body }),
      ...(own?.type && { type: own.type }),
    }
  })
}

interface Shape {
  properties?: Record<string, { type?: unknown; properties?: Shape['properties'] }>
}

/** A body with every member, for the routes of better-auth: they refuse strangers before they read it. */
function exampleOf({ properties = {} }: Shape): Record<string, unknown> {
  const value = ({ type, properties }: { type?: unknown; properties?: Shape['properties'] }) => {
    const [first] = [type].flat()
    if (first === 'boolean') return true
    if (first === 'number' || first === 'integer') return 1
    return first === 'object' ? exampleOf({ properties }) : 'x'
  }
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, value(schema)]))
}

/** Whether a route of Parlance writes. Clones only read, though git sends POST. Agents write by the other routes. */
export const isOwnWrite = ({ method, template }: Route) =>
  method !== 'GET' && !/^\/api\/(auth|mcp|translations\.git)/.test(template)

/** Whether a route of better-auth may write. */
export const isAuthWrite = ({ method, template }: Route) => method !== 'GET' && template.startsWith('/api/auth')

/** Creates the missing objects of the examples. Repeated calls are fine. */
export async function furnish(server: Server, key: string): Promise<void> {
  const { slug } = NAMES
  await server.call('DELETE', '/api/projects/fresh', { key })
  for (const renamed of ['nl', 'en/shared', 'de/shared'])
    await server.call('DELETE', `/api/projects/${slug}/bundles/${renamed}`, { key })
  await server.post('/api/projects', key, { slug, name: slug, sourceLanguage: 'en' })
  const common = `/api/projects/${slug}/bundles/en/common?prune=true`
  await server.call('PUT', common, { key, body: { a: 'one', b: 'x', c: 'stays' } })
  await server.call('PUT', `/api/projects/${slug}/notes/common/a`, { key, body: { note: 'stays' } })
  for (const path of ['/api/glossary', `/api/projects/${slug}/glossary`])
    await server.call('PUT', path, { key, body: { terms: [{ term: 'stays' }] } })
  // The next push marks this translation as stale. It has a problem, too.
  const german = `/api/projects/${slug}/bundles/de/common`
  await server.call('DELETE', german, { key })
  await server.call('PUT', german, { key, body: { a: 'eins ', b: 'x' } })
  await server.post(`/api/projects/${slug}/releases`, key, { name: NAMES.name })
  await server.call('DELETE', `/api/projects/${slug}/releases/v2`, { key })
  await server.call('PUT', common, { key, body: { a: 'two', b: 'y', c: 'stays' } })
  await server.call('POST', `/api/projects/${slug}/approve`, { key, body: APPROVED })
}

/** Sends the example of a route. */
export const send = (server: Server, { method, path, body, type }: Route, sending: Sending) =>
  server.call(method, path, {
    ...(body !== undefined && { body }),
    ...sending,
    ...(type && { headers: { 'content-type': type, ...sending.headers } }),
  })

/** All state that a write can change: the head of each organization, and the tables of accounts. */
export async function stateOf({ server, acme, other }: Scene): Promise<object> {
  const { default: Sqlite } = await import('better-sqlite3')
  const database = new Sqlite(`${server.dataDir}/parlance.sqlite`, { readonly: true })
  try {
    const tables = database
      .prepare<[], { name: string }>(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
      .all()
    const rows = tables.map(({ name }): [string, object[]] => [
      name,
      database
        .prepare<[], Record<string, unknown>>(`select * from "${name}"`)
        .all()
        // The last use of a token is no change by a caller.
        .map(row => ({ ...row, ...('lastUsedAt' in row && { lastUsedAt: null }) })),
    ])
    return {
      tables: Object.fromEntries(rows),
      heads: [await headOf(server, acme.key), await headOf(server, other.key)],
    }
  } finally {
    database.close()
  }
}

/** The entity tag of the project list, which is the id of the whole tree, and the tags. */
async function headOf(server: Server, key: string): Promise<unknown[]> {
  const { headers } = await server.get('/api/projects', key)
  const { text } = await server.get(`/api/projects/${NAMES.slug}/releases`, key)
  return [headers.etag, text]
}
