/** A client with a permanent connection. It records every unexpected answer. */
import { Agent, type ClientRequest, request } from 'node:http'
import { type Reply, type Sending, Server, type Session } from '../contract/server.ts'

/** The credential: an API token or a session. */
export type Credential = { key: string } | { as: Session }

/** See the top of the file. */
export class Client {
  /** Unexpected or interrupted answers. */
  readonly surprises: string[] = []
  requests = 0
  readonly #server: Server
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #credential: Credential

  constructor(server: Server, credential: Credential) {
    const agent = this.#agent
    this.#credential = credential
    this.#server = new (class extends Server {
      override open(method: string, path: string, headers: Record<string, string | string[]> = {}): ClientRequest {
        const { hostname, port } = new URL(this.base)
        return request({ host: hostname, port, method, path, headers, agent })
      }
    })(server.base, server.dataDir, async () => {})
  }

  /** The answer, when it has one of the statuses; another one, or none, is noted as a surprise, and undefined. */
  async ask(statuses: number[], method: string, path: string, sending: Sending = {}): Promise<Reply | undefined> {
    this.requests++
    try {
      const reply = await this.#server.call(method, path, { ...this.#credential, ...sending })
      if (statuses.includes(reply.status)) return reply
      this.surprises.push(`${method} ${path}: ${reply.status} ${reply.text.slice(0, 300)}`)
    } catch (error) {
      this.surprises.push(`${method} ${path}: ${error}`)
    }
    return undefined
  }

  /** Notes what is not as it must be. */
  expect(right: boolean, what: () => string): void {
    if (!right) this.surprises.push(what())
  }

  close(): void {
    this.#agent.destroy()
  }
}
