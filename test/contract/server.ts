/** A running Parlance for the contract tests: the real app on a free port, over HTTP, and the system git. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { type ClientRequest, type IncomingHttpHeaders, request as open } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { type BuildOptions, buildApp } from '../../src/app.ts'
import type { TokenScope } from '../../src/auth/access.ts'
import type { LanguageRights } from '../../src/auth/rights.ts'
import { readConfig } from '../../src/config.ts'
import { Store } from '../../src/store/store.ts'
import { type ApiDocument, Description } from '../described.ts'
import { eventually } from '../eventually.ts'
import { prepareData } from '../prepared-data.ts'
import '../quick-passwords.ts'
import { newFolder, testsWithFolder } from '../new-folder.ts'

export { eventually }

/** The server seals a write into git within a second of its answer. */
const SEALED_WITHIN_MS = 1500

/** A whole answer, or the first lines of an event stream. `json` is undefined when the body is no JSON. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of the answers
  json: any
}

/** Headers and body of a request. A `body` that is neither text nor bytes is sent as JSON. */
export interface Sending {
  headers?: Record<string, string | string[]>
  body?: unknown
  /** An API token, sent as `x-api-key`. */
  key?: string
  /** A session. Its requests send the `Origin` of the server, as a browser does. */
  as?: Session
  /** Send no `content-length`. */
  chunked?: boolean
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bytes of a body: text and bytes unchanged, other values as JSON. */
function payload(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** The cookie jar of a signed-in user. */
export class Session {
  readonly cookies = new Map<string, string>()
  user = { id: '', name: '', email: '' }
  password = ''

  keep(headers: IncomingHttpHeaders): void {
    for (const line of headers['set-cookie'] ?? []) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      const value = pair.slice(at + 1)
      if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(pair.slice(0, at))
      else this.cookies.set(pair.slice(0, at), value)
    }
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

/** An organization with its owner and a write token. */
export interface Organization {
  id: string
  slug: string
  owner: Session
  key: string
}

let serial = 0
/** The OpenAPI document of the first server in a separate process. */
let asked: ApiDocument | undefined

export class Server {
  readonly base: string
  readonly dataDir: string
  readonly close: () => Promise<void>
  readonly #isElsewhere: boolean
  #description: Description | undefined

  /** @param isElsewhere whether the server is another process: `answers-described.ts` does not see its answers */
  constructor(base: string, dataDir: string, close: () => Promise<void>, isElsewhere = true) {
    this.base = base
    this.dataDir = dataDir
    this.close = close
    this.#isElsewhere = isElsewhere
  }

  get origin(): string {
    return new URL(this.base).origin
  }

  /** Opens a request with the exact path, without normalization. */
  open(method: string, path: string, headers: Record<string, string | string[]> = {}): ClientRequest {
    const { hostname, port } = new URL(this.base)
    return open({ host: hostname, port, method, path, headers, agent: false })
  }

  /** @throws Error for an answer of another process that the OpenAPI document does not describe */
  async call(method: string, path: string, sending: Sending = {}): Promise<Reply> {
    const reply = await this.#ask(method, path, sending)
    if (!this.#isElsewhere) return reply
    this.#description ??= await this.#describe()
    const { status, headers, bytes: body } = reply
    const faults = this.#description?.faults({ method, path, status, headers, body }) ?? []
    if (faults.length === 0) return reply
    throw new Error(`${method} ${path} answered ${status} ${reply.text.slice(0, 300)}: ${faults.join('; ')}`)
  }

  /** The document that the answers must match. Undefined when the server was killed before it sent the document. */
  async #describe(): Promise<Description | undefined> {
    asked ??= await this.#ask('GET', '/api/openapi.json').then(
      ({ json }) => json,
      () => undefined,
    )
    return asked && Description.of(asked)
  }

  #ask(method: string, path: string, sending: Sending = {}): Promise<Reply> {
    const body = payload(sending.body)
    const headers: Record<string, string | string[]> = { ...sending.headers }
    const has = (name: string) => Object.keys(headers).some(key => key.toLowerCase() === name)
    if (sending.key !== undefined) headers['x-api-key'] = sending.key
    if (sending.as !== undefined) {
      headers.cookie = sending.as.cookie
      if (!has('origin') && !has('sec-fetch-site')) headers.origin = this.origin
    }
    if (body !== undefined && !has('content-type')) headers['content-type'] = 'application/json'
    if (body !== undefined && sending.chunked !== true) headers['content-length'] = String(body.length)
    if (headers['content-type'] === '') delete headers['content-type']
    return new Promise((resolve, reject) => {
      const request = this.open(method, path, headers)
      request.on('error', reject)
      request.on('response', response => {
        const parts: Buffer[] = []
        const isEndless = response.headers['content-type'] === 'text/event-stream' && method !== 'HEAD'
        response.on('data', part => {
          parts.push(part)
          if (isEndless) response.destroy()
        })
        response.on('error', reject)
        response.on(isEndless ? 'close' : 'end', () => {
          const bytes = Buffer.concat(parts)
          const text = bytes.toString('utf8')
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes,
            text,
            json: parsed(text),
          })
          if (sending.as !== undefined && path.startsWith('/api/auth/')) sending.as.keep(response.headers)
        })
      })
      request.end(body)
    })
  }

  get = (path: string, key?: string, headers: Record<string, string> = {}) =>
    this.call('GET', path, { headers, ...(key === undefined ? {} : { key }) })
  put = (path: string, key: string, body: unknown, headers: Record<string, string> = {}) =>
    this.call('PUT', path, { key, body, headers })
  post = (path: string, key: string, body: unknown, headers: Record<string, string> = {}) =>
    this.call('POST', path, { key, body, headers })

  /** A call that must succeed, for the setup of a test. */
  async must(method: string, path: string, sending: Sending): Promise<Reply> {
    const reply = await this.call(method, path, sending)
    if (reply.status >= 300) throw new Error(`${method} ${path} answered ${reply.status} ${reply.text}`)
    return reply
  }

  async signUp(name: string, email = `${name.toLowerCase()}${++serial}@example.com`): Promise<Session> {
    const session = new Session()
    session.password = `correct horse ${name}`
    const body = { name, email, password: session.password }
    const reply = await this.must('POST', '/api/auth/sign-up/email', { body, headers: { origin: this.origin } })
    session.keep(reply.headers)
    session.user = { id: reply.json.user.id, name, email }
    return session
  }

  signIn(email: string, password: string, headers: Record<string, string> = {}): Promise<Reply> {
    return this.call('POST', '/api/auth/sign-in/email', { body: { email, password }, headers })
  }

  /** Creates an organization, which becomes the active one of the owner. */
  async createOrganization(owner: Session, slug = `acme-${++serial}`): Promise<string> {
    const body = { name: slug, slug }
    const reply = await this.must('POST', '/api/auth/organization/create', { as: owner, body })
    return reply.json.id
  }

  async mint(as: Session, name = 'ci', scope: TokenScope = 'write', projects?: string[]) {
    const body = { name, scope, ...(projects && { projects }) }
    return (await this.must('POST', '/api/tokens', { as, body })).json
  }

  async organization(name = 'Ann'): Promise<Organization> {
    const owner = await this.signUp(name)
    const slug = `acme-${++serial}`
    const id = await this.createOrganization(owner, slug)
    return { id, slug, owner, key: (await this.mint(owner)).key }
  }

  /** Invites an address. The link contains the `id` of the answer. */
  invite(as: Session, email: string, role: string): Promise<Reply> {
    return this.call('POST', '/api/auth/organization/invite-member', { as, body: { email, role } })
  }

  /** A new user who accepted an invitation, with the organization active. */
  async join(organization: Organization, name: string, role: 'admin' | 'member'): Promise<Session> {
    const email = `${name.toLowerCase()}${++serial}@example.com`
    const invitation = await this.invite(organization.owner, email, role)
    if (invitation.status !== 200) throw new Error(`invite-member answered ${invitation.status} ${invitation.text}`)
    const session = await this.signUp(name, email)
    await this.accept(session, invitation.json.id)
    await this.activate(session, organization.id)
    return session
  }

  /** The id of a user's membership. */
  async membership({ owner, id }: Organization, { user }: Session): Promise<string> {
    const path = `/api/auth/organization/list-members?organizationId=${id}`
    const { members } = (await this.must('GET', path, { as: owner })).json
    return members.find((member: { userId: string }) => member.userId === user.id).id
  }

  /** Narrows a member; null removes the rights. */
  async narrow(organization: Organization, member: Session, rights: LanguageRights | null): Promise<Reply> {
    const path = `/api/members/${await this.membership(organization, member)}/rights`
    return this.must('PUT', path, { as: organization.owner, body: { rights } })
  }

  accept(session: Session, invitationId: string): Promise<Reply> {
    return this.must('POST', '/api/auth/organization/accept-invitation', { as: session, body: { invitationId } })
  }

  activate(session: Session, organizationId: string): Promise<Reply> {
    return this.must('POST', '/api/auth/organization/set-active', { as: session, body: { organizationId } })
  }

  async project(key: string, slug: string, sourceLanguage = 'en', defaultFormat = 'i18next-json'): Promise<string> {
    const body = { name: slug, slug, sourceLanguage, defaultFormat }
    await this.must('POST', '/api/projects', { key, body })
    return `/api/projects/${slug}`
  }

  /** The model of a whole language: message by key, for one namespace. */
  async model(key: string, project: string, language: string, namespace: string): Promise<Map<string, unknown>> {
    const reply = await this.get(`${project}/bundles/${language}`, key)
    if (reply.status !== 200) throw new Error(`whole language answered ${reply.status} ${reply.text}`)
    const rows: { key: string; namespace: string; message: unknown }[] = reply.json.keys
    return new Map(rows.filter(row => row.namespace === namespace).map(row => [row.key, row.message]))
  }

  repository(organization: string): string {
    return join(this.dataDir, 'organizations', organization)
  }

  git(organization: string, ...args: string[]): string {
    return git(this.repository(organization), ...args)
  }

  /** Waits until all acknowledged writes are in git. A server in another process seals them by itself. */
  async sealed(organization: string): Promise<void> {
    const store = stores.get(join(this.dataDir, 'organizations'))
    if (store === undefined) await this.#sealedElsewhere()
    else await store.flush(organization)
  }

  /** For a server in another process: no event reports the seal, and its work tree follows within the pause. */
  async #sealedElsewhere(): Promise<void> {
    await pause(SEALED_WITHIN_MS)
    const isSealed = async () => /^parlance_unsealed_commits 0$/m.test((await this.get('/metrics')).text)
    // While others write, unsealed writes may always exist.
    await eventually(isSealed, 10_000)
  }

  /** The number of commits, with all acknowledged writes. */
  async commits(organization: string): Promise<number> {
    await this.sealed(organization)
    return countCommits(this.repository(organization))
  }

  /** The newest commit, with all acknowledged writes. The index of git may follow later. */
  async newest(organization: string): Promise<string> {
    const store = stores.get(join(this.dataDir, 'organizations'))
    if (store === undefined) await this.#sealedElsewhere()
    else await store.readGit(organization, async () => {})
    return readFileSync(join(this.repository(organization), '.git/refs/heads/main'), 'latin1').trim()
  }
}

