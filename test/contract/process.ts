/** Starts the server as a separate process, reads its output, kills it and waits for its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { build, main } from '../bundled.ts'
import { hashAsUsersDo } from '../quick-passwords.ts'
import { eventually, git, Server, settings } from './server.ts'

hashAsUsersDo()

const root = fileURLToPath(new URL('../../', import.meta.url))

export interface Run {
  server: Server
  child: ChildProcess
  /** The output so far. */
  output: () => string
  exit: Promise<Ended>
}

/** Exit code and signal of a process. */
export interface Ended {
  code: number | null
  signal: string | null
}

/**
 * Builds stale files and runs the server on a data folder.
 * @param under a program with its arguments that starts the server
 * @param flags of Node
 */
export function launch(
  dataDir: string,
  env: Record<string, string> = {},
  { under = [], flags = [] }: { under?: string[]; flags?: string[] } = {},
) {
  build()
  const [program = '', ...argv] = [...under, process.execPath, ...flags, main, 'serve']
  const child = spawn(program, argv, {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings(dataDir, { LOG_LEVEL: 'warn', ...env }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout.on('data', part => (text += part))
  child.stderr.on('data', part => (text += part))
  const exit = new Promise<Ended>(resolve => child.on('close', (code, signal) => resolve({ code, signal })))
  return { child, exit, output: () => text }
}

/** Starts a server on a free port and waits for its address. It is killed when the test ends. */
export async function start(t: Test, dataDir: string, env: Record<string, string> = {}): Promise<Run> {
  mkdirSync(dataDir, { recursive: true })
  const run = launch(dataDir, env)
  t.teardown(async () => {
    run.child.kill('SIGKILL')
    await run.exit
  })
  const address = await addressOf(run)
  const close = async () => {
    run.child.kill('SIGTERM')
    await run.exit
  }
  return { server: new Server(address, dataDir, close), ...run }
}

/** Waits for the address of a launched server. @throws Error when it ends, or prints none in time */
export async function addressOf({ exit, output }: Pick<Run, 'exit' | 'output'>, patience?: number): Promise<string> {
  let ended = false
  void exit.then(() => (ended = true))
  const said = () => /http:\/\/127\.0\.0\.1:\d+/.exec(output())?.[0]
  await eventually(() => said() !== undefined || ended, patience)
  const address = said()
  if (address === undefined) throw new Error(`no server: ${output()}`)
  return address
}

export async function kill(run: Pick<Run, 'child' | 'exit'>) {
  run.child.kill('SIGKILL')
  await run.exit
}

/** Asserts that the repository passes a strict fsck. */
export function isSound(t: Test, repository: string, what: string) {
  t.doesNotThrow(() => git(repository, 'fsck', '--full', '--strict'), `${what}: git fsck --full --strict`)
}
