/** The server's HTTP API: one request and its answer, tried again where that is safe. */
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../bundle/body.ts'
import type { Settings } from '../config/settings.ts'
import { shownUrl } from '../config/url.ts'
import { Problem, usage } from '../problem.ts'
import type { Environment, Surroundings } from '../surroundings.ts'
import { sizeText } from '../terminal/table.ts'
import { type ServerEvent, serverEvents } from './events.ts'
import { failedProxy, useProxies } from './proxy.ts'
import { bytesOf, type Reply, request, TOO_LARGE } from './request.ts'
import type { Shape } from './shape.ts'

/** An answer that was accepted. */
export interface Answer<T> extends Omit<Reply, 'body'> {
  /** What was asked for, its shape checked. Only for a success: other statuses have an error. */
  json: T
  /** The server's sentence. */
  error: string | undefined
}

/** What goes along with a request. */
export interface Sending {
  /** Lists are repeated, true is `true`, false and undefined are left out. */
  query?: Record<string, string | number | string[] | boolean | undefined>
  /** Sent as JSON. */
  body?: unknown
  ifMatch?: string
  ifNoneMatch?: string
  /** Statuses that are no problem; 200 to 299 by default. */
  accept?: number[]
  /** What the body must be, by its media type; JSON by default, an object where it is asked for whole. */
  type?: string
  headers?: Record<string, string>
}

/**
 * See the top of the file. Each throws Problem: for other statuses with the server's sentence, without an answer with
 * why.
 */
export interface Api {
  /** Of the server, with a `/` at its end. */
  url: URL
  /**
   * @param path under `<url>/api/`, its segments encoded: `projects/web/status`
   * @param shape of the answer to a success: of its JSON, or of its text where another type is asked for
   */
  ask<T>(method: string, path: string, shape: Shape<T>, sending?: Sending): Promise<Answer<T>>
  /** As the bytes that come. */
  bytes(path: string, sending?: Sending): Promise<Omit<Reply, 'body'> & { bytes: Buffer }>
  /** Its body is the caller's to read. */
  stream(path: string, sending?: Sending): Promise<Reply>
  /** Each event, across reconnections, until the signal or `stop`. @param lastId what came after it is told first */
  events<T>(
    path: string,
    shape: Shape<T>,
    options?: { lastId?: string; signal?: AbortSignal },
  ): AsyncIterable<ServerEvent<T>>
}

/** The path of a project's route under `/api/`. */
export const projectPath = (project: string, ...more: string[]): string =>
  ['projects', project, ...more].map(encodeURIComponent).join('/')

/** Pages of a list before its server is taken for one that never ends. */
const MOST_PAGES = 10_000

/**
 * The pages of a list: each answer, until one names no next cursor.
 * @param query of all of them, or of the next one
 */
export async function* pagesOf<T extends { next?: string | null | undefined }>(
  api: Api,
  path: string,
  shape: Shape<T>,
  query: NonNullable<Sending['query']> | (() => NonNullable<Sending['query']>),
): AsyncGenerator<T> {
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const asked = typeof query === 'function' ? query() : query
    const { json } = await api.ask('GET', path, shape, { query: { ...asked, cursor } })
    yield json
    cursor = json.next ?? undefined
    if (cursor === undefined) return
  }
  throw new Problem(`The list of ${shownUrl(api.url)} at /api/${path} has no end.`, { hint: NO_PARLANCE })
}

const NO_PARLANCE = 'Is this the address of a Parlance server?'

/** The largest answer in bytes, of JSON and of an export. */
const MOST_BYTES = { json: 2 ** 28, export: 2 ** 30 }

/** What a caller has of its surroundings. */
type Caller = Pick<Surroundings, 'env' | 'version' | 'err' | 'stop' | 'send'>

/** Requests until it gives up. */
const TRIES = 8
/** Where nobody listens at all, waiting seldom helps, and a person has mistyped the address. */
const TRIES_REFUSED = 3
/** The first wait in ms where the server does not say how long; each is twice the one before. */
const FIRST_WAIT = 250
/** No server is waited for longer, in ms. */
const LONGEST_WAIT = 60_000

/** @throws Problem (exit 2) without an address or a token */
export function openApi(caller: Caller, { url, token }: Settings): Api {
  if (url.value === undefined) {
    throw usage('Which server?', { hint: 'Give --url <address>, set PARLANCE_URL, or run `parlance login`.' })
  }
  if (token.value === undefined) {
    const hint = 'Run `parlance login`, or set PARLANCE_TOKEN where nobody can be asked, as in CI.'
    throw usage(`There is no token for ${shownUrl(url.value)}.`, { hint })
  }
  return apiOf(caller, url.value, token.value)
}

