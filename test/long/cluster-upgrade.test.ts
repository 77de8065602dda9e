/**
 * Restarts each node of a cluster in turn while clients send requests to nginx, which does not know of it.
 * Most requests are POSTs, which nginx never repeats at another node. `UPGRADES=20` repeats it 20 times.
 */
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { noPostgres, startPostgres } from '../cluster/postgres.ts'
import { kill, type Run, start } from '../contract/process.ts'
import { freePort } from '../free-port.ts'
import { noNginx, startNginx } from './cluster/nginx.ts'

const UPGRADES = Number(process.env.UPGRADES ?? 1)
const NODES = 3
const WRITERS = 12
const READERS = 4
const BUNDLE = '/api/projects/web/bundles/en/common'

t.test(`${UPGRADES} times`, { skip: noNginx || noPostgres() }, async t => {
  t.setTimeout(0)
  const postgres = await startPostgres(t, 'max_connections=100')
  const CLUSTER = await postgres.database()
  const folder = t.testdir()
  const environments: Record<string, string>[] = []
  for (let n = 0; n < NODES; n++) {
    const PORT = String(await freePort())
    environments.push({ CLUSTER, PORT, NODE_URL: `http://127.0.0.1:${PORT}` })
  }
  const runs: Run[] = []
  const open = async (n: number) => {
    const run = await start(t, join(folder, `node-${n}`), environments[n]!)
    runs.push(run)
    return run
  }
  const nodes: Run[] = []
  for (let n = 0; n < NODES; n++) nodes.push(await open(n))
  const { server } = nodes[0]!
  const { key } = await server.organization()
  await server.project(key, 'web')
  const port = await startNginx(
    t,
    environments.map(({ PORT }) => `127.0.0.1:${PORT}`),
  )

  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const ask = (method: string, path: string, sent?: object) =>
    new Promise<string>(resolve => {
      const headers = { 'x-api-key': key, ...(sent && { 'content-type': 'application/json' }) }
      const asked = request({ host: '127.0.0.1', port, agent, method, path, headers })
      asked.on('error', error => resolve(String(error)))
      asked.on('response', async response => {
        const { statusCode = 0, headers } = response
        const isAsked = statusCode === 503 && Number(headers['retry-after']) >= 1
        const said = await text(response).catch(String)
        resolve(statusCode < 300 ? 'done' : isAsked ? 'asked to retry' : `${method} ${statusCode} ${said}`)
      })
      asked.end(sent && JSON.stringify(sent))
    })
  const told: Record<string, number> = {}
  let goesOn = true
  const client = async (step: (count: number) => Promise<string>) => {
    for (let count = 0; goesOn; count++) {
      const outcome = await step(count)
      told[outcome] = (told[outcome] ?? 0) + 1
      if (outcome === 'asked to retry') await pause(50)
    }
  }
  const clients = [
    ...Array.from({ length: WRITERS }, (_, n) => client(at => ask('POST', BUNDLE, { [`w${n}-${at % 50}`]: 'x' }))),
    ...Array.from({ length: READERS }, () => client(() => ask('GET', BUNDLE))),
  ]
  for (let round = 0; round < UPGRADES; round++) {
    for (const n of nodes.keys()) {
      await nodes[n]!.server.close()
      t.equal((await nodes[n]!.exit).code, 0)
      nodes[n] = await open(n)
      await pause(500)
    }
  }
  goesOn = false
  await Promise.all(clients)
  const { done = 0, 'asked to retry': again = 0, ...failed } = told
  t.comment(
    `${UPGRADES * NODES} nodes ended; ${done} requests done, ${again} asked to retry: ${JSON.stringify(failed)}`,
  )
  t.strictSame(failed, {}, 'no request failed')
  const errors = runs
    .flatMap(run => run.output().match(/^\{"level":50.*$/gm) ?? [])
    .map(line => JSON.parse(line))
    .map(({ msg, err }) => `${msg}: ${err?.stack}`)
  t.strictSame(errors.slice(0, 5), [], 'no node met an error')
  t.ok(done > 0)
  for (const node of nodes) await kill(node)
})
