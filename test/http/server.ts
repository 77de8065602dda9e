/** Helpers of the HTTP tests: a running server with users, tables of requests, and raw sockets. */
import { connect } from 'node:net'
import type { Test } from 'tap'
import type { BuildOptions } from '../../src/app.ts'
import {
  type Organization,
  type Reply,
  type Sending,
  type Server,
  type Session,
  startServer,
} from '../contract/server.ts'

export {
  isError,
  type Organization,
  type Reply,
  type Sending,
  type Server,
  type Session,
  segment,
  startServer,
} from '../contract/server.ts'

/** A server with two organizations: Acme has one user of each role and a read-only token, the other must not see it. */
export interface Scene {
  server: Server
  acme: Organization
  admin: Session
  member: Session
  reader: string
  other: Organization
  /** signed in, without an organization */
  stranger: Session
}

export async function openScene(t: Test, env: Record<string, string> = {}, build: BuildOptions = {}): Promise<Scene> {
  const server = await startServer(t, { env, ...build })
  const acme = await server.organization('Ann')
  return {
    server,
    acme,
    admin: await server.join(acme, 'Adam', 'admin'),
    member: await server.join(acme, 'Mia', 'member'),
    reader: (await server.mint(acme.owner, 'reader', 'read')).key,
    other: await server.organization('Otto'),
    stranger: await server.signUp('Sam'),
  }
}

/** One row of a table: a request and its expected status. `check` asserts the rest of the answer. */
export interface Row extends Sending {
  name: string
  method: string
  path: string
  status: number
  check?: (reply: Reply, t: Test) => void
}

/** Sends the requests of the rows in order. Every refusal must have the one error shape. */
export async function runRows(t: Test, server: Server, rows: Row[]): Promise<void> {
  for (const { name, method, path, status, check, ...sending } of rows) {
    const reply = await server.call(method, path, sending)
    t.equal(reply.status, status, `${name}: ${reply.text.slice(0, 200)}`)
    if (status >= 400 && method !== 'HEAD') {
      t.type(reply.json?.error, 'string', `${name}: says why`)
      t.match(reply.headers['content-type'], /^application\/json/, `${name}: in JSON`)
    }
    check?.(reply, t)
  }
}

/** Writes bytes to a new socket, and reads until the server closes it or `quietMs` pass without bytes. */
export function exchange(server: Server, bytes: string | Buffer, quietMs = 300): Promise<string> {
  const { hostname, port } = new URL(server.base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    let received = ''
    const finish = () => {
      socket.destroy()
      resolve(received)
    }
    socket.setTimeout(quietMs + 2_000, finish)
    socket.on('data', data => {
      received += data
      socket.setTimeout(quietMs, finish)
    })
    socket.on('close', finish)
    socket.on('error', reject)
  })
}