/** The API for a caller who has shown what to use. */
export function apiOf(caller: Caller, url: URL, token: string): Api {
  const base = new URL('api/', url)
  const where = shownUrl(url)
  const open = caller.send ?? request

  async function send(method: string, path: string, sending: Sending): Promise<Reply> {
    const target = new URL(path, base)
    for (const [name, value] of Object.entries(sending.query ?? {})) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== false) target.searchParams.append(name, String(one))
      }
    }
    const headers: Record<string, string> = {
      'x-api-key': token,
      'user-agent': `parlance/${caller.version()}`,
      ...sending.headers,
    }
    if (sending.body !== undefined) headers['content-type'] = 'application/json'
    if (sending.ifMatch !== undefined) headers['if-match'] = sending.ifMatch
    if (sending.ifNoneMatch !== undefined) headers['if-none-match'] = sending.ifNoneMatch
    const body = sending.body === undefined ? undefined : JSON.stringify(sending.body)
    const mayWrite = isWrite(method, sending)
    // Whoever leaves a write in the middle cannot know whether it was done: it ends, or a second Ctrl-C ends all.
    await useProxies(caller.env)
    for (let tried = 1; ; tried++) {
      const last = tried === TRIES
      caller.stop.throwIfAborted()
      try {
        const whole = { method, headers, body }
        const reply = await (mayWrite ? told(open(target, whole)) : open(target, { ...whole, signal: caller.stop }))
        const wait = last ? undefined : waitFor(reply, tried)
        if (wait === undefined) return reply
        reply.body.resume()
        await hold(wait, `${where} answers ${reply.status}`)
      } catch (error) {
        if (!mayWrite) caller.stop.throwIfAborted()
        const isLast = last || (codeOf(error) === 'ECONNREFUSED' && tried === TRIES_REFUSED)
        if (!isRead(method) || isLast || !isPassing(error)) throw unreachable(error, url, caller.env, mayWrite)
        await hold(backOff(tried), `${where} does not answer (${reasonOf(error)})`)
      }
    }
  }

  /** Says, when Ctrl-C comes meanwhile, what is waited for. */
  async function told<T>(answer: Promise<T>): Promise<T> {
    const say = () => void caller.err('Waiting for the answer to what was sent; Ctrl-C again ends that.\n')
    caller.stop.addEventListener('abort', say)
    return answer.finally(() => caller.stop.removeEventListener('abort', say))
  }

  async function hold(milliseconds: number, why: string): Promise<void> {
    await caller.err(`${why}: trying again in ${Math.max(1, Math.round(milliseconds / 1000))} s …\n`)
    await pause(milliseconds, undefined, { signal: caller.stop }).catch(() => caller.stop.throwIfAborted())
  }

  async function ask<T>(method: string, path: string, shape: Shape<T>, sending: Sending = {}): Promise<Answer<T>> {
    const reply = await send(method, path, sending)
    const { bytes, ...rest } = await read(reply, isWrite(method, sending), MOST_BYTES.json)
    const text = bytes.toString()
    // What is refused is JSON whatever was asked for.
    const json = sending.type && tells(rest) ? text : parsed(text)
    const error = errorIn(json)
    const asked = `${method} /api/${path}`
    // What another server says of a path that it does not know means nothing.
    const isOurs = tells(rest) ? sending.type || isObject(json) : rest.status !== 404 || error !== undefined
    if (!isOurs || !isAccepted(rest, sending)) throw refused({ ...rest, json, text }, where, asked)
    const fault = tells(rest) ? shape(json, '') : undefined
    if (fault === undefined) return { ...rest, json: json as T, error }
    throw new Problem(`${where} answers ${asked} otherwise than Parlance: ${fault}.`, { hint: NO_PARLANCE })
  }

  async function stream(path: string, sending: Sending = {}): Promise<Reply> {
    const reply = await send('GET', path, sending)
    if (isAccepted(reply, sending)) return reply
    const text = (await bytesOf(reply, MOST_BYTES.json).catch(() => '')).toString()
    throw refused({ ...reply, json: parsed(text), text }, where, `GET /api/${path}`)
  }

  async function read({ body, ...rest }: Reply, mayWrite: boolean, most: number) {
    const bytes = await bytesOf({ body, ...rest }, most).catch(error => {
      caller.stop.throwIfAborted()
      if (codeOf(error) !== TOO_LARGE) throw unreachable(error, url, caller.env, mayWrite)
      throw new Problem(`The answer of ${where} has more than ${sizeText(most)}.`, { cause: error, hint: NO_PARLANCE })
    })
    return { ...rest, bytes }
  }

  return {
    url,
    ask,
    stream,
    bytes: async (path, sending) => read(await stream(path, sending), false, MOST_BYTES.export),
    events: (path, shape, { lastId, signal = caller.stop } = {}) =>
      serverEvents(stream, path, { lastId, signal, shape, where }),
  }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const isWrite = (method: string, { query }: Sending) => !isRead(method) && query?.dryRun !== true

