/** `parlance mcp`: connects an MCP client that speaks stdio with `/api/mcp`. Standard output has the protocol alone. */
import { isObject } from '../../bundle/body.ts'
import { EventFrames } from '../../bundle/event-frames.ts'
import { Splitter } from '../../bundle/splitter.ts'
import { bytesOf, type Reply } from '../api/request.ts'
import type { Run } from '../context.ts'
import { Problem } from '../problem.ts'

/** Maximum bytes of an answer. */
const MAX_BYTES = 2 ** 26
const VERSION = 'mcp-protocol-version'
/** The member of a request that the header `Mcp-Name` repeats. */
const NAMED: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' }
/** Codes of JSON-RPC. */
const [PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR] = [-32700, -32600, -32603]

type Message = Record<string, unknown>

/** Ends with standard input, after the answers to what it read. */
export const run: Run = async context => {
  const api = await context.api()
  const write = (message: Message) => context.out(`${JSON.stringify(message)}\n`)
  const fail = (id: unknown, code: number, message: string) =>
    write({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })
  // Agreed on by `initialize`. Messages of 2026 each name their own version.
  let agreed: string | undefined

  async function pass(message: Message): Promise<void> {
    const { id, method } = message
    let waits = id !== undefined && method !== undefined
    try {
      const reply = await api.send('POST', 'mcp', { body: message, headers: headersOf(message, agreed) })
      for await (const answer of answersOf(reply)) {
        const isAnswer = answer.method === undefined
        if (isAnswer && !waits) continue
        if (isAnswer) waits = false
        if (method === 'initialize' && isObject(answer.result)) agreed = String(answer.result.protocolVersion)
        // A fault of the request as a whole has no id.
        await write(isAnswer ? { ...answer, id } : answer)
      }
      if (waits) throw new Problem('The server gave no answer.')
    } catch (error) {
      const words = error instanceof Problem ? error.sentence : (error as Error).message
      await (waits ? fail(id, INTERNAL_ERROR, words) : context.err(`parlance: ${words}\n`))
    }
  }

  const running = new Set<Promise<void>>()
  const read = async () => {
    for await (const line of linesOf(context.input())) {
      const messages = parsed(line)
      if (messages === undefined) await fail(null, PARSE_ERROR, 'A line must be JSON.')
      for (const message of messages ?? []) {
        const task = isObject(message) ? pass(message) : fail(null, INVALID_REQUEST, 'A message must be an object.')
        running.add(task)
        void task.finally(() => running.delete(task))
      }
    }
    await Promise.all(running)
  }
  const stopped = new Promise<void>(resolve => context.stop.addEventListener('abort', () => resolve()))
  await Promise.race([read(), stopped])
}

/** Lines end at line feeds alone: a text may have other separators, which readline splits at. */
async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const lines = new Splitter('\n')
  for await (const chunk of input) yield* lines.take(decoder.decode(chunk, { stream: true }))
  yield lines.rest
}

/** The messages of a line, none of an empty one; undefined for a fault. */
function parsed(line: string): unknown[] | undefined {
  try {
    return line.trim() === '' ? [] : [JSON.parse(line)].flat()
  } catch {
    return undefined
  }
}

/** The headers of the transport over HTTP. */
function headersOf({ method, params }: Message, agreed: string | undefined): Record<string, string> {
  const accept = 'application/json, text/event-stream'
  const given = isObject(params) ? params : {}
  const claimed = isObject(given._meta) ? given._meta['io.modelcontextprotocol/protocolVersion'] : undefined
  if (typeof claimed !== 'string') return { accept, ...(agreed !== undefined && { [VERSION]: agreed }) }
  const name = given[NAMED[String(method)] ?? '']
  const headers = { accept, [VERSION]: claimed, 'mcp-method': String(method) }
  return typeof name === 'string' ? { ...headers, 'mcp-name': inHeader(name) } : headers
}

/** A value of a header: Base64 in a frame unless it is plain ASCII (protocol 2026-07-28, Standard Request Headers). */
const inHeader = (value: string): string =>
  /^(?!=\?base64\?.*\?=$)[!-~](?:[\t -~]*[!-~])?$/.test(value)
    ? value
    : `=?base64?${Buffer.from(value).toString('base64')}?=`

/** The messages of an answer. @throws Problem with the server's sentence for an answer outside the protocol */
async function* answersOf(reply: Reply): AsyncGenerator<Message> {
  const { status, headers, body } = reply
  if (headers['content-type']?.startsWith('text/event-stream')) {
    const frames = new EventFrames()
    for await (const text of body.setEncoding('utf8'))
      for (const { data } of frames.take(text)) if (data) yield messageOf(data, status)
  } else {
    const text = (await bytesOf(reply, MAX_BYTES)).toString()
    if (text.trim() !== '') yield messageOf(text, status)
  }
}

function messageOf(text: string, status: number): Message {
  const [message] = parsed(text) ?? []
  if (isObject(message) && message.jsonrpc === '2.0') return message
  if (isObject(message) && typeof message.error === 'string') throw new Problem(message.error)
  throw new Problem(`The server answers ${status}, and no message of MCP.`, { hint: 'Is it older than this CLI?' })
}
