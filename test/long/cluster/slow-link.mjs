/**
 * Stands in front of a server on the same machine: what that answers is handed on so many milliseconds later, as if the
 * way there and back took them. Run as a program: the address to listen at, its port, that of the server, milliseconds.
 */
import { connect, createServer } from 'node:net'

const [host, port, behind, milliseconds] = process.argv.slice(2)

createServer({ noDelay: true }, client => {
  const server = connect({ host, port: Number(behind), noDelay: true })
  client.pipe(server)
  server.on('data', bytes => setTimeout(() => client.write(bytes), Number(milliseconds)))
  server.on('end', () => setTimeout(() => client.end(), Number(milliseconds)))
  for (const [one, other] of [
    [client, server],
    [server, client],
  ])
    one.on('error', () => other.destroy())
}).listen(Number(port), host)
