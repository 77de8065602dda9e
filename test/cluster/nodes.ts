/** Nodes in the test's process, on a PostgreSQL of its own: all of `src/cluster/` below the server. */

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { runSqlOn } from '../../src/auth/dialect.ts'
import { sharedSecret } from '../../src/cluster/accounts/load-accounts.ts'
import { quietDialect } from '../../src/cluster/accounts/postgres-dialect.ts'
import { ClusterDatabase } from '../../src/cluster/cluster-database.ts'
import { ClusterNode } from '../../src/cluster/cluster-node.ts'
import { peerRoutes } from '../../src/cluster/peer-routes.ts'
import { PostgresLog } from '../../src/cluster/postgres-log.ts'
import { migrate } from '../../src/cluster/schema.ts'
import { SealedPositions } from '../../src/cluster/sealed-positions.ts'
import { Background } from '../../src/scheduling/background.ts'

export const SILENT = { info: () => {}, warn: () => {}, error: () => {} }

/** One of them, listening, joined, with a lease. */
export interface TestNode {
  engine: ClusterDatabase
  node: ClusterNode
  log: PostgresLog
  sealed: SealedPositions
  url: string
  server: Server
  /** Answers no connection and renews no lease, like a stopped process. */
  freeze(): void
  /** The same, but it goes on renewing: as one that the others cannot reach, and that reaches PostgreSQL. */
  deafen(): void
  close(): Promise<void>
}

/** @param early is called before it joins */
export async function startNode(
  t: Test,
  url: string,
  member: string,
  early: (log: PostgresLog, node: ClusterNode) => unknown = () => {},
  hasBackup = false,
): Promise<TestNode> {
  const background = new Background(SILENT)
  const engine = new ClusterDatabase({ urls: [url], log: SILENT })
  await migrate(engine)
  const secret = await sharedSecret(runSqlOn(quietDialect(engine.accounts)), 'nodes')
  let isFrozen = false
  let handle: ReturnType<typeof peerRoutes> | undefined
  const server = createServer((request, response) => {
    if (isFrozen) return
    if (!handle?.(request, response)) response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const node = new ClusterNode({
    engine,
    member,
    url: own,
    secret,
    readsWithoutEngine: 60_000,
    background,
    log: SILENT,
  })
  handle = peerRoutes({ node, secret, bundle: async () => {} })
  const sealed = new SealedPositions({ engine, member, background, hasBackup })
  const log = new PostgresLog({ engine, node, sealed, background, fetch: async () => {} })
  early(log, node)
  await node.listening()
  let closed: Promise<void> | undefined
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await node.leave()
    await background.close()
    await engine.close()
  }
  const once = () => (closed ??= close())
  t.teardown(once)
  const deafen = () => {
    isFrozen = true
  }
  const freeze = () => {
    deafen()
    void background.close()
  }
  return { engine, node, log, sealed, url: own, server, freeze, deafen, close: once }
}
