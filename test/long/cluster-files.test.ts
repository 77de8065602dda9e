/**
 * The files of docs/ for a cluster: nginx with that very file in front of nodes that fail, and the settings of
 * compose.yaml.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readConfig } from '../../src/config.ts'
import { settings } from '../../src/settings.ts'
import { freePort } from '../free-port.ts'
import { noNginx, startNginx } from './cluster/nginx.ts'

const docs = join(import.meta.dirname, '../../docs')

async function node(t: Test, answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** nginx with these nodes. @returns what asks it */
async function asker(t: Test, nodes: number[]) {
  const port = await startNginx(
    t,
    nodes.map(at => `127.0.0.1:${at}`),
  )
  return (method: string, path: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', method, path, agent: false })
      sent.on('response', ({ statusCode = 0 }) => resolve(statusCode))
      sent.on('error', reject)
      sent.end()
    })
}

t.test('asks another node through nginx when one is gone or cannot answer', { skip: noNginx }, async t => {
  const asked: string[] = []
  const answer: RequestListener = ({ method, url }, response) => {
    asked.push(`${method} ${url}`)
    response.end()
  }
  const away: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '2' }).end()
  const ask = await asker(t, [await node(t, answer), await node(t, away), await freePort()])
  for (let at = 0; at < 12; at++) t.equal(await ask(at % 2 ? 'GET' : 'PUT', `/api/${at}`), 200)
  t.equal(await ask('POST', '/cluster/heard'), 404, 'nginx blocks requests to the routes between nodes')
  t.notOk(asked.some(line => line.includes('/cluster/')))
})

t.test('serves reads while no node can write', { skip: noNginx }, async t => {
  const reader: RequestListener = ({ method }, response) =>
    (method === 'GET' ? response : response.writeHead(503, { 'retry-after': '2' })).end()
  const ask = await asker(t, [await node(t, reader), await node(t, reader), await node(t, reader)])
  for (let at = 0; at < 4; at++) {
    t.equal(await ask('PUT', '/api/projects'), 503, 'the client receives the answer of the node')
    t.equal(await ask('GET', '/api/projects'), 200)
  }
})

t.test('sends a POST to one node only', { skip: noNginx }, async t => {
  let asked = 0
  const broken: RequestListener = ({ method }, response) => {
    if (method !== 'POST') return response.end()
    asked++
    response.destroy()
  }
  const ask = await asker(t, [await node(t, broken), await node(t, broken), await node(t, broken)])
  t.equal(await ask('POST', '/api/projects'), 502)
  t.equal(asked, 1)
})

t.test('sets valid settings in compose.yaml', async t => {
  const text = readFileSync(join(docs, 'compose.yaml'), 'utf8').replace(/\$\{POSTGRES_PASSWORD:\?\}/g, 'secret')
  const [, shared = ''] = /^x-settings: &settings\n((?: .*\n)+)/m.exec(text) ?? []
  const common = [...shared.matchAll(/^ {2}(\w+): (.*)$/gm)].map(([, name, value]) => [name!, value!])
  const nodes = [...text.matchAll(/<<: \*settings, NODE_URL: "(.*)"/g)].map(([, url]) => url!)
  t.equal(nodes.length, 3)
  for (const url of nodes) {
    const env = Object.fromEntries([...common, ['NODE_URL', url], ['SIGN_UP', 'invite']])
    for (const name of Object.keys(env)) t.ok(name in settings, name)
    t.equal(readConfig(env).cluster?.nodeUrl, url)
  }
})
