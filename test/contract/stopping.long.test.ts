/** `npm start` stops when any of its processes gets any signal, with and without a terminal. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { build } from '../bundled.ts'
import { OLD_NODE } from '../old-node.ts'
import { addressOf } from './process.ts'
import { eventually, settings } from './server.ts'

t.setTimeout(0)
build()

const root = join(import.meta.dirname, '../..')
const PATIENCE = 120_000
/** The number of last characters of the output in a message. */
const SAID = 400
/** `script` of util-linux runs a program in a new terminal and types its input. */
const noTerminal =
  /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '') === false &&
  'there is no `script` of util-linux on this machine'

interface Process {
  pid: number
  parent: number
  command: string
}

/** A process and what it has started, itself first. */
function family(pid: number): Process[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
  const all = [...listed.matchAll(/^ *(\d+) +(\d+) (.*)$/gm)].map(([, pid, parent, command = '']) => {
    return { pid: Number(pid), parent: Number(parent), command }
  })
  const members = all.filter(one => one.pid === pid)
  for (const { pid } of members) members.push(...all.filter(({ parent }) => parent === pid))
  return members
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The folder and the environment of `npm start`. */
interface Place {
  cwd: string
  env?: Record<string, string>
  terminal?: boolean
}

/** `npm start` on an empty data folder, as soon as it listens: its processes from npm to the server. */
async function npmStart(t: Test, dataDir: string, { cwd, env = {}, terminal = false }: Place) {
  const PATH = `${join(process.execPath, '..')}:${process.env.PATH}`
  const [command = '', ...argv] = terminal ? ['script', '-qefc', 'npm start', '/dev/null'] : ['npm', 'start']
  const child: ChildProcess = spawn(command, argv, {
    cwd,
    env: { ...process.env, ...settings(dataDir, {}), PATH, NODE_OPTIONS: '', ...env },
  })
  let text = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', part => (text += part))
  child.stdin!.on('error', () => {})
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  let members: Process[] = []
  t.teardown(() => {
    for (const { pid } of members.filter(({ pid }) => isAlive(pid))) process.kill(pid, 'SIGKILL')
    child.kill('SIGKILL')
  })
  await addressOf({ exit, output: () => text }, PATIENCE)
  members = family(child.pid!)
  const npm = members.find(({ command }) => /^npm /.test(command))!
  const launched = members.filter(({ command }) => /launch\.mjs/.test(command))
  return { child, exit, output: () => text, npm, members, first: launched[0]!, server: launched.at(-1)! }
}

type Started = Awaited<ReturnType<typeof npmStart>>

/** An action, the expected end of npm, and whether the server closes in order. */
interface Row {
  what: string
  end: (started: Started) => unknown
  ends: { code: number | null; signal: string | null }
  /** Another allowed end of npm: the signal may reach it as well. */
  or?: number
  abrupt?: boolean
}

const well = { code: 0, signal: null }
const by = (signal: string) => ({ code: null, signal })
const kill = (who: 'npm' | 'server' | 'first', signal: NodeJS.Signals) => (started: Started) =>
  process.kill(started[who].pid, signal)

const rows: Row[] = [
  { what: 'SIGTERM to npm', end: kill('npm', 'SIGTERM'), ends: well },
  { what: 'SIGINT to npm', end: kill('npm', 'SIGINT'), ends: well },
  { what: 'SIGHUP to npm', end: kill('npm', 'SIGHUP'), ends: by('SIGHUP') },
  { what: 'SIGKILL to npm', end: kill('npm', 'SIGKILL'), ends: by('SIGKILL') },
  { what: 'SIGTERM to the server', end: kill('server', 'SIGTERM'), ends: well },
  { what: 'SIGHUP to the server', end: kill('server', 'SIGHUP'), ends: well },
  { what: 'SIGKILL to the server', end: kill('server', 'SIGKILL'), ends: by('SIGKILL'), abrupt: true },
]

/** `script` exits with the status of a shell. */
const status = { SIGINT: 130, SIGHUP: 129, SIGKILL: 137 }
const atTerminal: Row[] = [
  ...rows.map(row => ({ ...row, ends: { code: status[row.ends.signal as 'SIGHUP'] ?? 0, signal: null } })),
  { what: 'Ctrl-C', end: ({ child }) => child.stdin!.write('\x03'), ends: well, or: status.SIGINT },
  { what: 'the terminal is closed', end: ({ child }) => child.kill('SIGKILL'), ends: by('SIGKILL') },
]

/** Each row in a data folder of its own. */
async function each(t: Test, folder: string, rows: Row[], place: Place): Promise<void> {
  const waiting = [...rows]
  const lane = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const dataDir = join(folder, row.what)
      const started = await npmStart(t, dataDir, place)
      row.end(started)
      const left = () => started.members.filter(({ pid }) => isAlive(pid)).map(({ command }) => command)
      const stopped = await eventually(() => left().length === 0, PATIENCE)
      t.ok(stopped, `${row.what}: nothing is left ${left().join(', ')}`)
      if (!stopped) continue
      const ended = await started.exit
      const said = started.output().slice(-SAID)
      const expected = ended.code === row.or ? { ...row.ends, code: row.or } : row.ends
      t.strictSame({ ...ended, said }, { ...expected, said }, `${row.what}: how it ends`)
      // SQLite removes its log when it is closed.
      t.equal(existsSync(join(dataDir, 'parlance.sqlite-wal')), row.abrupt === true, `${row.what}: closed in order`)
    }
  }
  await Promise.all([lane(), lane()])
}

t.test('stops without a terminal', t => each(t, t.testdir(), rows, { cwd: root }))

t.test('stops in a terminal', { skip: noTerminal }, t =>
  each(t, t.testdir(), atTerminal, { cwd: root, terminal: true }),
)

t.test('stops on an older Node, with a process between npm and the server', async t => {
  const clone = t.testdir()
  for (const name of ['src', 'package.json', 'package-lock.json'])
    cpSync(join(root, name), join(clone, name), { recursive: true, preserveTimestamps: true })
  for (const name of ['dist', 'node_modules']) symlinkSync(join(root, name), join(clone, name))
  const fetcher = join(clone, 'src/launch/fetch-node.mjs')
  const source = readFileSync(fetcher, 'utf8')
  const [, wanted = ''] = new RegExp(`'${process.platform}-x64': \\['([^']*)'`).exec(source) ?? []
  const bin = join(clone, '.node', wanted, 'bin')
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh\nexec env -u NODE_OPTIONS '${process.execPath}' "$@"\n`
  writeFileSync(join(bin, 'node'), script, { mode: 0o755 })
  // The script starts no other program.
  writeFileSync(fetcher, source.replace(/[0-9a-f]{64}/g, createHash('sha256').update(script).digest('hex')))
  const place = { cwd: clone, env: { NODE_OPTIONS: `--import=${OLD_NODE}` } }
  await each(
    t,
    clone,
    [...rows, { what: 'SIGKILL to the one between', end: kill('first', 'SIGKILL'), ends: by('SIGKILL') }],
    place,
  )
})
