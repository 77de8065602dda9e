/** The limit for server-sent events in Node: node:http that writes what each POST holds to every open GET. */
import http from 'node:http'

const streams = new Set()
const server = http.createServer((request, response) => {
  if (request.method === 'GET') {
    streams.add(response)
    response.once('close', () => streams.delete(response))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
    return
  }
  const parts = []
  request.on('data', part => parts.push(part))
  request.on('end', () => {
    response.writeHead(200, { 'content-length': '0' }).end()
    const event = Buffer.concat(parts)
    for (const stream of streams) stream.write(event)
  })
})
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.on('SIGTERM', () => process.exit(0))
