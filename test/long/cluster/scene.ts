/** Three PostgreSQL, three nodes and their clients, and the mishaps that may befall them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { eventually } from '../../eventually.ts'
import { Clients, type Told } from './clients.ts'
import { Engines } from './engines.ts'
import { Network } from './network.ts'
import { type ClusterNode, clusterNode } from './nodes.ts'

/** Clocks that are wrong by this much, either way. */
const CLOCKS_APART_MS = 90_000

/** What the nodes are over. */
interface Database {
  url: string
  close(): Promise<void>
}

/** See the top of the file. */
export class Scene<E extends Database = Engines> {
  readonly network: Network
  readonly engines: E
  readonly nodes: ClusterNode[]
  readonly clients: Clients
  /** Those that the load balancer sends requests to. */
  readonly known: Set<ClusterNode>
  readonly #folder: string

  private constructor(network: Network, engines: E, nodes: ClusterNode[], clients: Clients, folder: string) {
    this.network = network
    this.engines = engines
    this.nodes = nodes
    this.clients = clients
    this.known = new Set(nodes)
    this.#folder = folder
  }

  /** Starts it all, and the clients; it ends with the test. */
  static open(t: Pick<Test, 'testdir' | 'teardown'>, load = {}): Promise<Scene> {
    return Scene.over(t, network => Engines.start(network), load)
  }

  /** The same on a given database. */
  static async over<E extends Database>(
    t: Pick<Test, 'testdir' | 'teardown'>,
    start: (network: Network) => Promise<E>,
    { writers = 6, readers = 3, accounts = true, apart = CLOCKS_APART_MS, env = {} as Record<string, string> } = {},
  ): Promise<Scene<E>> {
    const folder = t.testdir()
    const network = await Network.open()
    t.teardown(() => network.close())
    const engines = await start(network)
    t.teardown(() => engines.close())
    const nodes: ClusterNode[] = []
    for (const [at, ahead] of [0, apart, -apart].entries())
      nodes.push(await clusterNode(network, engines, `${folder}/n${at + 1}`, `n${at + 1}`, { ahead, env }))
    t.teardown(() => Promise.all(nodes.filter(node => node.isRunning()).map(node => node.kill())))
    for (const node of nodes) await node.start()
    const acme = await nodes[0]!.server.organization()
    await nodes[0]!.server.project(acme.key, 'web')
    const scene: Scene<E> = new Scene(network, engines, nodes, new Clients(acme, () => [...scene.known]), folder)
    const member = accounts ? await nodes[0]!.server.join(acme, 'Bob', 'member') : undefined
    scene.clients.start({ writers, readers, ...(member && { member }) })
    return scene
  }

  /** A node, by its place. */
  node(at: number): ClusterNode {
    return this.nodes[at]!
  }

  /** One that joins with an empty folder. */
  async join(name: string): Promise<ClusterNode> {
    const node = await clusterNode(this.network, this.engines, `${this.#folder}/${name}`, name)
    this.nodes.push(node)
    await this.start(node)
    return node
  }

  async start(node: ClusterNode): Promise<void> {
    await node.start()
    this.known.add(node)
  }

  /** Kills a node; a load balancer hears of it at once, as its connections break. */
  async kill(node: ClusterNode): Promise<void> {
    this.known.delete(node)
    await node.kill()
  }

  /** Causes a mishap and waits for a while. @returns the answers to the writers since its beginning */
  async during(milliseconds: number, mishap: () => unknown): Promise<Told[]> {
    const from = performance.now()
    await mishap()
    await pause(milliseconds)
    return this.clients.since(from)
  }

  /** Waits until each writer has been acknowledged a write that it began after now; says whether that came. */
  goesOn(milliseconds?: number): Promise<boolean> {
    // What is under way now may have been begun before.
    const least = this.clients.writers.map(({ acknowledged }) => acknowledged + 2)
    return eventually(
      () => this.clients.writers.every(({ acknowledged }, at) => acknowledged >= least[at]!),
      milliseconds,
    )
  }

  /** Waits until each node of the load balancer has acknowledged a write after now. @returns the other nodes */
  async silent(milliseconds?: number): Promise<ClusterNode[]> {
    const from = performance.now()
    const missing = () => {
      const told = this.clients.since(from).filter(({ status }) => status === 200)
      return [...this.known].filter(({ name }) => !told.some(({ node }) => node === name))
    }
    await eventually(() => missing().length === 0, milliseconds)
    return missing()
  }

  /** Waits until `count` more writes of any client have been acknowledged. */
  writes(count: number): Promise<boolean> {
    const sum = () => this.clients.writers.reduce((all, { acknowledged }) => all + acknowledged, 0)
    const least = sum() + count
    return eventually(() => sum() >= least)
  }
}

/** The most errors that one client saw between two acknowledgements. */
export function mostErrorsInARow(told: readonly (readonly Told[])[]): number {
  let most = 0
  for (const answers of told) {
    let row = 0
    for (const { status } of answers) {
      row = status === 200 ? 0 : row + 1
      most = Math.max(most, row)
    }
  }
  return most
}
