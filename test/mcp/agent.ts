/** An agent over HTTP by the protocol of 2025, without a client library. */
import type { Reply, Server } from '../contract/server.ts'

export class Agent {
  readonly #server: Server
  readonly #key: string
  /** Bytes sent and received. */
  bytes = 0
  /** Bytes of the largest answer. */
  largest = 0

  constructor(server: Server, key: string) {
    this.#server = server
    this.#key = key
  }

  async send(method: string, params: object = {}): Promise<Reply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    const reply = await this.#server.call('POST', '/api/mcp', { key: this.#key, body, headers })
    this.bytes += body.length + reply.bytes.length
    this.largest = Math.max(this.largest, reply.bytes.length)
    return reply
  }

  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of the answers
  async rpc(method: string, params: object = {}): Promise<any> {
    const { json, status, text } = await this.send(method, params)
    if (json?.result === undefined) throw new Error(`${method}: ${status} ${text}`)
    return json.result
  }

  /** Calls a tool. @returns its data; of a refusal, with `error` */
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of the answers
  async call(name: string, input: object): Promise<any> {
    return (await this.rpc('tools/call', { name, arguments: input })).structuredContent
  }
}
