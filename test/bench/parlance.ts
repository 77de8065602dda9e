/** A built Parlance with an organization to measure on, filled over its own API. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Running } from './harness.ts'

export const SERVER = join(import.meta.dirname, '../../dist/main.js')

/** A running server, and what a client of its organization needs. */
export interface Parlance {
  running: Running
  key: string
  /** Calls the API with the token. @throws Error for any status but 2xx */
  call(method: string, path: string, body?: unknown): Promise<Response>
}

/** Starts a server on a data folder and makes the first organization with a token and the project `web`. @param options `flags` of Node */
export async function startParlance(
  dataDir: string,
  { env = {}, flags = [] }: { env?: Record<string, string>; flags?: string[] } = {},
): Promise<Parlance> {
  const running = await Running.start([process.execPath, ...flags, SERVER, 'serve'], {
    PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    ...env,
  })
  const { key } = await newOrganization(running, 'acme')
  const call = caller(running, { 'x-api-key': key })
  await call('POST', '/api/projects', { name: 'Web', slug: 'web', sourceLanguage: 'en' })
  return { running, key, call }
}

/** Signs somebody up who makes an organization and a token of it. */
export async function newOrganization(running: Running, slug: string): Promise<{ key: string }> {
  const account = { name: 'Ann', email: `ann@${slug}.example.com`, password: 'choose-a-long-one' }
  const signedUp = await caller(running, {})('POST', '/api/auth/sign-up/email', account)
  const cookie = signedUp.headers
    .getSetCookie()
    .map(line => line.split(';')[0])
    .join('; ')
  const call = caller(running, { cookie, origin: running.url.origin })
  await call('POST', '/api/auth/organization/create', { name: slug, slug })
  return (await (await call('POST', '/api/tokens', { name: 'bench' })).json()) as { key: string }
}

function caller(running: Running, headers: Record<string, string>) {
  return async (method: string, path: string, body?: unknown): Promise<Response> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(new URL(path, running.url), { method, headers: { ...headers, ...type }, ...sent })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }
}

/** A nested resource of so many keys, about 90 bytes each. @param version changes every hundredth text */
export function resourceOf(keys: number, version = 0): Record<string, Record<string, string>> {
  const resource: Record<string, Record<string, string>> = {}
  for (let at = 0; at < keys; at++) {
    const section = (resource[`section${Math.floor(at / 50)}`] ??= {})
    const digest = createHash('md5').update(String(at)).digest('hex')
    section[`item${1000 + at}`] = `Translated text ${digest} for {{name}}, ${at % 100 === 0 ? version : 0}`
  }
  return resource
}
