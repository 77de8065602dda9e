/** Servers that are nodes of one, in the test's process, each reached at a port of its own. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { BuildOptions } from '../../src/app.ts'
import { type Server, startServer } from '../contract/server.ts'
import { freePort } from '../free-port.ts'
import type { Postgres } from './postgres.ts'

/** @param env more settings, the same for all */
export async function startServers(
  t: Test,
  postgres: Postgres,
  count: number,
  env: Record<string, string> = {},
  options: BuildOptions = {},
): Promise<{ servers: Server[]; database: string }> {
  const database = await postgres.database()
  const folder = mkdtempSync(join(tmpdir(), 'parlance-nodes-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const servers: Server[] = []
  for (let n = 0; n < count; n++) servers.push(await startOne(t, database, join(folder, `node-${n}`), env, options))
  return { servers, database }
}

/** One more node on a database. */
export async function startOne(
  t: Test,
  database: string,
  dataDir: string,
  env: Record<string, string> = {},
  options: BuildOptions = {},
) {
  const port = String(await freePort())
  return startServer(t, {
    ...options,
    env: { CLUSTER: database, PORT: port, NODE_URL: `http://127.0.0.1:${port}`, ...env },
    dataDir,
  })
}
