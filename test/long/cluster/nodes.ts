/** Nodes of a cluster as operators run them: the built server, each on a machine and a folder of its own. */
import { mkdirSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { launch } from '../../contract/process.ts'
import { git } from '../../contract/server.ts'
import { eventually } from '../../eventually.ts'
import { BuiltServer } from '../built-server.ts'
import type { Machine, Network } from './network.ts'

const CLOCK = join(import.meta.dirname, 'clock.mjs')

/** A node, running or not. */
export class ClusterNode {
  readonly name: string
  readonly machine: Machine
  readonly base: string
  readonly dataDir: string
  readonly #env: Record<string, string>
  readonly #flags: string[]
  #server: BuiltServer | undefined

  constructor(machine: Machine, dataDir: string, port: number, env: Record<string, string>, flags: string[]) {
    this.name = machine.name
    this.machine = machine
    this.base = `http://${machine.address}:${port}`
    this.dataDir = dataDir
    this.#env = { HOST: machine.address, PORT: String(port), NODE_URL: this.base, ...env }
    this.#flags = flags
  }

  /** @throws Error while it is not running */
  get server(): BuiltServer {
    if (this.#server === undefined) throw new Error(`${this.name} is not running`)
    return this.#server
  }

  /** Starts it and waits until it answers. @throws Error with what it said, when it ends instead */
  async start(): Promise<void> {
    mkdirSync(this.dataDir, { recursive: true })
    const run = launch(this.dataDir, this.#env, { under: [...this.machine.under], flags: this.#flags })
    let ended = false
    void run.exit.then(() => (ended = true))
    this.#server = new BuiltServer(this.base, this.dataDir, run)
    const answers = () =>
      new Promise<boolean>(resolve => {
        const asked = get(`${this.base}/api/health`, { timeout: 1000 }, answer => resolve(answer.statusCode === 200))
        asked.on('timeout', () => asked.destroy())
        asked.on('error', () => resolve(false))
      })
    await eventually(async () => ended || (await answers()))
    if (ended || !(await answers())) throw new Error(`${this.name} does not start: ${run.output()}`)
  }

  /** As when its power fails. */
  async kill(): Promise<void> {
    const { server } = this
    this.#server = undefined
    server.signal('SIGCONT')
    server.signal('SIGKILL')
    await server.exit
  }

  /** In order, as for an upgrade. */
  async stop(): Promise<void> {
    const { server } = this
    this.#server = undefined
    await server.close()
  }

  isRunning(): boolean {
    return this.#server !== undefined
  }

  repository(organization: string): string {
    return join(this.dataDir, 'organizations', organization)
  }

  /** The commit that its branch is at in git; undefined while there is none. */
  head(organization: string): string | undefined {
    try {
      return git(this.repository(organization), 'rev-parse', 'main').trim()
    } catch {
      return undefined
    }
  }
}

/** Creates a stopped node. @param ahead milliseconds that its clock is ahead */
export async function clusterNode(
  network: Network,
  engines: { url: string },
  dataDir: string,
  name: string,
  { ahead = 0, env = {} }: { ahead?: number; env?: Record<string, string> } = {},
): Promise<ClusterNode> {
  const settings = { CLUSTER: engines.url, CLOCK_AHEAD: String(ahead), ...env }
  const flags = ahead === 0 ? [] : ['--import', CLOCK]
  return new ClusterNode(await network.machine(name), dataDir, network.ports.node, settings, flags)
}
