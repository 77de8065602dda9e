/**
 * Requests against a stand-in: retries, refusals, and that no other server gets the token.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { apiOf, waitFor } from '../../../src/cli/api/client.ts'
import { anything, listOf, object, text } from '../../../src/cli/api/shape.ts'
import { Problem } from '../../../src/cli/problem.ts'

type Handler = (request: IncomingMessage, response: ServerResponse, asked: number) => void

/** An API at a server with this handler; `said` is the text on standard error. */
async function standIn(t: Test, handler: Handler, stop = new AbortController()) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => handler(request, response, requests.push(request)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const said: string[] = []
  const err = async (text: string) => void said.push(text)
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/parlance/`)
  const caller = { env: {}, version: () => '0.1.0', err, stop: stop.signal }
  return { api: apiOf(caller, url, 'prl_secret'), requests, said }
}

const problemOf = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => Promise.reject(new Error('it went well')),
    error => (error instanceof Problem ? error : Promise.reject(error)),
  )

const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

t.test('a request has the token, the version, and its query under the path of the server', async t => {
  const { api, requests } = await standIn(t, (_, response) => json(response, 200, { done: true }))
  const query = { language: ['de', 'pl'], dryRun: true, prune: false, at: undefined }
  const answer = await api.ask('PUT', 'projects/web/x', anything, { query, body: { a: 'ä' }, ifMatch: 'W/"1"' })
  t.match(answer, { status: 200, json: { done: true } })
  t.match(requests[0], {
    method: 'PUT',
    url: '/parlance/api/projects/web/x?language=de&language=pl&dryRun=true',
    headers: { 'x-api-key': 'prl_secret', 'user-agent': 'parlance/0.1.0', 'if-match': 'W/"1"' },
  })
})

t.test('429 and 503 are tried again as told, writes too, and said', async t => {
  const { api, requests, said } = await standIn(t, (_, response, asked) => {
    if (asked === 1) json(response, 429, { error: 'Too many.' }, { 'retry-after': '0' })
    else if (asked === 2) json(response, 503, { error: 'Busy.' }, { 'retry-after': new Date(0).toUTCString() })
    else json(response, 200, {})
  })
  t.equal((await api.ask('POST', 'x', anything, { body: {} })).status, 200)
  t.equal(requests.length, 3)
  t.match(said, [/answers 429: trying again in 1 s/, /answers 503/])
})

t.test('it is not waited for ever: not for an hour, and not more than eight times', async t => {
  const hour = await standIn(t, (_, response) =>
    json(response, 429, { error: 'Come back.' }, { 'retry-after': '3600' }),
  )
  t.match(await problemOf(hour.api.ask('GET', 'x', anything)), { message: 'Come back.', exit: 1 })
  t.equal(hour.requests.length, 1)
  const always = await standIn(t, (_, response) => json(response, 503, { error: 'Busy.' }, { 'retry-after': '0' }))
  t.match(await problemOf(always.api.ask('GET', 'x', anything)), { message: 'Busy.' })
  t.equal(always.requests.length, 8)
})

t.test('waits differ from client to client, within bounds', async t => {
  const soon = () => new Date(Date.now() + 10_000).toUTCString()
  const rows: [what: string, retryAfter: () => string | undefined, tried: number, least: number, most: number][] = [
    ['as told', () => '3', 1, 3000, 3250],
    ['as requested, after any number of tries', () => '3', 7, 3000, 3250],
    ['the longest', () => '60', 1, 60_000, 60_250],
    ['at once', () => '0', 1, 0, 250],
    // A date has whole seconds.
    ['until a time', soon, 1, 8900, 10_250],
    ['until a time that is past', () => new Date(0).toUTCString(), 1, 0, 250],
    ['not told', () => undefined, 1, 125, 250],
    ['not told, again', () => undefined, 2, 250, 500],
    ['without the header, the seventh time', () => undefined, 7, 8000, 16_000],
    ['with a value that is not a time', () => 'later', 2, 250, 500],
  ]
  for (const [what, retryAfter, tried, least, most] of rows) {
    const waits = Array.from({ length: 500 }, () => {
      const told = retryAfter()
      return waitFor({ status: 503, headers: told === undefined ? {} : { 'retry-after': told } }, tried)!
    })
    const [low, high] = [Math.min(...waits), Math.max(...waits)]
    t.ok(low >= least && high <= most, `${what}: ${low} to ${high}`)
    t.ok(high - low > 50, `${what}: not all at once`)
  }
  t.equal(waitFor({ status: 429, headers: { 'retry-after': '61' } }, 1), undefined, 'too long')
  t.equal(waitFor({ status: 500, headers: { 'retry-after': '1' } }, 1), undefined, 'what does not pass')
})

t.test('a line that breaks: a read is tried again, a write is not, as it may have been done', async t => {
  const { api, requests } = await standIn(t, (request, response, asked) => {
    if (asked === 1 || request.method === 'POST') request.socket.destroy()
    else json(response, 200, {})
  })
  t.equal((await api.ask('GET', 'x', anything)).status, 200)
  t.equal(requests.length, 2)
  t.match(await problemOf(api.ask('POST', 'x', anything, { body: {} })), { message: /cannot be reached/, exit: 1 })
  t.equal(requests.length, 3)
})

t.test('reports the server’s sentence about a refusal, or that the server is not one of Parlance', async t => {
  const answers: Record<string, [number, string, object?]> = {
    '401': [401, '{"error":"Who is that?"}'],
    '403': [403, '{"error":"This API token may only read."}'],
    '412': [412, '{"error":"Stale.","etag":"W/\\"2\\""}'],
    '404': [404, '<html>nothing here</html>'],
    '302': [302, '', { location: 'https://elsewhere.example.com/' }],
  }
  const { api, requests } = await standIn(t, (request, response) => {
    const [status, body, headers] = answers[request.url!.split('/').at(-1)!]!
    response.writeHead(status, { ...headers }).end(body)
  })
  t.match(await problemOf(api.ask('GET', '401', anything)), {
    message: 'Who is that?',
    exit: 2,
    where: { hint: /parlance login/ },
  })
  t.match(await problemOf(api.ask('GET', '403', anything)), { message: 'This API token may only read.', exit: 1 })
  t.match(await problemOf(api.ask('GET', '412', anything)), { where: { data: { status: 412, etag: 'W/"2"' } } })
  t.match(await problemOf(api.ask('GET', '404', anything)), {
    message: /answers 404, with "<html>/,
    where: { hint: /Parlance/ },
  })
  t.match(await problemOf(api.ask('GET', '302', anything)), {
    message: /sends elsewhere: to https:\/\/elsewhere/,
    exit: 2,
  })
  t.equal(requests.length, 5, 'nobody was followed')
  t.match(
    await problemOf(api.ask('GET', '404', anything, { accept: [404] })),
    { message: /answers 404/ },
    'of no Parlance',
  )
})

t.test('Ctrl-C ends a wait at once', async t => {
  const stop = new AbortController()
  const { api, requests } = await standIn(
    t,
    (_, response) => {
      json(response, 503, {}, { 'retry-after': '50' })
      setImmediate(() => stop.abort(new Error('Interrupted.')))
    },
    stop,
  )
  await t.rejects(api.ask('GET', 'x', anything), { message: 'Interrupted.' })
  t.equal(requests.length, 1)
})

t.test('events come across a line that breaks, from the last id on', async t => {
  const event = (id: string, text: string) => `id: ${id}\nevent: change\ndata: ${text}\n\n`
  const { api, requests } = await standIn(t, (_, response, asked) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    // Cut within a character, and an id without data, which is remembered all the same.
    const bytes = Buffer.from(`: connected\nretry: 1\n\n${event('a', '{"subject":"ä"}')}id: b\n\ndata: {"cut`)
    if (asked > 1) return void response.write(event('c', '{"subject":"two"}'))
    const at = bytes.indexOf(0xa4)
    response.write(bytes.subarray(0, at))
    setImmediate(() => response.end(bytes.subarray(at)))
  })
  const seen: unknown[] = []
  for await (const { id, event, data } of api.events('events', object({ subject: text }), { lastId: '0' })) {
    seen.push([id, event, data.subject])
    if (seen.length === 2) break
  }
  t.strictSame(seen, [
    ['a', 'change', 'ä'],
    ['c', 'change', 'two'],
  ])
  t.strictSame(
    requests.map(({ headers }) => headers['last-event-id']),
    ['0', 'b'],
  )
})

t.test('an event that is none of Parlance, or that never ends, is a sentence', async t => {
  const runs: [body: string, sentence: RegExp][] = [
    [
      'event: change\ndata: {"bundles":7}\n\n',
      /^http:\S+ sends an event that is none of Parlance: bundles must be a list/,
    ],
    ['event: change\ndata: null\n\n', /none of Parlance: it must be an object/],
    ['event: change\ndata: {"bun\n\n', /^An event of http:\S+ is no JSON/],
    [`data: ${'x'.repeat(2 ** 24)}`, /^An event of http:\S+ has no end/],
  ]
  for (const [body, sentence] of runs) {
    const { api } = await standIn(t, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(body)
    })
    t.match(await problemOf(first(api.events('events', object({ bundles: listOf(text) })))), { message: sentence })
  }
})

async function first<T>(events: AsyncIterable<T>): Promise<T | undefined> {
  for await (const event of events) return event
  return undefined
}
