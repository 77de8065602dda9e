/** Requests to the server's HTTP API, with retries where these are safe. */
import { setTimeout as pause } from 'node:timers/promises'
import { isObject } from '../../bundle/body.ts'
import type { Settings } from '../config/settings.ts'
import { shownUrl } from '../config/url.ts'
import { Problem, usage } from '../problem.ts'
import type { CliEnvironment, Surroundings } from '../surroundings.ts'
import { sizeText } from '../terminal/table.ts'
import { type ServerEvent, serverEvents } from './events.ts'
import { failedProxy, useProxies } from './proxy.ts'
import { bytesOf, type Reply, request, TOO_LARGE } from './request.ts'
import type { Shape } from './shape.ts'

/** An accepted answer. */
export interface AcceptedAnswer<T> extends Omit<Reply, 'body'> {
  /** The checked body of a success. */
  json: T
  /** The server's sentence about another status. */
  error: string | undefined
}

/** Options of a request. */
export interface Sending {
  /** A list repeats its parameter. True is `true`; false and undefined are left out. */
  query?: Record<string, string | number | string[] | boolean | undefined>
  /** Sent as JSON. */
  body?: unknown
  ifMatch?: string
  ifNoneMatch?: string
  /** Accepted statuses; 200 to 299 by default. */
  accept?: number[]
  /** The media type of the body; JSON by default. */
  type?: string
  headers?: Record<string, string>
}

/** Each request throws a Problem: for other statuses with the server's sentence, without an answer with the reason. */
export interface Api {
  /** The server, with a `/` at its end. */
  url: URL
  /**
   * @param path under `<url>/api/`, its segments encoded: `projects/web/status`
   * @param shape of the body of a success: of its JSON, or of its text if another type is requested
   */
  ask<T>(method: string, path: string, shape: Shape<T>, sending?: Sending): Promise<AcceptedAnswer<T>>
  /** Any answer, unchecked. The caller reads the body. */
  send(method: string, path: string, sending: Sending): Promise<Reply>
  bytes(path: string, sending?: Sending): Promise<Omit<Reply, 'body'> & { bytes: Buffer }>
  /** The caller reads the body. */
  stream(path: string, sending?: Sending): Promise<Reply>
  /** Each event, across reconnections, until the signal or `stop`. @param lastId the id of the last known event */
  events<T>(
    path: string,
    shape: Shape<T>,
    options?: { lastId?: string; signal?: AbortSignal },
  ): AsyncIterable<ServerEvent<T>>
}

/** The path of a project's route under `/api/`. */
export const projectPath = (project: string, ...more: string[]): string =>
  ['projects', project, ...more].map(encodeURIComponent).join('/')

/** Maximum pages of a list: a wrong server could send them for ever. */
const MAX_PAGES = 10_000

/**
 * Requests the pages of a list until one has no next cursor.
 * @param query of all pages, or a function for that of the next one
 */
export async function* pagesOf<T extends { next?: string | null | undefined }>(
  api: Api,
  path: string,
  shape: Shape<T>,
  query: NonNullable<Sending['query']> | (() => NonNullable<Sending['query']>),
): AsyncGenerator<T> {
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const asked = typeof query === 'function' ? query() : query
    const { json } = await api.ask('GET', path, shape, { query: { ...asked, cursor } })
    yield json
    cursor = json.next ?? undefined
    if (cursor === undefined) return
  }
  throw new Problem(`The list of ${shownUrl(api.url)} at /api/${path} has no end.`, { hint: NO_PARLANCE })
}

const NO_PARLANCE = 'Is this the address of a Parlance server?'

/** Maximum bytes of an answer. */
const MAX_BYTES = { json: 2 ** 28, export: 2 ** 30 }

type Caller = Pick<Surroundings, 'env' | 'version' | 'err' | 'stop' | 'send'>

