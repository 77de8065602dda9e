/** What the tests of the wire share: a running server with people in it, tables of scenarios, and sockets below HTTP. */
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

/** A server with two organizations: Acme with one of each role and a read-only token, and another one that must see nothing of it. */
export interface Scene {
  server: Server
  acme: Organization
  admin: Session
  member: Session
  reader: string
  other: Organization
  /** signed in, and a member of nothing */
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

/** One row of a scenario table: what is asked, and the status that must come. `check` looks further. */
export interface Row extends Sending {
  name: string
  method: string
  path: string
  status: number
  check?: (reply: Reply, t: Test) => void
}

/** Runs the rows in order; every failure must have the one error shape. */
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

/** Writes bytes to a fresh socket, and reads until the server closes it or nothing more comes for `quietMs`. */
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
