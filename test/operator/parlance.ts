/** The `parlance` command as a process of its own, from the bundle that users run. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { build, main } from '../bundled.ts'
import { hashAsUsersDo } from '../quick-passwords.ts'

hashAsUsersDo()

const root = join(import.meta.dirname, '../..')

/** What a finished command left. `json` is what it printed, undefined when that is no single JSON document. */
export interface Ended {
  code: number | null
  output: string
  errors: string
  // biome-ignore lint/suspicious/noExplicitAny: the shape of these documents is what the tests judge
  json: any
}

export interface Surroundings {
  env?: Record<string, string>
  input?: string | Buffer
  cwd?: string
}

/** Starts it and leaves it running; it is killed with the test at the latest. */
export function start(t: Test, words: string[], { env, cwd }: Surroundings = {}) {
  build()
  const child: ChildProcess = spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...env },
    cwd: cwd ?? root,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const started = { child, output: '', errors: '', ended: Promise.resolve<number | null>(null) }
  child.stdout!.setEncoding('utf8').on('data', data => (started.output += data))
  child.stderr!.setEncoding('utf8').on('data', data => (started.errors += data))
  started.ended = new Promise(resolve => child.on('close', code => resolve(code)))
  t.teardown(() => child.kill('SIGKILL'))
  return started
}

/** Runs it to its end. */
export async function parlance(t: Test, words: string[], surroundings: Surroundings = {}): Promise<Ended> {
  const started = start(t, words, surroundings)
  started.child.stdin!.end(surroundings.input ?? '')
  const code = await started.ended
  const { output, errors } = started
  let json: unknown
  try {
    json = JSON.parse(output)
  } catch {}
  return { code, output, errors, json }
}
