/** Raw requests that no client library would send, and their answers. */
import { connect } from 'node:net'
import type { Server } from '../server.ts'

/** A request that is sent without escaping, completion or correction. Text is sent as Latin-1. */
export interface Wire {
  method: string
  target: string
  headers: [name: string, value: string][]
  body?: Buffer
  /** Announces the body by its length, in chunks, or not at all. */
  framing?: 'length' | 'chunked' | 'none'
}

export interface Answer {
  status: number
  headers: [name: string, value: string][]
  body: Buffer
}

const PATIENCE_MS = 120_000

/** The bytes of a request that asks for the connection to be closed after it. */
export function render({ method, target, headers, body, framing = body ? 'length' : 'none' }: Wire): Buffer {
  const all = [...headers, ['Connection', 'close']]
  if (framing === 'length') all.push(['Content-Length', String(body?.length ?? 0)])
  if (framing === 'chunked') all.push(['Transfer-Encoding', 'chunked'])
  const head = `${method} ${target} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), ...(framing === 'chunked' ? inChunks(body) : [body ?? empty])])
}

const empty: Buffer = Buffer.alloc(0)

function* inChunks(body: Buffer = empty): Iterable<Buffer> {
  const size = Math.max(1, Math.ceil(body.length / 5))
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size)
    yield Buffer.from(`${chunk.length.toString(16)}\r\n`)
    yield chunk
    yield Buffer.from('\r\n')
  }
  yield Buffer.from('0\r\n\r\n')
}

/**
 * Sends bytes on a new connection and reads until it closes.
 *
 * @returns the answers, none when the server closed at once
 * @throws Error when it does not close
 */
export function send(server: Server, bytes: Buffer): Promise<Answer[]> {
  const { hostname, port } = new URL(server.base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    const parts: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no end after ${PATIENCE_MS} ms: ${Buffer.concat(parts).toString('latin1').slice(0, 300)}`))
    }, PATIENCE_MS)
    socket.on('data', part => parts.push(part))
    // A server that closes with unread bytes resets the connection. The bytes before the reset have arrived.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      try {
        resolve([...answersIn(Buffer.concat(parts), bytes.toString('latin1', 0, 5) === 'HEAD ')])
      } catch (error) {
        reject(error)
      }
    })
  })
}

/** Decodes a chunked body (RFC 9112 §7.1). @returns the body and the offset of its end */
function unchunked(bytes: Buffer, from: number): { body: Buffer; after: number } {
  const parts: Buffer[] = []
  for (let at = from; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (line < 0 || Number.isNaN(size)) throw new Error('a chunk without a size')
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
    if (size === 0) return { body: Buffer.concat(parts), after: at }
  }
}

function* answersIn(bytes: Buffer, head: boolean): Iterable<Answer> {
  for (let at = 0; at < bytes.length; head = false) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) throw new Error(`half an answer: ${bytes.toString('latin1', at).slice(0, 300)}`)
    const [first = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? Number.NaN)
    if (Number.isNaN(status)) throw new Error(`no answer: ${first.slice(0, 300)}`)
    const headers = lines.map((line): [string, string] => {
      const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): (.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined) throw new Error(`no header: ${line.slice(0, 300)}`)
      return [name.toLowerCase(), value]
    })
    const length = headers.find(([name]) => name === 'content-length')?.[1]
    at = end + 4
    // The parser of Node refuses a request before it reports the method. The refusal has a body and closes.
    const next = at === bytes.length || bytes.toString('latin1', at, at + 9) === 'HTTP/1.1 '
    const bodiless = (head && next) || status === 304 || status === 204 || status < 200
    // The connection closes after each answer, so an answer without a length ends with the connection.
    const stop = bodiless ? at : length === undefined ? bytes.length : Math.min(bytes.length, at + Number(length))
    const chunked = !bodiless && headers.some(([name, value]) => name === 'transfer-encoding' && value === 'chunked')
    const { body, after } = chunked ? unchunked(bytes, at) : { body: bytes.subarray(at, stop), after: stop }
    yield { status, headers, body }
    at = after
  }
}
