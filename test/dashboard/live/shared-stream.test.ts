/**
 * One stream for several tabs, over a real line, real locks and a real channel: what is missed, and what arrives
 * twice.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { LiveEvent } from '../../../src/dashboard/live/changes.ts'
import { type LiveState, listen } from '../../../src/dashboard/live/listen.ts'
import { SharedStream } from '../../../src/dashboard/live/shared-stream.ts'
import { eventually } from '../../eventually.ts'

const soon = async (question: () => boolean, what = String(question)) => {
  if (!(await eventually(question))) throw new Error(`never: ${what}`)
}

const id = (number: number) => String(number).padStart(40, '0')

/** A server of events that replays them like the real one, or answers with `status`. */
async function feed(t: Test) {
  const open = new Map<ServerResponse, IncomingMessage>()
  const told: number[] = []
  const asked: string[] = []
  const text = (number: number) =>
    `id: ${id(number)}\nevent: change\ndata: ${JSON.stringify({ revision: id(number), project: 'web', bundles: [] })}\n\n`
  const answer = { status: 200 }
  const server = createServer((request, response) => {
    asked.push(request.url!)
    if (answer.status !== 200) return void response.writeHead(answer.status).end()
    open.set(response, request)
    response.on('close', () => open.delete(response))
    const since = Number(new URL(request.url!, 'http://here').searchParams.get('since') ?? told.at(-1) ?? 0)
    response.writeHead(200).write(`: connected\nretry: 10\n\nid: ${id(since)}\n\n`)
    for (const number of told) if (number > since) response.write(text(number))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    answer,
    asked,
    open,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    tell(raw?: string) {
      const number = (told.at(-1) ?? 0) + 1
      told.push(number)
      for (const response of open.keys()) response.write(raw ?? text(number))
    },
    /** As a server that is stopped, or a proxy that had enough. */
    cut() {
      for (const response of open.keys()) response.destroy()
    },
  }
}

function tab(t: Test, url: string) {
  const heard: string[] = []
  const states: LiveState[] = []
  const stream = new SharedStream(
    {
      channel: new BroadcastChannel(url) as never,
      turn: (signal, lead) => navigator.locks.request(url, { signal }, lead),
      listen: (...listening) =>
        listen(
          {
            open: (last, signal) => fetch(last === undefined ? url : `${url}?since=${last}`, { signal }),
            pause: (milliseconds, signal) =>
              new Promise(resolve => {
                signal.addEventListener('abort', () => resolve())
                setTimeout(resolve, Math.min(milliseconds, 20))
              }),
          },
          ...listening,
        ),
    },
    {
      heard: (one: LiveEvent) => heard.push(one.event === 'reset' ? 'reset' : String(Number(one.id))),
      state: state => states.push(state),
    },
  )
  t.teardown(() => stream.close())
  return { stream, heard, states, hears: (...all: string[]) => soon(() => heard.join() === all.join(), `heard ${all}`) }
}

t.test('all tabs hear all of one stream; when its tab goes another one goes on where it was', async t => {
  const server = await feed(t)
  const first = tab(t, server.url)
  await soon(() => first.stream.state === 'live')
  const [second, third] = [tab(t, server.url), tab(t, server.url)]
  await soon(() => second.stream.state === 'live' && third.stream.state === 'live')
  t.equal(server.open.size, 1)
  server.tell()
  for (const { hears } of [first, second, third]) await hears('1')

  first.stream.close()
  server.tell()
  await soon(() => server.open.size === 1 && (second.stream.leads || third.stream.leads))
  server.tell()
  for (const { hears } of [second, third]) await hears('1', '2', '3')
  t.strictSame(first.heard, ['1'])
  t.match(server.asked.at(-1), `since=${id(1)}`)
})

t.test('a tab that joins before the first event misses nothing that its leader missed', async t => {
  const server = await feed(t)
  server.tell()
  const first = tab(t, server.url)
  await soon(() => first.stream.state === 'live')
  const second = tab(t, server.url)
  await soon(() => second.stream.state === 'live')
  first.stream.close()
  server.tell()
  await second.hears('2')
})

t.test('reports a broken line and reconnects from there', async t => {
  const server = await feed(t)
  const { stream, states, hears } = tab(t, server.url)
  await soon(() => stream.state === 'live')
  server.tell()
  await hears('1')
  server.answer.status = 503
  server.cut()
  await soon(() => server.asked.length > 4)
  server.tell()
  server.answer.status = 200
  await hears('1', '2')
  t.strictSame(states, ['live', 'reconnecting', 'live'], 'a server that refuses for now is no lost network')
})

t.test('a reset is heard by all; what is no JSON is a line that broke', async t => {
  const server = await feed(t)
  const [one, other] = [tab(t, server.url), tab(t, server.url)]
  await soon(() => one.stream.state === 'live' && other.stream.state === 'live')
  server.tell(`id: ${id(1)}\nevent: reset\ndata: {"revision":null}\n\n`)
  for (const { hears } of [one, other]) await hears('reset')
  server.tell(`id: ${id(2)}\nevent: change\ndata: {\n\n`)
  server.tell()
  for (const { hears } of [one, other]) await hears('reset', '3')
})

t.test('all tabs stop when the server refuses; a new sign-in restarts all', async t => {
  const server = await feed(t)
  const [one, other] = [tab(t, server.url), tab(t, server.url)]
  await soon(() => one.stream.state === 'live' && other.stream.state === 'live')
  server.answer.status = 401
  server.cut()
  await soon(() => one.stream.state === 'ended' && other.stream.state === 'ended')
  const asked = server.asked.length
  server.answer.status = 200
  const again = tab(t, server.url)
  await soon(() => [one, other, again].every(({ stream }) => stream.state === 'live'))
  t.equal(server.asked.length, asked + 1)
  server.tell()
  for (const { hears } of [one, other, again]) await hears('1')
})

t.test('an unanswered request means a network that is down', async t => {
  const server = await feed(t)
  const { stream, states } = tab(t, server.url.replace(/:\d+/, ':1'))
  await soon(() => stream.state === 'offline')
  t.strictSame(states, ['offline'])
})
