/** Whole repositories from node to node, for one that joins or was away for long. */
import type { ServerResponse } from 'node:http'
import { Failure } from '../bundle/errors.ts'
import type { Log } from '../scheduling/background.ts'
import { fetchBundle, streamBundle } from '../store/git/git-bundle.ts'
import { checkOrganization } from '../store/open-organization.ts'
import type { ClusterNode } from './cluster-node.ts'
import { type Peer, REPOSITORIES_PATH } from './peers.ts'

/** Reads an organization's git directory after sealing. @returns false where this node has none */
export type ReadRepository = (organization: string, use: (gitDir: string) => Promise<void>) => Promise<boolean>

/** For all of it. */
const FETCH_MS = 3_600_000

/** See the top of the file. */
export class RepositoryExchange {
  readonly #node: ClusterNode
  readonly #log: Log
  /** Two nodes without it must not wait for each other. */
  readonly #fetching = new Set<string>()
  readonly #ending = new AbortController()
  #read: ReadRepository = async () => false
  #fromBackup: ((organization: string, gitDir: string, signal: AbortSignal) => Promise<void>) | undefined

  constructor(node: ClusterNode, log: Log) {
    this.#node = node
    this.#log = log
  }

  /** @param fromBackup brings what the backup remote has, if there is one */
  servedBy(
    read: ReadRepository,
    fromBackup?: (id: string, gitDir: string, signal: AbortSignal) => Promise<void>,
  ): void {
    this.#read = read
    this.#fromBackup = fromBackup
  }

  /** Answers with an organization's repository as a git bundle. */
  async serve(organization: string, response: ServerResponse): Promise<void> {
    checkOrganization(organization)
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(FETCH_MS)])
    const use = (gitDir: string) => streamBundle(gitDir, response, signal)
    const isHere = !this.#fetching.has(organization) && (await this.#read(organization, use))
    if (!isHere) response.writeHead(404).end()
  }

  /** See {@link ClusterLog.fetch}. */
  async fetch(organization: string, gitDir: string): Promise<void> {
    this.#fetching.add(organization)
    try {
      for (const peer of await this.#node.announcer.peers())
        if (await this.#fetchFrom(peer, organization, gitDir)) return
      if (this.#fromBackup) return await this.#fromBackup(organization, gitDir, this.#signal())
    } finally {
      this.#fetching.delete(organization)
    }
    throw new Failure(
      'unavailable',
      `No other node of the cluster has the repository of ${organization} now, and the log does not reach back to its beginning: start a node that has it.`,
    )
  }

  /** Ends what is under way. */
  close(): void {
    this.#ending.abort()
  }

  async #fetchFrom(peer: Peer, organization: string, gitDir: string): Promise<boolean> {
    const signal = this.#signal()
    try {
      const answer = await this.#node.peers.get(peer, REPOSITORIES_PATH + organization, signal)
      if (answer.statusCode !== 200) {
        answer.resume()
        return false
      }
      await fetchBundle(gitDir, answer, signal)
      this.#log.info({ organization, from: peer.url }, 'a repository was fetched from another node')
      return true
    } catch (error) {
      signal.throwIfAborted()
      this.#log.warn({ err: error, organization, from: peer.url }, 'another node did not give a repository')
      return false
    }
  }

  #signal(): AbortSignal {
    return AbortSignal.any([this.#ending.signal, AbortSignal.timeout(FETCH_MS)])
  }
}
