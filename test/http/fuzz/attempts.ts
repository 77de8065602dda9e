/** Sends requests and checks that no answer is a server failure and that all refusals have the one error shape. */
import type { Test } from 'tap'
import type { Description } from '../../described.ts'
import type { Server } from '../server.ts'
import { type Answer, render, send, type Wire } from './wire.ts'

/** Maximum milliseconds until an answer, on any machine. */
const SLOW_MS = 60_000
const AT_ONCE = 16

export class Attempts {
  /** The number of requests that were sent. */
  count = 0
  readonly #server: Server
  /** The OpenAPI document that the answers must match. */
  description: Description | undefined

  constructor(server: Server) {
    this.#server = server
  }

  /** Sends a request. @returns the problems of the answer, each with its request */
  async one(wire: Wire): Promise<string[]> {
    const begun = performance.now()
    this.count++
    try {
      const answers = await send(this.#server, render(wire))
      const problems = this.judge(wire, answers)
      const elapsed = performance.now() - begun
      if (elapsed > SLOW_MS) problems.push(`no answer within ${Math.round(elapsed)} ms`)
      return problems.map(problem => `${problem}: ${show(wire)} -> ${answers.map(({ status }) => status)}`)
    } catch (error) {
      return [`${(error as Error).message}: ${show(wire)}`]
    }
  }

  /** Sends all requests, a few at a time, and asserts that no answer has a problem. */
  async all(t: Test, wires: Wire[]): Promise<void> {
    const problems: string[] = []
    const queue = [...wires]
    const worker = async () => {
      for (let wire = queue.pop(); wire; wire = queue.pop()) problems.push(...(await this.one(wire)))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    t.strictSame(problems.slice(0, 10), [], `${wires.length} requests`)
  }

  /** The problems of the answers to a request. */
  judge({ method, target: path }: Pick<Wire, 'method' | 'target'>, answers: Answer[]): string[] {
    const final = answers.filter(({ status }) => status >= 200)
    if (final.length === 0) return ['no answer']
    return final.flatMap(answer => [
      ...this.#anyAnswer(answer),
      ...(this.description?.faults({ ...answer, method, path, headers: Object.fromEntries(answer.headers) }) ?? []),
      ...(answer.status < 400 || method === 'HEAD' ? [] : this.#refusal(answer, path)),
    ])
  }

  #anyAnswer({ status, headers, body }: Answer): string[] {
    const problems: string[] = []
    if (status >= 500) problems.push(`status ${status}`)
    if (headers.some(([name]) => name === 'x-injected')) problems.push('a header was injected')
    if (!headers.some(([name, value]) => name === 'x-content-type-options' && value === 'nosniff')) {
      problems.push('no security headers')
    }
    if (body.includes(this.#server.dataDir)) problems.push('it shows the path of the data folder')
    return problems
  }

  #refusal({ status, headers, body }: Answer, path: string): string[] {
    const isRpc = path.startsWith('/api/mcp')
    const text = body.toString()
    const problems: string[] = []
    const type = headers.find(([name]) => name === 'content-type')?.[1]
    if (!type?.startsWith('application/json')) problems.push(`content type ${type}`)
    if (/node_modules|\/src\/|\.ts:\d|SQLITE_|FST_ERR|ZodError/.test(text)) problems.push('it shows internals')
    const answer = parsed(text)
    const more = isRpc ? ['jsonrpc', 'id'] : path.startsWith('/api/auth') ? ['code', 'message'] : []
    // A refusal of a machine translator has a code beside its sentence.
    if (/\/(?:suggest|translate)\b/.test(path)) more.push('fault')
    const known = ['error', ...more, ...(status === 412 ? ['etag'] : [])]
    const odd = Object.keys(answer).filter(name => !known.includes(name))
    // An error of JSON-RPC 2.0 is an object.
    const sentence = isRpc && typeof answer.error === 'object' ? Object(answer.error).message : answer.error
    if (typeof sentence === 'string' && sentence !== '' && odd.length === 0) return problems
    return [...problems, `no error: ${text.slice(0, 200)}`]
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function show({ method, target, headers, body, framing }: Wire): string {
  const short = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text)
  const sent = body === undefined ? 'no body' : short(JSON.stringify(body.toString('latin1')))
  return `${method} ${short(target)} ${short(JSON.stringify(headers))} ${framing ?? ''} ${sent}`
}
