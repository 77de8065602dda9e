/** A built Parlance with an organization to measure on, filled over its own API. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Running } from './harness.ts'

export const SERVER = join(import.meta.dirname, '../../dist/main.js')

interface Options {
  env?: Record<string, string>
  flags?: string[]
}

/** A running server, and what a client of its organization needs. */
export interface Parlance {
  running: Running
  founder: Founder
  /** The id of the organization. */
  organization: string
  key: string
  /** Calls the API with the token. @throws Error for any status but 2xx */
  call(method: string, path: string, body?: unknown): Promise<Response>
}

/** Starts a server on a data folder. @param options `flags` of Node */
export function startServer(dataDir: string, { env = {}, flags = [] }: Options = {}): Promise<Running> {
  const settings = { PORT: '0', DATA_DIR: dataDir, RATE_LIMIT: 'off', LOG_LEVEL: 'error', ...env }
  return Running.start([process.execPath, ...flags, SERVER, 'serve'], settings)
}

/** As {@link startServer}, with an organization, a token and the project `web`. @param options `flags` of Node */
export async function startParlance(dataDir: string, options?: Options): Promise<Parlance> {
  const running = await startServer(dataDir, options)
  const founder = await signUp(running, 'ann')
  const { id, key } = await founder.found('acme')
  const call = callerWith(running, key)
  await call('POST', '/api/projects', { name: 'Web', slug: 'web', sourceLanguage: 'en' })
  return { running, founder, organization: id, key, call }
}

/** A signed-up user, who creates organizations. */
export interface Founder {
  /** Creates an organization and a token of it. */
  found(slug: string): Promise<{ id: string; key: string }>
}

/** Signs a user up. Most of the time is the password hash. */
async function signUp(running: Running, name: string): Promise<Founder> {
  const account = { name, email: `${name}@example.com`, password: 'choose-a-long-one' }
  const signedUp = await caller(running, {})('POST', '/api/auth/sign-up/email', account)
  const cookie = signedUp.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const call = caller(running, { cookie, origin: running.url.origin })
  return {
    async found(slug) {
      const made = await call('POST', '/api/auth/organization/create', { name: slug, slug })
      const { id } = (await made.json()) as { id: string }
      const { key } = (await (await call('POST', '/api/tokens', { name: 'bench' })).json()) as { key: string }
      return { id, key }
    },
  }
}

/** The API as a token sees it. */
export const callerWith = (running: Running, key: string) => caller(running, { 'x-api-key': key })

function caller(running: Running, headers: Record<string, string>) {
  return async (method: string, path: string, body?: unknown): Promise<Response> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(new URL(path, running.url), { method, headers: { ...headers, ...type }, ...sent })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
}

/** The longest that anybody else waits for a small answer while something goes on, in milliseconds. */
export async function longestWait(call: ReturnType<typeof callerWith>, work: () => Promise<unknown>): Promise<number> {
  let over = false
  const waits: number[] = []
  const asking = (async () => {
    while (!over) {
      const from = performance.now()
      await call('GET', '/api/projects/web')
      waits.push(performance.now() - from)
    }
  })()
  await work()
  over = true
  await asking
  return Math.max(...waits)
}

/** A nested resource, about 90 bytes per key. @param version changes every hundredth text */
export function resourceOf(keys: number, version = 0): Record<string, Record<string, string>> {
  const resource: Record<string, Record<string, string>> = {}
  for (let at = 0; at < keys; at++) {
    const section = (resource[`section${Math.floor(at / 50)}`] ??= {})
    const digest = createHash('md5').update(String(at)).digest('hex')
    section[`item${1000 + at}`] = `Translated text ${digest} for {{name}}, ${at % 100 === 0 ? version : 0}`
  }
  return resource
}
