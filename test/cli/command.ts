/** The developers' command as a process of its own, against a real server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { build } from '../bundled.ts'
import { type Organization, type Server, startServer } from '../contract/server.ts'

/** The file that the package has, and `GET /cli` hands out. */
export const main = join(import.meta.dirname, '../../dist/cli.mjs')

/** What a finished command left. `json` is what it printed, undefined when that is no single JSON document. */
export interface Ended {
  code: number | null
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of documents
  json: any
}

/** A server for the tests of a file, with an organization and tokens of it. */
export interface Parlance {
  server: Server
  acme: Organization
  /** By scope. */
  tokens: { read: string; add: string; write: string }
  /** `PARLANCE_URL` and the write token, for a command's environment. */
  env: Record<string, string>
}

export async function startParlance(t: Test): Promise<Parlance> {
  const server = await startServer(t)
  const acme = await server.organization()
  const mint = async (scope: 'read' | 'add') => (await server.mint(acme.owner, scope, scope)).key
  const tokens = { read: await mint('read'), add: await mint('add'), write: acme.key }
  return { server, acme, tokens, env: { PARLANCE_URL: server.base, PARLANCE_TOKEN: tokens.write } }
}

/** Starts a command and leaves it running; it is killed with the test at the latest. @param t of the folder's test */
export function startCommand(t: Test, cwd: string, words: string[], env: Record<string, string> = {}) {
  build()
  const child: ChildProcess = spawn(process.execPath, [main, ...words], {
    // A home of its own, without the credentials of a user.
    env: { PATH: process.env.PATH, HOME: join(cwd, '.home'), ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const started = { child, out: '', err: '', ended: Promise.resolve<number | null>(null) }
  child.stdout!.setEncoding('utf8').on('data', data => (started.out += data))
  child.stderr!.setEncoding('utf8').on('data', data => (started.err += data))
  started.ended = new Promise(resolve => child.on('close', code => resolve(code)))
  t.teardown(() => child.kill('SIGKILL'))
  return started
}

/** Runs a command to its end, in a folder. @param input what comes on standard input */
export async function parlance(
  t: Test,
  cwd: string,
  words: string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Ended> {
  const started = startCommand(t, cwd, words, env)
  started.child.stdin!.on('error', () => {}).end(input)
  const code = await started.ended
  const { out, err } = started
  let json: unknown
  try {
    json = JSON.parse(out)
  } catch {}
  return { code, out, err, json }
}
