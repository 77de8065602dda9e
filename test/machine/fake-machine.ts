/** A machine on loopback that answers by a script of the test. It records what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Machine, MachineKind } from '../../src/machine/machine.ts'
import { parseMachines } from '../../src/machine/parse-machines.ts'

/** A request that the machine received. */
export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own shape
  json: any
}

/** Answers a request: with a value as JSON, or by the response itself. */
export type Script = (request: ReceivedRequest, response: ServerResponse) => unknown

export class FakeMachine {
  readonly url: string
  readonly requests: ReceivedRequest[] = []
  /** Open ones: at none, all that was sent has arrived. */
  connections = 0
  script: Script

  private constructor(url: string, script: Script) {
    this.url = url
    this.script = script
  }

  static async open(t: Test, script: Script = () => ({})): Promise<FakeMachine> {
    let machine: FakeMachine
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('error', () => {})
      response.on('error', () => {})
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8')
        const { url: path = '', headers } = request
        const received = { path, headers, body, json: parsed(body) }
        machine.requests.push(received)
        const answer = machine.script(received, response)
        if (answer === undefined || response.headersSent) return
        response.setHeader('content-type', 'application/json')
        response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
      })
    })
    server.on('connection', socket => {
      machine.connections++
      socket.on('close', () => machine.connections--)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    machine = new FakeMachine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, script)
    return machine
  }

  /** A row of `machines.json` for it. */
  row(kind: MachineKind, more: object = {}): object {
    const isChat = kind === 'openai' || kind === 'anthropic'
    return { name: kind, kind, url: this.url, key: SECRET_KEY, ...(isChat && { model: 'm1' }), ...more }
  }

  machine(kind: MachineKind, more: object = {}): Machine {
    return parseMachines(JSON.stringify([this.row(kind, more)]))[0]!
  }
}

/** Must appear nowhere but in a request to the machine. */
export const SECRET_KEY = 'sk-key-nobody-guesses-4711'

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Answers of a chat model in the wrapping of OpenAI. */
export const openaiAnswer = (content: unknown, usage: object = { prompt_tokens: 100, completion_tokens: 20 }) => ({
  choices: [
    { message: { role: 'assistant', content: typeof content === 'string' ? content : JSON.stringify(content) } },
  ],
  usage,
})

/** A chat model that translates each wanted form by a function. */
export const translating =
  (translate: (source: string, name: string) => string): Script =>
  ({ json }) => {
    const { texts } = JSON.parse(json.messages[1].content)
    const answers = Object.entries(texts).map(([index, text]) => {
      const { source, wanted } = text as { source: unknown; wanted: { name: string }[] }
      return [index, Object.fromEntries(wanted.map(({ name }) => [name, translate(textOf(source, name), name)]))]
    })
    return openaiAnswer(Object.fromEntries(answers))
  }

/** The form of a source, else its `other`. */
function textOf(source: unknown, name: string): string {
  if (typeof source === 'string') return source
  const { text, cardinal = {}, ordinal = {} } = source as Record<string, Record<string, string>>
  if (name === 'text') return String(text)
  const form = name.replace('ordinal_', '')
  const forms = name.startsWith('ordinal_') ? ordinal : cardinal
  return forms[form] ?? forms.other!
}
