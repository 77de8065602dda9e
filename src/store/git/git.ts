/** The system's git: every argument and environment that it is run with. Never through a shell, never with anyone's configuration. */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { devNull, constants as os, setPriority } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable, type Writable } from 'node:stream'
import { Failure } from '../../bundle/errors.ts'
import { codeOf } from '../disk.ts'

/** The oldest git whose options are used here. */
export const OLDEST_GIT = [2, 36] as const
const OUTPUT_LIMIT = 1024 * 1024
/** What git is given to clear its locks away. */
const MOMENT_MS = 2000
const BACKGROUND = os.priority.PRIORITY_BELOW_NORMAL
/** Between two attempts to tell Linux that a session yields. */
const AGAIN_MS = 150

/** A git that has not said its version by then hangs: on a network file system that is gone, say. */
const VERSION_MS = 5000
const ASKED_AGAIN_MS = 60_000

let found: Promise<string | undefined> | undefined

/**
 * The version of the system's git (`2.39.5`), undefined when there is none, one older than {@link OLDEST_GIT} or one that does
 * not answer. Asked once; one that did not answer again after a minute, one that the system could not start the next time.
 */
export function gitVersion(): Promise<string | undefined> {
  found ??= askVersion()
  return found
}

async function askVersion(): Promise<string | undefined> {
  const signal = AbortSignal.timeout(VERSION_MS)
  signal.addEventListener('abort', () => {
    if (ended) return
    const again = setTimeout(() => (found = undefined), ASKED_AGAIN_MS)
    again.unref()
  })
  let ended = false
  try {
    const { output } = await runGit(['--version'], { cwd: '/', home: devNull, signal })
    ended = !signal.aborted
    const version = /(\d+)\.(\d+)(?:\.\d+)*/.exec(output)
    return isAtLeast(version?.[0], OLDEST_GIT) ? version?.[0] : undefined
  } catch (error) {
    // The system has no descriptor or process left just now: that says nothing of git.
    if (codeOf(error) !== 'ENOENT') found = undefined
    return undefined
  }
}

/** @throws Failure `unsupported` when there is no git for `what`, which begins the sentence */
export async function requireGit(what: string): Promise<void> {
  if ((await gitVersion()) !== undefined) return
  throw new Failure('unsupported', `${what} takes git ${OLDEST_GIT.join('.')} or newer, and there is none here.`)
}

/** Whether a version of git, as {@link gitVersion} gives it, is that one or newer. */
export function isAtLeast(version: string | undefined, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = (version ?? '').split('.').map(Number)
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}

const homeOf = (gitDir: string) => join(gitDir, 'parlance', 'home')

/**
 * Makes the home folder that git runs with in a repository, and returns it. `safe.directory` counts only from a
 * configuration file before git 2.38; a data folder may well belong to another user.
 */
export async function makeHome(gitDir: string): Promise<string> {
  const home = homeOf(gitDir)
  const path = join(home, '.gitconfig')
  const config = '[safe]\n\tdirectory = *\n'
  // Another git may be reading it, so that it is not emptied and written again without need.
  const present = await readFile(path, 'utf8').catch(() => '')
  if (present !== config) {
    await mkdir(home, { recursive: true })
    await writeFile(path, config)
  }
  return home
}

/** Options that come before the command: what a repository's own configuration must not switch on under the server. */
export const QUIET = [
  ...['-c', `core.hooksPath=${devNull}`],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.autocrlf=false'],
  ...['-c', 'core.quotePath=false'],
  ...['-c', `core.attributesFile=${devNull}`],
]

/**
 * Options for what reads a whole history: bounds on memory that cost no time. Measured with 600,000 objects: a clone takes 210 MB
 * in place of 510 from 200 packs, 60 in place of 90 from one with a bitmap; merging those packs takes 220 MB in place of 520.
 */
export const FRUGAL = [
  // Each thread more has a window of objects of its own in memory, and processors are for the requests.
  ...['-c', 'pack.threads=1', '-c', 'pack.windowMemory=32m', '-c', 'pack.deltaCacheSize=16m'],
  ...['-c', 'core.packedGitLimit=32m', '-c', 'core.packedGitWindowSize=1m', '-c', 'core.deltaBaseCacheLimit=16m'],
]