const isSuccess = ({ status }: Pick<Reply, 'status'>) => status >= 200 && status < 300

/** Whether an answer has what was asked for in its body. */
const tells = (reply: Pick<Reply, 'status'>) => isSuccess(reply) && reply.status !== 204

/** A page that comes with success is of another server, or of a gateway; what is refused may be by one. */
const isAccepted = (reply: Pick<Reply, 'status' | 'headers'>, { accept, type = 'application/json' }: Sending) =>
  (accept?.includes(reply.status) ?? isSuccess(reply)) &&
  (!tells(reply) || reply.headers['content-type']?.startsWith(type) === true)

/** How long to wait before the request is made again, in ms; undefined: not at all. */
export function waitFor({ status, headers }: Pick<Reply, 'status' | 'headers'>, tried: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const told = headers['retry-after']
  if (told === undefined) return backOff(tried)
  const milliseconds = /^\d+$/.test(told.trim()) ? Number(told) * 1000 : Date.parse(told) - Date.now()
  if (Number.isNaN(milliseconds)) return backOff(tried)
  if (milliseconds > LONGEST_WAIT) return undefined
  // Never earlier than told; those who were told the same come back one after another.
  return Math.max(0, milliseconds) + Math.random() * FIRST_WAIT
}

const backOff = (tried: number) => FIRST_WAIT * 2 ** (tried - 1) * (0.5 + Math.random() / 2)

const PASSING = new Set(['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN'])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

const isPassing = (error: unknown) => PASSING.has(codeOf(error))

const reasonOf = (error: unknown) => codeOf(error) || (error as Error).message

/** When the server may have had all of the request. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** @param isWrite whether it would make a difference that the request came, and its answer did not */
function unreachable(error: unknown, server: URL, env: Environment, isWrite: boolean): Problem {
  const where = shownUrl(server)
  const proxy = failedProxy(env, server, error)
  if (proxy) {
    const { variable, url, status } = proxy
    const came = status === undefined ? `cannot be reached (${reasonOf(error)})` : `answers ${status}`
    const hint =
      status === 407
        ? `It wants a name and a password: put them into ${variable}, before the host.`
        : 'NO_PROXY names servers that are asked without it.'
    return new Problem(`${where} cannot be reached: the proxy of ${variable}, ${url.host}, ${came}.`, {
      cause: error,
      hint,
    })
  }
  const code = codeOf(error)
  const hint =
    LOST.has(code) && isWrite
      ? 'What was sent may have been done all the same.'
      : /CERT|TLS|SSL|SIGN/.test(code)
        ? 'Its certificate is not one that Node trusts: NODE_EXTRA_CA_CERTS=<file> adds an authority of your own.'
        : 'Is the address right, and is the server running? `HTTPS_PROXY` and `NO_PROXY` name proxies.'
  return new Problem(`${where} cannot be reached (${reasonOf(error)}).`, { cause: error, hint })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How a server begins what it says of a path of which it has no route. */
const NO_ROUTE = 'There is nothing at this path'

const errorIn = (json: unknown): string | undefined =>
  isObject(json) && typeof json.error === 'string' ? json.error : undefined

/** An answer that was not accepted. */
interface Refusal extends Omit<Reply, 'body'> {
  json: unknown
  text: string
}

/** The problem that an answer comes to: the server's sentence, where it is one of Parlance. */
function refused({ status, headers, json, text }: Refusal, where: string, asked: string): Problem {
  const { error: _, ...rest } = isObject(json) ? json : {}
  const data = { ...rest, status }
  const error = errorIn(json)
  if (error !== undefined) {
    if (status === 401)
      return usage(error, { data, hint: `Run \`parlance login\`, or set PARLANCE_TOKEN to a token of ${where}.` })
    if (status === 404 && error.startsWith(NO_ROUTE)) {
      return new Problem(`${where} has no ${asked}.`, {
        data,
        hint: 'A server that is older than this command lacks some: take the one that it hands out, at its /cli. Or is the address not the one of Parlance?',
      })
    }
    // What cannot be meant stood in the command line: a wrong tag of a language, name of a release, time.
    return new Problem(error, { data, exit: status === 400 ? 2 : 1 })
  }
  const to = headers.location
  if (status >= 300 && status < 400 && to) {
    return usage(`${where} sends elsewhere: to ${to}.`, { data, hint: 'Give the address that Parlance itself has.' })
  }
  const begins = text.trim() === '' ? '' : `, with ${JSON.stringify(text.trim().slice(0, 60))}`
  return new Problem(`${where} answers ${status}${begins}.`, {
    data,
    hint: NO_PARLANCE,
  })
}