/** Maximum requests of one call. */
const MAX_TRIES = 8
/** Maximum requests to an address that refuses connections: it may be mistyped. */
const MAX_REFUSED_TRIES = 3
/** Milliseconds before the first retry without `Retry-After`; each further wait doubles. */
const FIRST_WAIT = 250
/** Maximum milliseconds of a wait that the server requests. */
const MAX_WAIT = 60_000

/** @throws Problem (exit 2) without an address or a token */
export function openApi(caller: Caller, { url, token }: Settings): Api {
  if (url.value === undefined) {
    throw usage('Which server?', { hint: 'Give --url <address>, set PARLANCE_URL, or run `parlance login`.' })
  }
  if (token.value === undefined) {
    const hint = 'Run `parlance login`, or set PARLANCE_TOKEN, as in CI.'
    throw usage(`There is no token for ${shownUrl(url.value)}.`, { hint })
  }
  return apiOf(caller, url.value, token.value)
}

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
    // A write ends before Ctrl-C stops it: without an answer its outcome is unknown. A second Ctrl-C ends all.
    await useProxies(caller.env)
    for (let tried = 1; ; tried++) {
      const last = tried === MAX_TRIES
      caller.stop.throwIfAborted()
      try {
        const whole = { method, headers, body }
        const reply = await (mayWrite
          ? announced(open(target, whole))
          : open(target, { ...whole, signal: caller.stop }))
        const wait = last ? undefined : waitFor(reply, tried)
        if (wait === undefined) return reply
        reply.body.resume()
        await hold(wait, `${where} answers ${reply.status}`)
      } catch (error) {
        if (!mayWrite) caller.stop.throwIfAborted()
        const isLast = last || (codeOf(error) === 'ECONNREFUSED' && tried === MAX_REFUSED_TRIES)
        if (!isRead(method) || isLast || !isPassing(error)) throw unreachable(error, url, caller.env, mayWrite)
        await hold(backOff(tried), `${where} does not answer (${reasonOf(error)})`)
      }
    }
  }

  /** Waits for an answer, and says so at Ctrl-C. */
  async function announced<T>(answer: Promise<T>): Promise<T> {
    const say = () => void caller.err('Waiting for the answer to what was sent; Ctrl-C again ends that.\n')
    caller.stop.addEventListener('abort', say)
    return answer.finally(() => caller.stop.removeEventListener('abort', say))
  }

  async function hold(milliseconds: number, why: string): Promise<void> {
    await caller.err(`${why}: trying again in ${Math.max(1, Math.round(milliseconds / 1000))} s …\n`)
    await pause(milliseconds, undefined, { signal: caller.stop }).catch(() => caller.stop.throwIfAborted())
  }

  async function ask<T>(
    method: string,
    path: string,
    shape: Shape<T>,
    sending: Sending = {},
  ): Promise<AcceptedAnswer<T>> {
    const reply = await send(method, path, sending)
    const { bytes, ...rest } = await read(reply, isWrite(method, sending), MAX_BYTES.json)
    const text = bytes.toString()
    // A refusal is JSON in any case.
    const json = sending.type && tells(rest) ? text : parsed(text)
    const error = errorIn(json)
    const asked = `${method} /api/${path}`
    // A 404 without an error of ours is one of another server.
    const isOurs = tells(rest) ? sending.type || isObject(json) : rest.status !== 404 || error !== undefined
    if (!isOurs || !isAccepted(rest, sending)) throw refused({ ...rest, json, text }, where, asked)
    const fault = tells(rest) ? shape(json, '') : undefined
    if (fault === undefined) return { ...rest, json: json as T, error }
    throw new Problem(`${where} answers ${asked} otherwise than Parlance: ${fault}.`, { hint: NO_PARLANCE })
  }

  async function stream(path: string, sending: Sending = {}): Promise<Reply> {
    const reply = await send('GET', path, sending)
    if (isAccepted(reply, sending)) return reply
    const text = (await bytesOf(reply, MAX_BYTES.json).catch(() => '')).toString()
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
    send,
    stream,
    bytes: async (path, sending) => read(await stream(path, sending), false, MAX_BYTES.export),
    events: (path, shape, { lastId, signal = caller.stop } = {}) =>
      serverEvents(stream, path, { lastId, signal, shape, where }),
  }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const isWrite = (method: string, { query }: Sending) => !isRead(method) && query?.dryRun !== true

