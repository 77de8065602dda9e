/** The farewell of a server that stops: it waits for requests on idle connections, however busy its machine is. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { CONNECTION_TIMEOUTS, Connections, createHttpServer, farewell } from '../../../src/http/bounds/connections.ts'

const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'
const TIMEOUTS = { ...CONNECTION_TIMEOUTS, farewell: 200, farewells: 600 }

/** A server and an idle connection to it, which has had an answer. */
async function withIdleConnection(t: Test) {
  const connections = new Connections(10)
  const server = connections.watch(createHttpServer((_, response) => void response.end(), CONNECTION_TIMEOUTS))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  t.teardown(() => {
    client.destroy()
    server.close()
  })
  client.write(REQUEST)
  await once(client, 'data')
  return { connections, client }
}

/** Occupies this thread. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

t.test('sees a request that arrived while the thread was busy', async t => {
  const { connections, client } = await withIdleConnection(t)
  const said = farewell(connections, TIMEOUTS)
  // After it timers run, before sockets are read.
  await turn()
  client.write(REQUEST)
  block(1000)
  await said
  t.equal(connections.requests, 2)
})

t.test('ends when no client sends a request, and when one goes on and on', async t => {
  const { connections, client } = await withIdleConnection(t)
  await farewell(connections, TIMEOUTS)
  t.equal(connections.requests, 1)
  let goesOn = true
  client.on('data', () => goesOn && client.write(REQUEST))
  client.write(REQUEST)
  await farewell(connections, TIMEOUTS)
  goesOn = false
  t.ok(connections.requests > 10, `${connections.requests} requests`)
})

t.test('ends at once without a connection', async t => {
  const { connections, client } = await withIdleConnection(t)
  client.destroy()
  await farewell(connections, TIMEOUTS)
  t.equal(connections.sockets.size, 0)
})