/** Where and how git runs. */
export interface GitRun {
  /** The working directory. */
  cwd: string
  /** What {@link makeHome} gave. */
  home: string
  /** What git reads from its standard input; null leaves that open for the caller to write to. */
  input?: string | Buffer | Readable | null
  /** Variables beside {@link gitEnvironment}'s. Never a secret: other users of the machine may read them. */
  env?: Record<string, string>
  /** What git, and whatever it starts, may read from descriptor 3: the place for a secret. */
  secret?: string
  /** Whether it yields to everything else on the machine. */
  inBackground?: boolean
  /** Ends git, and whatever it started, when it is aborted. */
  signal?: AbortSignal
  /** Whether it is asked to end then and has a moment to clear its locks away: at a remote nobody else does. */
  gently?: boolean
  /** Is told the process, once it runs. */
  started?: (id: number) => void
}

/** What git said, each cut at a megabyte; `code` is -1 when a signal ended it. */
export interface GitResult {
  code: number
  output: string
  errors: string
}

/** How git runs on a repository. */
export type RepositoryRun = Omit<GitRun, 'cwd' | 'home'>

/**
 * Starts git on a repository, from which it takes no settings that could change what the server finds.
 * @param argv may begin with options that come before the command
 * @throws the signal's reason when it is aborted before
 */
export async function startIn(gitDir: string, argv: string[], options: RepositoryRun = {}) {
  const home = await makeHome(gitDir)
  options.signal?.throwIfAborted()
  return startGit([...QUIET, `--git-dir=${gitDir}`, ...argv], { ...options, cwd: gitDir, home })
}

/** As {@link startIn}, to its end. @throws as {@link runGit} does */
export async function runIn(gitDir: string, argv: string[], options: RepositoryRun = {}): Promise<GitResult> {
  const home = await makeHome(gitDir)
  return runGit([...QUIET, `--git-dir=${gitDir}`, ...argv], { ...options, cwd: gitDir, home })
}

/** Runs git to its end. @throws Error when there is no git; a failure of git itself is in `code` */
export function runGit(argv: string[], options: GitRun): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = startGit(argv, options)
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

/** How many processes of {@link startGit} run at this moment. */
export function gitProcesses(): number {
  return processes
}

/** Starts git with a clean environment, in a process group of its own, so that the processes which it starts in turn end with it. */
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
    // What it starts later inherits it.
    if (inBackground) yieldToOthers(child)
    started?.(child.pid)
  }
  const stop = () => (gently ? askGroup(child) : endGroup(child))
  signal?.addEventListener('abort', stop)
  // Its own end may not be that of what it started.
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

/**
 * Gives a process that leads a session of its own less of the processors. Linux schedules sessions against each other before it looks
 * at processes (sched(7), autogroup), so that both have to be told.
 */
function yieldToOthers(child: ChildProcess): void {
  try {
    setPriority(child.pid!, BACKGROUND)
  } catch {
    // It has ended already, or the system does not let its priority be changed: it runs all the same.
  }
  setSessionPriority(child)
}

function setSessionPriority(child: ChildProcess): void {
  if (hasEnded(child)) return
  try {
    writeFileSync(`/proc/${child.pid}/autogroup`, String(BACKGROUND))
  } catch (error) {
    // Linux takes ten of these a second from all together who are not root. Any other refusal is for good, or there is no such thing here.
    if (codeOf(error) === 'EAGAIN') setTimeout(setSessionPriority, AGAIN_MS, child).unref()
  }
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null

/** Ends a process that {@link startGit} started, and those that it started in turn; one that has ended is fine. */
export function endGroup(child: ChildProcess): void {
  if (hasEnded(child)) return
  try {
    process.kill(-child.pid!, 'SIGKILL')
  } catch {
    // It ended by itself just now.
  }
}

/** Asks a process and those that it started to end, and ends them when they have not done so after a while. */
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

/** The whole environment that git runs in: of this process's own nothing but where programs are. */
function gitEnvironment(home: string): Record<string, string> {
  const path = process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin'
  return { PATH: path, HOME: home, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
}

/** What ssh is run with: it asks nobody, gives up on a peer that is gone, and finds the operator's agent. */
export function sshEnvironment(): Record<string, string> {
  const agent = process.env.SSH_AUTH_SOCK
  return {
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=30 -oServerAliveInterval=30 -oServerAliveCountMax=4',
    GIT_SSH_VARIANT: 'ssh',
    ...(agent === undefined ? {} : { SSH_AUTH_SOCK: agent }),
  }
}
