/**
 * `npm run demo -- cluster`: a PostgreSQL, three nodes and a load balancer on one machine. They end with the demo, and
 * their data is deleted. docs/cluster.md describes a real cluster.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { balance } from './balance.ts'

const NODES = 3
const AGAIN_MS = 5000
const PATIENCE_MS = 30_000
/** Where Debian has PostgreSQL's programs, the newest last. */
const FOLDERS = '/usr/lib/postgresql'

const port = Number(process.env.PORT || 3000)
const folder = mkdtempSync(join(tmpdir(), 'parlance-cluster-'))
const running = new Set<ChildProcess>()
let ends = false

/** A program of PostgreSQL's; where Debian's are not, that of PATH. */
function program(name: string): string {
  const versions = existsSync(FOLDERS) ? readdirSync(FOLDERS).sort((a, b) => Number(a) - Number(b)) : []
  const found = versions.map(version => join(FOLDERS, version, 'bin', name)).filter(path => existsSync(path))
  return found.at(-1) ?? name
}

/** The user that runs PostgreSQL. It refuses to run as root, and its packages create a user. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function start(name: string, command: string[], options: { env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {}) {
  const [path = '', ...argv] = command
  const log = openSync(join(folder, `${name}.log`), 'a')
  const child = spawn(path, argv, { cwd: folder, stdio: ['ignore', log, log], ...options })
  running.add(child)
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  void ended.then(() => running.delete(child))
  return { child, ended }
}

/** Waits up to 30 seconds for a condition. @throws Error with the end of the program's log after that */
async function until(name: string, isThere: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(100)) if (await isThere()) return
  const log = readFileSync(join(folder, `${name}.log`), 'utf8')
    .trim()
    .split('\n')
  throw new Error(`${name} does not start:\n${log.slice(-5).join('\n')}`)
}

async function startPostgres(): Promise<string> {
  const who = owner()
  const data = join(folder, 'postgres')
  mkdirSync(data)
  // PostgreSQL's user must reach its folder inside.
  chmodSync(folder, 0o711)
  if (who) chownSync(data, who.uid, who.gid)
  const options = { ...who, cwd: data, stdio: ['ignore', 'ignore', 'pipe'] as ['ignore', 'ignore', 'pipe'] }
  execFileSync(program('initdb'), ['-D', data, '-U', 'parlance', '-A', 'trust', '-E', 'UTF8', '--no-locale'], options)
  const at = String(port + NODES + 1)
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const set = settings.flatMap(setting => ['-c', setting])
  start('postgres', [program('postgres'), '-D', data, '-p', at, ...set], who)
  const reach = ['-h', '127.0.0.1', '-p', at, '-U', 'parlance', '-d', 'postgres']
  await until('postgres', async () => {
    try {
      execFileSync(program('psql'), [...reach, '-qc', 'create database parlance'], { stdio: 'ignore' })
      return true
    } catch {
      return false
    }
  })
  return `postgres://parlance@127.0.0.1:${at}/parlance`
}

/** Starts a node, and again whenever it was killed. @returns its address and process, once it answers */
async function startNode(name: string, address: string, cluster: string): Promise<number> {
  const env = {
    ...process.env,
    ...{ HOST: '127.0.0.1', PORT: new URL(address).port, DATA_DIR: join(folder, name) },
    ...{ CLUSTER: cluster, NODE_URL: address },
    // A remote of another server belongs to other repositories.
    BACKUP_REMOTE: '',
  }
  const { child, ended } = start(name, [process.execPath, join(import.meta.dirname, 'main.js'), 'serve'], { env })
  void ended.then(async () => {
    if (ends) return
    console.log(`${name} has ended: restart in ${AGAIN_MS / 1000} s.`)
    await pause(AGAIN_MS)
    if (!ends) console.log(`${name} is back, process ${await startNode(name, address, cluster)}.`)
  })
  await until(name, () =>
    fetch(`${address}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return child.pid!
}

async function end(): Promise<void> {
  if (ends) return
  ends = true
  const all = [...running]
  const gone = all.map(child => new Promise(resolve => child.once('close', resolve)))
  // On SIGINT PostgreSQL does not wait for its clients.
  for (const child of all) child.kill('SIGINT')
  await Promise.all(gone)
  rmSync(folder, { recursive: true, force: true })
  process.exit()
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end())
try {
  const cluster = await startPostgres()
  console.log(`PostgreSQL\n  ${cluster}\n\nThree nodes over it; what they hold and log is in ${folder}`)
  const addresses = Array.from({ length: NODES }, (_, at) => `http://127.0.0.1:${port + 1 + at}`)
  for (const [at, address] of addresses.entries()) {
    const name = `node${at + 1}`
    console.log(`  ${name}  ${address}  process ${await startNode(name, address, cluster)}`)
  }
  balance(addresses).listen(port, '127.0.0.1', () => {
    console.log(`\nA load balancer in front of them, to whom each request may go anywhere\n  http://127.0.0.1:${port}`)
    console.log('\nKill a node, and see that nothing is lost. Ctrl-C ends it all and throws it away.')
  })
} catch (error) {
  const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  console.error(
    missing ? 'There is no PostgreSQL on this machine (Debian: apt-get install postgresql).' : (error as Error).message,
  )
  process.exitCode = 1
  await end()
}
