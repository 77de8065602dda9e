/** `mcp`: both generations of clients over stdio, and what goes to and comes from `/api/mcp`. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import t, { type Test } from 'tap'
import { build } from '../../bundled.ts'
import { eventually } from '../../eventually.ts'
import { newFolder } from '../../new-folder.ts'
import { main, startCommand } from '../command.ts'

const TOKEN = `prl_${'a'.repeat(43)}`
/** It has separators that are line breaks to some readers. */
const TEXT = 'zażółć\u2028 \u2029 \u0085 \r\n {{name}}'

interface Asked {
  headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: messages of the protocol
  body: any
}

type Answer = { status?: number; type?: string; body: string | Readable }

/** A server with `/api/mcp`. @param script the answer to a message; undefined for that of a real MCP server */
async function fakeServer(t: Test, script: (asked: Asked) => Answer | undefined = () => undefined) {
  const requests: Asked[] = []
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'parlance', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'get_key', inputSchema: { type: 'object' } }] }))
    server.setRequestHandler('tools/call', ({ params }) => ({
      content: [{ type: 'text', text: JSON.stringify(params.arguments) }],
    }))
    return server
  })
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const asked = { headers: request.headers, body }
    requests.push(asked)
    const scripted = request.url === '/api/mcp' ? script(asked) : { status: 404, body: '{"error":"Not here."}' }
    if (scripted) {
      const { status = 200, type = 'application/json', body } = scripted
      response.writeHead(status, { 'content-type': type })
      return typeof body === 'string' ? response.end(body) : body.pipe(response)
    }
    const names = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']
    const headers = names.flatMap(name => (request.headers[name] ? [[name, String(request.headers[name])]] : []))
    const whole = new Request('http://localhost/api/mcp', { method: 'POST', headers: headers as [string, string][] })
    const answer = await handler.fetch(whole, { parsedBody: body })
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(Buffer.from(await answer.arrayBuffer()))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close().closeAllConnections())
  if (!server.listening) await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, env: { PARLANCE_URL: url, PARLANCE_TOKEN: TOKEN } }
}

t.test('serves a client of 2026, which negotiates', async t => {
  build()
  const { requests, env } = await fakeServer(t)
  const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], env }))
  t.match(await client.listTools(), { tools: [{ name: 'get_key' }] })
  const called = await client.callTool({ name: 'get_key', arguments: { text: TEXT } })
  t.match(called, { content: [{ text: JSON.stringify({ text: TEXT }) }] })
  await client.close()
  const call = requests.find(({ body }) => body.method === 'tools/call')!
  t.match(call.headers, {
    'x-api-key': TOKEN,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'get_key',
  })
  t.notOk(requests.some(({ body }) => body.method === 'initialize'))
})

t.test('serves a client of 2025', async t => {
  const { requests, env } = await fakeServer(t)
  const client = new OldClient({ name: 'agent', version: '1' })
  await client.connect(new OldTransport({ command: process.execPath, args: [main, 'mcp'], env }))
  t.match(await client.listTools(), { tools: [{ name: 'get_key' }] })
  t.match(await client.callTool({ name: 'get_key', arguments: { text: TEXT } }), {
    content: [{ text: JSON.stringify({ text: TEXT }) }],
  })
  await client.close()
  t.strictSame(
    requests.map(({ body, headers }) => [body.method, headers['mcp-protocol-version'], headers['mcp-method']]),
    [
      ['initialize', undefined, undefined],
      ['notifications/initialized', '2025-11-25', undefined],
      ['tools/list', '2025-11-25', undefined],
      ['tools/call', '2025-11-25', undefined],
    ],
  )
})

/** Sends lines, ends the input, and reads what came. */
async function bridged(t: Test, env: Record<string, string>, lines: (object | string)[]) {
  const started = startCommand(t, newFolder(t), ['mcp'], env)
  for (const line of lines) started.child.stdin!.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  started.child.stdin!.end()
  const code = await started.ended
  const answers = started.out
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
  return { code, answers: answers.sort((one, other) => Number(one.id) - Number(other.id)), err: started.err }
}

const request = (id: number, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
})