/** The last store that this process has opened, by folder. */
const stores = new Map<string, Store>()
const openStore = Store.open.bind(Store)
Store.open = async options => {
  const store = await openStore(options)
  stores.set(options.directory, store)
  return store
}

export function git(folder: string, ...args: string[]): string {
  const all = ['-c', 'safe.directory=*', '-c', 'core.quotePath=false', '-C', folder, ...args]
  return execFileSync('git', all, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 })
}

export function countCommits(folder: string): number {
  try {
    return Number(git(folder, 'rev-list', '--count', 'HEAD').trim())
  } catch {
    return 0
  }
}

/** The output of `git hash-object` for the bytes. */
export function hashObject(bytes: Buffer): string {
  return execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }).trim()
}

/** Settings of a quiet server with open sign-up. A test overrides some of them. */
export function settings(dataDir: string, env: Record<string, string> = {}): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: dataDir,
    RATE_LIMIT: 'off',
    SIGN_UP: 'open',
    LOG_LEVEL: process.env.CONTRACT_LOG ?? 'silent',
    ...env,
  }
}

/** A data folder of the test, removed after its servers are closed. */
export function dataFolder(t: Test): string {
  return join(testsWithFolder.has(t) ? newFolder(t) : t.testdir(), 'data')
}

/** An app that listens, on loopback. */
export interface Running {
  port: number
  /** May be called repeatedly. */
  close(): Promise<void>
}

