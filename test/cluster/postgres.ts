/** A PostgreSQL of the test's own, as Debian installs it: created, started, and removed with the test. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { freePort } from '../free-port.ts'

/** Where Debian has the programs, the newest first. */
const FOLDERS = '/usr/lib/postgresql'

/** The folder of the programs. */
export const binaries = (): string | undefined =>
  (existsSync(FOLDERS) ? readdirSync(FOLDERS) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map(version => join(FOLDERS, version, 'bin'))
    .find(folder => existsSync(join(folder, 'initdb')))

/** Why tests on PostgreSQL are left out here; false where they run: `t.test(name, { skip: noPostgres() }, …)`. */
export const noPostgres = (): string | false =>
  binaries() === undefined && `there is no PostgreSQL in ${FOLDERS}: apt-get install postgresql`

/** A running server. */
export interface Postgres {
  port: number
  /** Creates an empty database, or a copy of one without connections. @returns its address, `postgres://…` */
  database(like?: string): Promise<string>
  /** Ends it as a crash would, and waits. */
  kill(): Promise<void>
  /** Starts it again after {@link kill}. */
  start(): Promise<void>
}

/** Starts a server for the test, on loopback. @param settings lines of postgresql.conf, such as `fsync=off` */
export async function startPostgres(t: Test, ...settings: string[]): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-postgres-'))
  const data = join(folder, 'data')
  const port = await freePort()
  const { uid, gid } = await owner()
  if (uid !== undefined) chownSync(folder, uid, gid!)
  const run = (program: string, argv: string[]) => {
    // It refuses to run as root.
    const child = spawn(join(binaries()!, program), argv, {
      ...(uid === undefined ? {} : { uid, gid: gid! }),
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = new Promise<void>(resolve => child.once('close', () => resolve()))
    return { child, exited }
  }

  const made = run('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync'])
  made.child.stderr.resume()
  await made.exited
  if (made.child.exitCode !== 0) throw new Error(`initdb ended with ${made.child.exitCode}`)

  let server: ReturnType<typeof run> | undefined
  const start = async () => {
    const options = [
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      'max_connections=50',
      ...settings,
    ]
    const started = run('postgres', ['-D', data, '-p', String(port), ...options.flatMap(option => ['-c', option])])
    server = started
    let told = ''
    const ready = new Promise<void>(resolve => {
      started.child.stderr.on('data', (bytes: Buffer) => {
        told = `${told}${bytes}`.slice(-20_000)
        if (told.includes('ready to accept connections')) resolve()
      })
    })
    await Promise.race([ready, started.exited])
    if (started.child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${told}`)
  }
  const kill = async () => {
    server?.child.kill('SIGQUIT')
    await server?.exited
  }
  t.teardown(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()

  return {
    port,
    start,
    kill,
    database: like => newDatabase(`postgres://postgres@127.0.0.1:${port}/postgres`, like),
  }
}

/** See {@link Postgres.database}. @param server the address of any database of it */
export async function newDatabase(server: string, like?: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database ${name}${like ? ` template ${new URL(like).pathname.slice(1)}` : ''}`)
  await client.end()
  return new URL(`/${name}`, server).href
}

/** Whom it runs as: root may not, and Debian has a user for it. */
export async function owner(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = spawn('id', ['postgres'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let told = ''
  id.stdout.on('data', (bytes: Buffer) => {
    told += bytes
  })
  await once(id, 'close')
  const [, uid, gid] = /uid=(\d+).*?gid=(\d+)/.exec(told) ?? []
  if (uid === undefined) throw new Error('There is no user postgres to run PostgreSQL as.')
  return { uid: Number(uid), gid: Number(gid) }
}