const isSuccess = ({ status }: Pick<Reply, 'status'>) => status >= 200 && status < 300

/** Whether an answer has what was asked for in its body. */
const tells = (reply: Pick<Reply, 'status'>) => isSuccess(reply) && reply.status !== 204

/** A success of another media type comes from another server or a gateway. */
const isAccepted = (reply: Pick<Reply, 'status' | 'headers'>, { accept, type = 'application/json' }: Sending) =>
  (accept?.includes(reply.status) ?? isSuccess(reply)) &&
  (!tells(reply) || reply.headers['content-type']?.startsWith(type) === true)

/** Milliseconds before the next retry; undefined: no retry. */
export function waitFor({ status, headers }: Pick<Reply, 'status' | 'headers'>, tried: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const after = headers['retry-after']
  if (after === undefined) return backOff(tried)
  const milliseconds = /^\d+$/.test(after.trim()) ? Number(after) * 1000 : Date.parse(after) - Date.now()
  if (Number.isNaN(milliseconds)) return backOff(tried)
  if (milliseconds > MAX_WAIT) return undefined
  // Never earlier than requested. The random part spreads clients that got the same answer.
  return Math.max(0, milliseconds) + Math.random() * FIRST_WAIT
}

const backOff = (tried: number) => FIRST_WAIT * 2 ** (tried - 1) * (0.5 + Math.random() / 2)

const PASSING = new Set(['ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EPIPE', 'EAI_AGAIN'])

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

const isPassing = (error: unknown) => PASSING.has(codeOf(error))

const reasonOf = (error: unknown) => codeOf(error) || (error as Error).message

/** Errors after which the server may have got the whole request. */
const LOST = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])

/** @param isWrite whether the request may have changed something */
function unreachable(error: unknown, server: URL, env: CliEnvironment, isWrite: boolean): Problem {
  const where = shownUrl(server)
  const proxy = failedProxy(env, server, error)
  if (proxy) {
    const { variable, url, status } = proxy
    const failure = status === undefined ? `cannot be reached (${reasonOf(error)})` : `answers ${status}`
    const hint =
      status === 407
        ? `It needs a name and a password: put them into ${variable}, before the host.`
        : 'NO_PROXY names servers that need no proxy.'
    return new Problem(`${where} cannot be reached: the proxy of ${variable}, ${url.host}, ${failure}.`, {
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

/** The beginning of the server's sentence about an unknown path. */
const NO_ROUTE = 'There is nothing at this path'

const errorIn = (json: unknown): string | undefined =>
  isObject(json) && typeof json.error === 'string' ? json.error : undefined

interface Refusal extends Omit<Reply, 'body'> {
  json: unknown
  text: string
}

/** The problem of a refused answer: the server's sentence, if the server is one of Parlance. */
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
        hint: 'The server may be older than this CLI: install the CLI from its /cli. Or is the address not that of Parlance?',
      })
    }
    // A 400 is about words of the command line, such as a wrong language tag, release or time.
    return new Problem(error, { data, exit: status === 400 ? 2 : 1 })
  }
  const to = headers.location
  if (status >= 300 && status < 400 && to) {
    return usage(`${where} sends elsewhere: to ${to}.`, { data, hint: 'Give the address of Parlance itself.' })
  }
  const begins = text.trim() === '' ? '' : `, with ${JSON.stringify(text.trim().slice(0, 60))}`
  return new Problem(`${where} answers ${status}${begins}.`, {
    data,
    hint: NO_PARLANCE,
  })
}
