/**
 * Two nodes behind a load balancer that gives each connection to the next one: a test of one server finds one server.
 */
import { connect, createServer } from 'node:net'
import type { Test } from 'tap'
import type { BuildOptions } from '../../src/app.ts'
import { type Running, runApp, settings } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { newDatabase } from './postgres.ts'

const NODES = 2

/** The database of a data folder: the next opening finds the same accounts. */
const databases = new Map<string, Promise<string>>()

/**
 * Starts them on the folder given and on one beside it.
 * @param postgres the address of the server that gets a database for each folder
 */
export async function startBehind(
  t: Test,
  postgres: string,
  dataDir: string,
  env: Record<string, string> = {},
  build: BuildOptions = {},
): Promise<Running> {
  if (!databases.has(dataDir)) databases.set(dataDir, newDatabase(postgres))
  const database = (await databases.get(dataDir))!
  const nodes: Running[] = []
  t.teardown(() => Promise.all(nodes.map(node => node.close())))
  for (let n = 0; n < NODES; n++) {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const cluster = { PORT: String(port), CLUSTER: database, CLUSTER_DURABILITY: 'managed', NODE_URL: base }
    nodes.push(await runApp({ ...settings(n === 0 ? dataDir : `${dataDir}-${n}`, env), ...cluster }, build))
    await eventually(async () => (await fetch(`${base}/api/auth/ok`)).status === 200)
  }
  let turn = 0
  const balancer = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    const { port } = nodes[turn++ % NODES]!
    const node = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    client.pipe(node).pipe(client)
    client.on('error', () => node.destroy()).on('close', () => node.destroy())
    node.on('error', () => client.destroy()).on('close', () => client.destroySoon())
  })
  const port = await new Promise<number>(resolve =>
    balancer.listen(0, '127.0.0.1', () => resolve((balancer.address() as { port: number }).port)),
  )
  const close = async () => {
    balancer.close()
    await Promise.all(nodes.map(node => node.close()))
  }
  return { port, close }
}
