/** Connections without a byte for the longest time: which of them get an answer before the cut. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import t from 'tap'
import { answerParserError } from '../../../src/http/answers/errors.ts'
import { CONNECTION_TIMEOUTS, createHttpServer } from '../../../src/http/bounds/connections.ts'

const TIMEOUTS = { ...CONNECTION_TIMEOUTS, idle: 100 }
const HEAD = 'GET / HTTP/1.1\r\nhost: localhost\r\n'
const BODY = 'POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n'

/** The bytes that a client receives until its connection ends. */
async function receive(socket: Socket): Promise<string> {
  let received = ''
  socket.on('data', bytes => (received += bytes))
  await once(socket, 'close')
  return received
}

const slow =
  /^HTTP\/1\.1 503 [\s\S]*Connection: close\r\n\r\n\{"error":"The server has no answer after 300 s\. [^"]* send it again\."\}$/
const cases: [name: string, sent: string, received: RegExp][] = [
  ['a request without an answer', `${HEAD}\r\n`, slow],
  ['two requests, one after the other', `${HEAD}\r\n${HEAD}\r\n`, slow],
  ['a body without its end', `${BODY}\r\n12345`, /^HTTP\/1\.1 408 [\s\S]*"The request did not arrive in time\."\}$/],
  ['a head without its end', HEAD, /^$/],
  ['nothing', '', /^$/],
  ['an answer without its end', `${HEAD}x-begin: yes\r\n\r\n`, /^HTTP\/1\.1 200 [\s\S]*\r\n5\r\nbegun\r\n$/],
]

t.test('answers before it cuts a silent connection', async t => {
  const server = createHttpServer((request, response) => {
    if (request.headers['x-begin']) response.write('begun')
  }, TIMEOUTS)
  server.on('clientError', answerParserError)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  for (const [name, sent, received] of cases) {
    const client = connect(port, '127.0.0.1')
    client.write(sent)
    t.match(await receive(client), received, name)
  }
})
