/** Clients of a cluster that use any node, as behind a load balancer, and check every answer. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Organization, Session } from '../../contract/server.ts'
import { chooser } from '../lanes.ts'
import type { ClusterNode } from './nodes.ts'
import { Rights } from './rights.ts'

export const PROJECT = '/api/projects/web'
/** The bundle that all writers write. */
export const SHARED = `${PROJECT}/bundles/en/shared`
/** Maximum milliseconds of a request at a node: an earlier retry at another node could repeat the write. */
const PATIENCE_MS = 30_000
/** Asks again after this time where no answer said another. */
const AGAIN_MS = 100

/** Between two reads of one reader. */
const READ_PAUSE_MS = 5

/** An answer, or none: `refused` without a listener, `unheard` after a timeout or a broken connection. */
export interface Outcome {
  status: number | 'refused' | 'unheard'
  headers: IncomingHttpHeaders
  text: string
}

const agent = new Agent({ keepAlive: true })

/** Asks a node, and never throws. */
export function ask(
  node: ClusterNode,
  method: string,
  path: string,
  headers: Record<string, string>,
  sent?: unknown,
): Promise<Outcome> {
  const body = sent === undefined ? undefined : JSON.stringify(sent)
  const length =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return new Promise(resolve => {
    const none = (status: 'refused' | 'unheard', text: string) => resolve({ status, headers: {}, text })
    const asked = request(node.base + path, { method, agent, headers: { ...headers, ...length } })
    const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), PATIENCE_MS)
    asked.on('close', () => clearTimeout(timer))
    asked.on('error', error =>
      none((error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'refused' : 'unheard', String(error)),
    )
    asked.on('response', response => {
      let text = ''
      response.on('data', data => (text += data))
      response.on('error', error => none('unheard', String(error)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.end(body)
  })
}

/** Whether a node says that what it answers may be old. */
export const isStale = ({ headers }: Outcome) => headers['parlance-stale'] !== undefined

/** An answer to a writer, by the clock of {@link performance}. */
export interface Told {
  at: number
  milliseconds: number
  node: string
  status: Outcome['status']
  text: string
}

/** What all of them know together. */
export class Clients {
  /** Wrong answers and wrong effects. */
  readonly surprises: string[] = []
  /** What befalls the nodes now, for those who look for a cause. */
  mishap = ''
  readonly writers: Writer[] = []
  /** Answers to readers: the newest, and those that said that they may be old. */
  reads = 0
  staleReads = 0
  /** Reads that lacked an unacknowledged write which another node had shown. */
  overlaps = 0
  readonly organization: Organization
  readonly #nodes: () => readonly ClusterNode[]
  readonly #choose = chooser(1)
  readonly #running: Promise<void>[] = []
  #goesOn = true
  /** Clients between two requests wait for this. */
  #rest: Promise<void> | undefined
  #busy = 0

  /** @param nodes those that a load balancer knows of */
  constructor(organization: Organization, nodes: () => readonly ClusterNode[]) {
    this.organization = organization
    this.#nodes = nodes
  }

  /** @param member a member of the organization with changing rights. Without one, rights do not change. */
  start({ writers, readers, member }: { writers: number; readers: number; member?: Session }): void {
    for (let at = 0; at < writers; at++) this.writers.push(new Writer(at))
    for (const writer of this.writers) this.#run(() => this.#write(writer))
    for (let at = 0; at < readers; at++) this.#run(() => this.#read())
    if (member === undefined) return
    const rights = new Rights(this, member)
    for (const kind of ['token', 'session', 'membership'] as const) this.#run(() => rights[kind]())
  }

  /** Lets each client finish its request. A writer continues until it knows the outcome of its last write. */
  async stop(): Promise<void> {
    this.#goesOn = false
    await Promise.all(this.#running)
  }

  /** Looks at something while none of them asks for anything; they go on after it. */
  async atRest<T>(look: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#rest = promise
    try {
      while (this.#busy > 0) await pause(AGAIN_MS)
      return await look()
    } finally {
      this.#rest = undefined
      resolve()
    }
  }

  /** The answers to writers since then, for the report of one event. */
  since(at: number): Told[] {
    return this.writers.flatMap(({ told }) => told.filter(one => one.at >= at))
  }

  /** Those that a load balancer knows of now. */
  get nodes(): readonly ClusterNode[] {
    return this.#nodes()
  }

  /** The next node. */
  any(): ClusterNode {
    const { nodes } = this
    return nodes[this.#choose(nodes.length)]!
  }

  surprise(what: string): void {
    this.surprises.push(`${new Date().toISOString()} ${this.mishap}: ${what}`)
  }

  #run(step: () => Promise<void>): void {
    const loop = async () => {
      while (this.#goesOn) {
        await this.#rest
        this.#busy++
        await step()
        this.#busy--
      }
    }
    this.#running.push(loop())
  }

  /** One write, asked for again until it is acknowledged. */
  async #write(writer: Writer): Promise<void> {
    const next = writer.acknowledged + 1
    for (;;) {
      const node = this.any()
      const from = performance.now()
      const [method, path, headers, body] = writer.request(next, this.organization.key)
      const outcome = await ask(node, method, path, headers, body)
      const { status, text } = outcome
      writer.told.push({ at: performance.now(), milliseconds: performance.now() - from, node: node.name, status, text })
      if (status === 200) return writer.done(next, text)
      if (typeof status === 'number' && status !== 503) this.surprise(`${node.name} said ${status} ${text}`)
      // A write with an unknown outcome is checked first.
      if (status === 503 && outcome.headers['retry-after'] === undefined && !/not known yet whether it was/.test(text))
        this.surprise(`${node.name} does not say when to come again: ${text}`)
      await pause(AGAIN_MS)
    }
  }

  /** A read anywhere: what was acknowledged before it was asked for must be in it. */
  async #read(): Promise<void> {
    const node = this.any()
    const before = this.writers.map(writer => ({ writer, acknowledged: writer.acknowledged, seen: writer.seen }))
    const outcome = await ask(node, 'GET', SHARED, { 'x-api-key': this.organization.key })
    if (outcome.status !== 200) {
      if (typeof outcome.status === 'number' && outcome.status !== 503)
        this.surprise(`a read at ${node.name}: ${outcome.status} ${outcome.text}`)
      return void (await pause(AGAIN_MS))
    }
    this.reads++
    if (isStale(outcome)) {
      this.staleReads++
      return void (await pause(READ_PAUSE_MS))
    }
    const found = JSON.parse(outcome.text)
    for (const { writer, acknowledged, seen } of before.filter(({ writer: { isShared } }) => isShared)) {
      const value = Number(found[writer.name] ?? 0)
      if (value < acknowledged)
        this.surprise(`${node.name} is old: ${writer.name} is ${value}, ${acknowledged} was acknowledged`)
      else if (value < seen) this.overlaps++
      writer.seen = Math.max(writer.seen, value)
    }
    await pause(READ_PAUSE_MS)
  }

  /** Waits after an answer that is none: a node may be gone or say that it cannot do it now. */
  async excuse(what: string, node: ClusterNode, { status, text }: Outcome): Promise<void> {
    if (typeof status === 'number' && status !== 503) this.surprise(`${what} at ${node.name}: ${status} ${text}`)
    await pause(AGAIN_MS)
  }
}

/** Counts up an own key, in the shared bundle or, with a message and a revision, in an own bundle. */
export class Writer {
  readonly name: string
  readonly isShared: boolean
  /** The number that was acknowledged last. */
  acknowledged = 0
  /** The greatest that any reader saw. */
  seen = 0
  /** Revisions of its answers. */
  readonly revisions: string[] = []
  readonly told: Told[] = []

  constructor(n: number) {
    this.name = `w${n}`
    this.isShared = n % 2 === 0
  }

  request(value: number, key: string): [string, string, Record<string, string>, unknown] {
    const headers = { 'x-api-key': key }
    if (this.isShared) return ['PUT', `${SHARED}/${this.name}`, headers, { value: String(value) }]
    const bundles = { en: { [this.name]: { count: String(value) } } }
    return ['POST', `${PROJECT}/push`, headers, { bundles, message: `${this.name} counts ${value}` }]
  }

  done(value: number, text: string): void {
    this.acknowledged = value
    const { revision, unchanged } = JSON.parse(text)
    if (!this.isShared && unchanged !== 1) this.revisions.push(revision)
  }
}
