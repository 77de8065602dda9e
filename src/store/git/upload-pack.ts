/** `git upload-pack`, the reading half of git's protocol, for one request at a time: a bounded number of processes, each gone when its client is. */
import type { Readable } from 'node:stream'
import { Failure } from '../../bundle/errors.ts'
import type { Logger } from '../log.ts'
import { endGroup, FRUGAL, gitVersion, makeHome, OLDEST_GIT, QUIET, startGit } from './git.ts'
import { arePktLines } from './pkt-line.ts'
import { Turns } from './turns.ts'

/** One request of the smart HTTP protocol (git's Documentation/gitprotocol-http). */
export interface UploadRequest {
  /** What the client sent: wants, haves, commands; null asks for the advertisement that every conversation begins with. */
  body: Buffer | null
  protocol: 0 | 1 | 2
  /** Aborted when the client has left. */
  signal: AbortSignal
}

/**
 * What a reader may do and see. The repository holds nothing but what belongs to the organization, so any of its objects
 * may be asked for by id, which a partial clone does and protocol 2 grants to everyone anyway.
 */
const READING = [
  ...['-c', 'uploadpack.allowFilter=true'],
  ...['-c', 'uploadpack.allowAnySHA1InWant=true'],
  // The branch and the releases: neither a person's own branches on the server nor anything kept for its upkeep.
  ...['-c', 'uploadpack.hideRefs=refs', '-c', 'uploadpack.hideRefs=!refs/heads/main'],
  ...['-c', 'uploadpack.hideRefs=!refs/tags'],
  ...FRUGAL,
]

/** Requests that wait for their turn, for each process that may run. */
const WAITING_PER_PROCESS = 4
const RETRY_SECONDS = 5
const ERRORS_LIMIT = 4096
/** Once it packs it says something every five seconds; before that it has nothing to do that would take so long. */
const SILENT_MS = 60_000

/** How git complains of a request, as against the repository. */
const NONSENSE =
  /protocol error|unknown capability|invalid command|no command requested|mismatched object format|hung up/

const notUnderstood = () => new Failure('invalid', 'The body is no request that git understands.')

/** See the top of the file. */
export class UploadPack {
  readonly #turns: Turns
  readonly #log: Logger
  readonly #silentMs: number

  /** @param options.processes how many may run at once; `silentMs` after which time a git that says nothing is given up, for tests */
  constructor(options: { processes: number; log: Logger; silentMs?: number }) {
    this.#silentMs = options.silentMs ?? SILENT_MS
    this.#turns = new Turns(options.processes, options.processes * WAITING_PER_PROCESS)
    this.#log = options.log
  }

  /** How many processes run, and how many requests wait for one. */
  get load(): { running: number; waiting: number } {
    return this.#turns.load
  }

  /**
   * Answers one request: waits for its turn, then for `repository` to be ready, and hands git's output to `send` with its
   * first byte. Resolves when the process is gone.
   * @param repository runs what it is given on the git directory, as `store.readGit` does
   * @throws Failure `unsupported` without git, `unavailable` when too many wait or git fails before it says anything, `invalid`
   * when it fails at what the client said
   */
  async answer(
    request: UploadRequest,
    repository: (use: (gitDir: string) => Promise<void>) => Promise<void>,
    send: (output: Readable) => void,
  ): Promise<void> {
    if (request.body !== null && !arePktLines(request.body)) throw notUnderstood()
    if ((await gitVersion()) === undefined) {
      throw new Failure('unsupported', `This server has no git ${OLDEST_GIT.join('.')} or newer, which a clone takes.`)
    }
    const done = await this.#turns.take(request.signal)
    if (done === undefined) {
      throw new Failure('unavailable', 'Too many clones and fetches are waiting; try again in a moment.', {
        retryAfter: RETRY_SECONDS,
      })
    }
    try {
      await repository(gitDir => this.#run(request, gitDir, send))
    } finally {
      done()
    }
  }

  async #run({ body, protocol, signal }: UploadRequest, gitDir: string, send: (output: Readable) => void) {
    const home = await makeHome(gitDir)
    signal.throwIfAborted()
    const mode = body === null ? ['--advertise-refs'] : []
    const child = startGit([...QUIET, ...READING, 'upload-pack', '--stateless-rpc', '--strict', ...mode, gitDir], {
      cwd: gitDir,
      home,
      ...(body === null ? {} : { input: body }),
      ...(protocol === 0 ? {} : { env: { GIT_PROTOCOL: `version=${protocol}` } }),
      signal,
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', data => (errors = `${errors}${data}`.slice(0, ERRORS_LIMIT)))
    const complained = new Promise<void>(resolve => child.stderr.once('close', () => resolve()))
    const exited = new Promise<number | null>(resolve => child.on('exit', resolve))
    let silence: NodeJS.Timeout | undefined
    const began = new Promise<void>((resolve, reject) => {
      const hangs = () => reject(new Failure('unavailable', 'git does not answer on this server; try again later.'))
      silence = setTimeout(hangs, this.#silentMs)
      // Also at its end. Listened for but once: a flowing stream stops for whoever asks for this.
      child.stdout.once('readable', resolve)
      child.on('error', () => reject(new Failure('unavailable', 'git cannot be started now; try again in a moment.')))
    })
    try {
      await began
      clearTimeout(silence)
      signal.throwIfAborted()
      const silent = child.stdout.readableLength === 0
      if (silent && (await exited) !== 0) {
        await complained
        if (body !== null && NONSENSE.test(errors)) throw notUnderstood()
        throw new Failure('unavailable', "git could not read the repository; the server's log says why.")
      }
      send(child.stdout)
      await exited
    } finally {
      clearTimeout(silence)
      endGroup(child)
      const { exitCode } = child
      if (exitCode !== 0 && !signal.aborted)
        this.#log.warn({ exitCode, errors: errors.trim() }, 'git upload-pack failed')
    }
  }
}