/** Starts the app in this process by the settings given. */
export async function runApp(env: Record<string, string>, build: BuildOptions): Promise<Running> {
  mkdirSync(env.DATA_DIR!, { recursive: true })
  const config = readConfig(env)
  const app = await buildApp(config, build)
  let closed: Promise<void> | undefined
  const close = () => (closed ??= Promise.resolve(app.close()).then(() => undefined))
  await app.listen({ host: '127.0.0.1', port: config.port })
  return { port: (app.server.address() as AddressInfo).port, close }
}

/**
 * Starts the app in this process; it stops when the test ends. `dataDir` continues an earlier one's folder. With
 * `BEHIND` set, the address of a PostgreSQL, it is two nodes behind a load balancer: see cluster/contract.long.test.ts.
 */
export async function startServer(
  t: Test,
  options: { env?: Record<string, string>; dataDir?: string } & BuildOptions = {},
): Promise<Server> {
  t.setTimeout(0)
  const { env, dataDir = dataFolder(t), ...build } = options
  const { BEHIND: postgres } = process.env
  let running: Running
  if (postgres !== undefined) {
    const { startBehind } = await import('../cluster/behind.ts')
    running = await startBehind(t, postgres, dataDir, env, build)
  } else {
    if (options.dataDir === undefined) await prepareData(dataDir)
    running = await runApp(settings(dataDir, env), build)
  }
  const { port, close } = running
  t.teardown(close)
  return new Server(`http://127.0.0.1:${port}`, dataDir, close, false)
}

