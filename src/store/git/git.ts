/** Runs the system's git, never through a shell or with anyone's configuration. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { devNull, constants as os, setPriority } from 'node:os'
import { pipeline, Readable, type Writable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { Failure } from '../../bundle/errors.ts'
import { codeOf } from '../disk.ts'
import { createHome, isolate } from './isolated-git-dir.ts'

/** The oldest git with all options used here. */
export const OLDEST_GIT = [2, 36] as const
const OUTPUT_LIMIT = 1024 * 1024
/** Time for git to clear its locks away. */
const MOMENT_MS = 2000
const BACKGROUND = os.priority.PRIORITY_BELOW_NORMAL
/** Delay before asking Linux again to let a session yield. */
const AGAIN_MS = 150

/** A git that has not said its version by then hangs: say, on a network file system that is gone. */
const VERSION_MS = 5000
/** How long it counts that there is no git. */
const ASKED_AGAIN_MS = 60_000

let found: Promise<string | undefined> | undefined

/**
 * The system's git's version (`2.39.5`); undefined without git, for one older than {@link OLDEST_GIT} or a silent one.
 * A version counts until the process ends, a missing git for a minute, and one that could not start for one call.
 */
export function gitVersion(): Promise<string | undefined> {
  found ??= askVersion().then(version => {
    if (version === undefined) setTimeout(() => (found = undefined), ASKED_AGAIN_MS).unref()
    return version
  })
  return found
}

async function askVersion(): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(VERSION_MS)
    const { output } = await runGit(['--version'], { cwd: '/', home: devNull, signal })
    const version = /(\d+)\.(\d+)(?:\.\d+)*/.exec(output)
    return isAtLeast(version?.[0], OLDEST_GIT) ? version?.[0] : undefined
  } catch (error) {
    // The system is out of descriptors or processes just now: that says nothing of git.
    if (codeOf(error) !== 'ENOENT') found = undefined
    return undefined
  }
}

/** @throws Failure `unsupported` without git for `what`, which begins the sentence */
export async function requireGit(what: string): Promise<void> {
  if ((await gitVersion()) !== undefined) return
  throw new Failure('unsupported', `${what} needs git ${OLDEST_GIT.join('.')} or newer, and there is none here.`)
}

export function isAtLeast(version: string | undefined, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = (version ?? '').split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

/** Options for every run, besides what {@link isolate} leaves out: work trees are read and written unchanged. */
export const QUIET = [
  ...['-c', `core.hooksPath=${devNull}`],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.autocrlf=false'],
  ...['-c', 'core.quotePath=false'],
  ...['-c', `core.attributesFile=${devNull}`],
]

/**
 * Memory bounds for reading a whole history; they cost no time. Measured with 600,000 objects: a clone needs 210 MB,
 * not 510, from 200 packs, and 60, not 90, from one with a bitmap; merging those packs 220 MB, not 520.
 */
export const FRUGAL = [
  // Each more thread has its own window of objects in memory, and processors are for the requests.
  ...['-c', 'pack.threads=1', '-c', 'pack.windowMemory=32m', '-c', 'pack.deltaCacheSize=16m'],
  ...['-c', 'core.packedGitLimit=32m', '-c', 'core.packedGitWindowSize=1m', '-c', 'core.deltaBaseCacheLimit=16m'],
]

interface GitRun {
  cwd: string
  /** git's HOME: a folder of ours. */
  home: string
  /** What git reads from standard input; null leaves it open for the caller. */
  input?: string | Buffer | Readable | null
  /** Variables beside {@link gitEnvironment}'s. Never a secret: other users of the machine may read them. */
  env?: Record<string, string>
  /** What git and its children may read from descriptor 3: the place for a secret. */
  secret?: string
  inBackground?: boolean
  signal?: AbortSignal
  /** Whether git is first asked to end, to clear its locks away: no other program does that at a remote. */
  gently?: boolean
  started?: (id: number) => void
}

/** What git said, each stream cut at a megabyte; `code` is -1 when a signal ended it. */
export interface GitResult {
  code: number
  output: string
  errors: string
}

interface RepositoryRun extends Omit<GitRun, 'cwd' | 'home'> {
  /** What HEAD says to this git, by default the repository's own. */
  head?: string
}

/**
 * Starts git on a repository. git does not see the repository's own settings, hooks and attributes.
 * @param argv may begin with global options
 * @throws the signal's reason when it is already aborted
 */
export async function startIn(gitDir: string, argv: string[], options: RepositoryRun = {}) {
  options.signal?.throwIfAborted()
  const { child } = await startOn(gitDir, isolated => [`--git-dir=${isolated}`, ...argv], options)
  return child
}

/**
 * As {@link startIn}. An abort ends git.
 * @param argvOf the words for git, by the directory that git gets
 */
export async function startOn(
  gitDir: string,
  argvOf: (isolated: string) => string[],
  { head, ...options }: RepositoryRun = {},
) {
  const { path, named, remove } = await isolate(gitDir, { head })
  try {
    const child = startGit([...QUIET, ...argvOf(path)], { ...options, cwd: gitDir, home: path })
    child.once('close', () => void remove().catch(() => {}))
    return { child, named }
  } catch (error) {
    await remove()
    throw error
  }
}

/** As {@link startIn}, to its end. @throws as {@link runGit} does */
export async function runIn(gitDir: string, argv: string[], options: RepositoryRun = {}): Promise<GitResult> {
  const { child, named } = await startOn(gitDir, isolated => [`--git-dir=${isolated}`, ...argv], options)
  const { code, output, errors } = await endOf(child)
  return { code, output: named(output), errors: named(errors) }
}

/**
 * As {@link startIn}, to its end, with its output into a stream, which is cut off where git fails.
 * @param options.end whether the stream is ended then; true by default
 * @returns git's exit code, null when a signal ended it
 */
export async function pipeIn(
  gitDir: string,
  argv: string[],
  output: () => Writable,
  { end = true, ...options }: RepositoryRun & { end?: boolean },
): Promise<number | null> {
  const child = await startIn(gitDir, argv, options)
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve))
  child.stderr.resume()
  try {
    await piped(child.stdout, output(), { end })
    return await ended
  } finally {
    endGroup(child)
  }
}

