/**
 * One process of load: sends requests over a number of connections, or at a fixed rate (an open loop: waiting for a
 * free connection counts). It reads an `Order` of harness.ts from standard input and prints `Answers` as JSON. Plain
 * JavaScript, because it starts for every measurement.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

const SAMPLE = 20_000

/** One connection with one running request. An answer ends by its Content-Length or its status. */
class Client {
  #socket
  #next
  #done
  #head = ''
  #status = ''
  #left = -1
  #bytes = 0
  #sentAt = 0
  /** When the next request was to begin, at a fixed rate. */
  due

  constructor(order, next, done) {
    this.#next = next
    this.#done = done
    this.#socket = connect(order.port, order.host, () => this.send())
    this.#socket.setNoDelay(true)
    this.#socket.on('data', data => this.#take(data))
    this.#socket.on('error', error => {
      throw error
    })
  }

  /** Sends what is next; undefined ends the connection, and null leaves it idle until this is called again. */
  send() {
    const request = this.#next(this)
    if (request === null) return
    this.#head = ''
    this.#left = -1
    this.#bytes = 0
    this.#sentAt = this.due ?? performance.now()
    if (request === undefined) this.#socket.end()
    else this.#socket.write(request)
  }

  #take(data) {
    this.#bytes += data.length
    if (this.#left < 0) {
      this.#head += data.toString('latin1')
      const end = this.#head.indexOf('\r\n\r\n')
      if (end < 0) return
      this.#status = this.#head.slice(9, 12)
      const length = /^content-length: (\d+)/im.exec(this.#head.slice(0, end))?.[1]
      this.#left = this.#status === '304' || this.#status === '204' ? 0 : Number(length)
      if (Number.isNaN(this.#left)) throw new Error(`no length in ${this.#head.slice(0, end)}`)
      this.#left -= this.#head.length - end - 4
    } else this.#left -= data.length
    if (this.#left > 0) return
    this.#done(this.#status, this.#bytes, this.#sentAt)
    this.send()
  }
}

const order = JSON.parse(readFileSync(0, 'utf8'))
const requests = order.requests.map(text => (text.includes('##########') ? text : Buffer.from(text)))
// A later run must not come upon the numbers of this one.
const first = (Date.now() * 100) % 10 ** 10
const answers = { statuses: {}, bytes: 0, seconds: 0, latencies: [] }
const from = performance.now()
let sent = 0
let count = 0
const whatsNext = () => {
  const request = requests[sent % requests.length]
  const number = String(first + sent++).padStart(10, '0')
  return typeof request === 'string' ? Buffer.from(request.replaceAll('##########', number)) : request
}
const done = (status, bytes, sentAt) => {
  answers.statuses[status] = (answers.statuses[status] ?? 0) + 1
  answers.bytes += bytes
  const latency = Math.round((performance.now() - sentAt) * 1000)
  if (count++ < SAMPLE) answers.latencies.push(latency)
  else if (Math.random() < SAMPLE / count) answers.latencies[Math.floor(Math.random() * SAMPLE)] = latency
}
const next = () => (performance.now() - from >= order.milliseconds ? undefined : whatsNext())

/** At a fixed rate: those that are due and have no connection yet, and the connections that are idle. */
const due = []
const idle = []
const all = ((order.rate ?? 0) * order.milliseconds) / 1000
let begun = 0
const nextDue = client => {
  if (due.length === 0) {
    if (begun >= all) return undefined
    idle.push(client)
    return null
  }
  client.due = due.shift()
  return whatsNext()
}
const begin = () => {
  const now = performance.now()
  for (; begun < all && from + (begun * 1000) / order.rate <= now; begun++) due.push(from + (begun * 1000) / order.rate)
  if (begun >= all) clearInterval(timer)
  for (const client of idle.splice(0, begun >= all ? idle.length : due.length)) client.send()
}
const timer = order.rate ? setInterval(begin, 1) : undefined

for (let at = 0; at < order.connections; at++) new Client(order, order.rate ? nextDue : next, done)
process.on('exit', () => {
  answers.seconds = (performance.now() - from) / 1000
  process.stdout.write(JSON.stringify(answers))
})