t.test('passes on JSON, streams and errors, and answers no notification', async t => {
  const event = (message: object) => `event: message\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\r\n\r\n`
  const stream = 'text/event-stream; charset=utf-8'
  const { env, requests } = await fakeServer(t, ({ body: { id, method } }) => {
    const result = { jsonrpc: '2.0', id, result: { method } }
    const progress = { method: 'notifications/progress', params: { progress: 1 } }
    return {
      json: { body: JSON.stringify(result, null, 2) },
      stream: {
        type: stream,
        body: Readable.from([': hello\n\n', event(progress), event({ id, result: { method } })]),
      },
      half: { type: stream, body: event(progress) },
      fault: { status: 400, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"Unsupported"}}' },
      refused: { status: 403, body: '{"error":"This API token may only read."}' },
      page: { type: 'text/html', body: '<h1>Sign in</h1>' },
      none: { status: 202, body: '' },
      'notifications/initialized': { status: 202, body: '' },
      'notifications/refused': { status: 400, body: JSON.stringify({ ...result, id: 99 }) },
    }[method as string]
  })
  const methods = ['json', 'stream', 'half', 'fault', 'refused', 'page', 'none']
  const notifications = ['notifications/initialized', 'notifications/refused']
  const { code, answers, err } = await bridged(t, env, [
    ...methods.map((method, at) => request(at + 1, method)),
    ...notifications.map(method => ({ jsonrpc: '2.0', method })),
    '',
  ])
  t.strictSame([code, err], [0, ''])
  const error = (id: number, message: RegExp) => ({ id, error: { code: -32603, message } })
  const [news, found] = [answers.filter(({ method }) => method), answers.filter(({ method }) => !method)]
  t.match(news, [{ params: { progress: 1 } }, { params: { progress: 1 } }])
  t.match(found, [
    { id: 1, result: { method: 'json' } },
    { id: 2, result: { method: 'stream' } },
    error(3, /gave no answer/),
    { id: 4, error: { code: -32022 } },
    error(5, /^This API token may only read\.$/),
    error(6, /answers 200, and no message of MCP/),
    error(7, /gave no answer/),
  ])
  t.equal(found.length, 7)
  t.equal(requests.length, 9)
})

t.test('answers faulty lines, and forwards the others', async t => {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
  const { env, requests } = await fakeServer(t, ({ body: { id } }) => ({
    body: JSON.stringify({ jsonrpc: '2.0', id, result: {} }),
  }))
  const { code, answers } = await bridged(t, env, [
    '{"jsonrpc":',
    '7',
    [request(1, 'ping'), request(2, 'ping')],
    ...['zażółć', ' x', '=?base64?eA==?=', 'plain name'].map((name, at) =>
      request(3 + at, 'tools/call', { name, _meta: meta }),
    ),
    request(7, 'resources/read', { uri: 'a\r\nx-api-key: b', _meta: meta }),
  ])
  t.equal(code, 0)
  t.strictSame(
    answers.map(({ id, error }) => error?.code ?? id),
    [-32700, -32600, 1, 2, 3, 4, 5, 6, 7],
  )
  const names = requests.flatMap(({ headers }) => headers['mcp-name'] ?? [])
  const decoded = names.map(name => String(name).replace(/^=\?base64\?(.*)\?=$/, (_, value) => atobUtf8(value)))
  t.strictSame(decoded.sort(), ['zażółć', ' x', '=?base64?eA==?=', 'plain name', 'a\r\nx-api-key: b'].sort())
  t.equal(names.filter(name => String(name).startsWith('=?base64?')).length, 4)
})

const atobUtf8 = (value: string) => Buffer.from(value, 'base64').toString()

t.test('reports a server that is gone to each request, and ends at a signal', async t => {
  const gone = { PARLANCE_URL: 'http://127.0.0.1:1', PARLANCE_TOKEN: TOKEN }
  const { code, answers } = await bridged(t, gone, [request(1, 'ping'), { jsonrpc: '2.0', method: 'notifications/x' }])
  t.match([code, answers], [0, [{ id: 1, error: { code: -32603, message: /cannot be reached \(ECONNREFUSED\)/ } }]])
  t.equal(answers.length, 1)
  let isAsked = false
  const { env } = await fakeServer(t, () => {
    isAsked = true
    return { body: new Readable({ read() {} }) }
  })
  const started = startCommand(t, newFolder(t), ['mcp'], env)
  started.child.stdin!.write(`${JSON.stringify(request(1, 'ping'))}\n`)
  t.ok(await eventually(() => isAsked))
  started.child.kill('SIGTERM')
  t.equal(await started.ended, 0, 'the answer never comes')
  t.equal(started.out, '')
})

t.test('needs a token, and sends that of the environment to no server of the repository', async t => {
  const { url, requests } = await fakeServer(t)
  const bare = startCommand(t, newFolder(t), ['mcp'], { PARLANCE_URL: url })
  t.equal(await bare.ended, 2)
  t.match([bare.out, bare.err], ['', /There is no token for/])
  const config = JSON.stringify({ url: 'http://parlance.example.com', project: 'web' })
  const lured = startCommand(t, newFolder(t, { 'parlance.config.json': config }), ['mcp'], { PARLANCE_TOKEN: TOKEN })
  t.equal(await lured.ended, 2)
  t.match([lured.out, lured.err], ['', /PARLANCE_TOKEN is not sent to http:\/\/parlance\.example\.com/])
  t.equal(requests.length, 0)
})