/** Runs git to its end. @throws Error without git; `code` has git's own failure */
export async function runGit(argv: string[], options: GitRun): Promise<GitResult> {
  return endOf(startGit(argv, options))
}

export async function initBare(path: string): Promise<GitResult> {
  const home = await createHome()
  try {
    return await runGit(['init', '--quiet', '--bare', '--initial-branch=main', '--template=', path], {
      cwd: home,
      home,
    })
  } finally {
    await rm(home, { recursive: true })
  }
}

function endOf(child: ChildProcessWithoutNullStreams): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    let output = ''
    let errors = ''
    const take = (text: string, more: string) => (text.length < OUTPUT_LIMIT ? text + more : text)
    child.stdout.setEncoding('utf8').on('data', data => (output = take(output, data)))
    child.stderr.setEncoding('utf8').on('data', data => (errors = take(errors, data)))
    child.on('error', reject)
    child.on('close', code => resolve({ code: code ?? -1, output, errors }))
  })
}

let processes = 0

export function gitProcesses(): number {
  return processes
}

/** Starts git with a clean environment, in its own process group, so that its children end with it. */
export function startGit(
  argv: string[],
  { cwd, home, input = '', env, secret, inBackground, signal, gently, started }: GitRun,
): ChildProcessWithoutNullStreams {
  const child = spawn('git', argv, {
    cwd,
    env: { ...gitEnvironment(home), ...env },
    stdio: ['pipe', 'pipe', 'pipe', ...(secret === undefined ? [] : ['pipe' as const])],
    detached: true,
  }) as ChildProcessWithoutNullStreams
  if (child.pid !== undefined) {
    processes++
    child.once('exit', () => processes--)
    // Its children inherit it.
    if (inBackground) yieldToOthers(child)
    started?.(child.pid)
  }
  const stop = () => (gently ? askGroup(child) : endGroup(child))
  signal?.addEventListener('abort', stop)
  // Git may end before its children.
  child.on(gently ? 'close' : 'exit', () => signal?.removeEventListener('abort', stop))
  if (signal?.aborted) stop()
  // git may end before it has read everything; its exit code says so.
  child.stdin.on('error', () => {})
  if (input instanceof Readable) pipeline(input, child.stdin, error => error && endGroup(child))
  else if (input !== null) child.stdin.end(input)
  if (secret !== undefined) {
    const pipe = child.stdio[3] as unknown as Writable
    pipe.on('error', () => {})
    pipe.end(secret)
  }
  return child
}

/** Lowers the priority of a process and its session: Linux schedules sessions first (sched(7), autogroup). */
function yieldToOthers(child: ChildProcess): void {
  try {
    setPriority(child.pid!, BACKGROUND)
  } catch {
    // It has ended, or its priority may not be changed: it runs all the same.
  }
  setSessionPriority(child)
}

function setSessionPriority(child: ChildProcess): void {
  if (hasEnded(child)) return
  try {
    writeFileSync(`/proc/${child.pid}/autogroup`, String(BACKGROUND))
  } catch (error) {
    // Linux accepts ten of these a second from all non-root users together. Any other refusal is final.
    if (codeOf(error) === 'EAGAIN') setTimeout(setSessionPriority, AGAIN_MS, child).unref()
  }
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null

/** Ends a process of {@link startGit} and its children, if they still run. */
export function endGroup(child: ChildProcess): void {
  if (hasEnded(child)) return
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // It ended by itself just now.
  }
}

/** Asks a process and its children to end, and after a while ends them. */
function askGroup(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  const send = (signal: NodeJS.Signals) => {
    try {
      process.kill(-pid, signal)
    } catch {
      // All of them are gone.
    }
  }
  send('SIGTERM')
  const timer = setTimeout(() => send('SIGKILL'), MOMENT_MS)
  child.once('close', () => clearTimeout(timer))
}

/** git's whole environment: of this process's own only where programs are. */
function gitEnvironment(home: string): Record<string, string> {
  const path = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  return { PATH: path, HOME: home, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
}

/** ssh's settings: no prompts, an end for a dead peer, and the operator's agent. */
export function sshEnvironment(): Record<string, string> {
  const agent = process.env.SSH_AUTH_SOCK
  return {
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30 -oServerAliveInterval=30 -oServerAliveCountMax=4',
    GIT_SSH_VARIANT: 'ssh',
    ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent }),
  }
}