/** Why a test that edits files in the one server's folder is skipped behind two nodes. */
export const severalFolders = process.env.BEHIND !== undefined && 'two nodes have two folders'

/** `encodeURIComponent`, as a client builds a key's path. */
export const segment = (key: string): string => encodeURIComponent(key)

/** Asserts that a status is one of the allowed ones. */
export function oneOf(t: Test, found: number, allowed: number[], message: string): void {
  t.ok(allowed.includes(found), `${message}: ${allowed.join(' or ')}, found ${found}`)
}

/** Asserts the error shape: a sentence, the fault of a machine if it has one, `more`, and no internals. */
export function isError(t: Test, reply: Reply, status: number | number[], message: string, more: string[] = []): void {
  const allowed = Array.isArray(status) ? status : [status]
  const body = reply.json
  t.ok(
    allowed.includes(reply.status),
    `${message}: ${allowed.join(' or ')}, found ${reply.status} ${reply.text.slice(0, 200)}`,
  )
  t.equal(typeof body?.error, 'string', `${message}: says why as { error }: ${reply.text.slice(0, 200)}`)
  const allowedFields = ['error', reply.status === 412 ? 'etag' : 'fault']
  const fields = Object.keys(body ?? {}).filter(name => ![...allowedFields, ...more].includes(name))
  t.strictSame(fields, [], `${message}: nothing beside error`)
  noLeak(t, reply, message)
}

/** Asserts an error of `/api/auth/*`, which has the code and the message of better-auth. */
export function isAuthError(t: Test, reply: Reply, status: number | number[], message: string): void {
  isError(t, reply, status, message, ['code', 'message'])
}

/** Asserts that an answer has no stack trace, path of the machine or library name. */
export function noLeak(t: Test, reply: Reply, message: string): void {
  const leak = /\n\s+at |node_modules|\/src\/|\.ts:\d|file:\/\/|SqliteError|FST_ERR|ZodError|SQLITE_/
  t.notMatch(reply.text, leak, `${message}: leaks nothing`)
}

/** A server with one organization and its project `web`, for all tests of a file; `web` is the project's path. */
export async function openWeb(t: Test): Promise<{ server: Server; acme: Organization; web: string }> {
  const server = await startServer(t)
  const acme = await server.organization()
  return { server, acme, web: await server.project(acme.key, 'web') }
}
