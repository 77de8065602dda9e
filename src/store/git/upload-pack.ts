/** `git upload-pack`, the reading half of git's protocol: few processes, each gone with its client. */
import type { Readable } from 'node:stream'
import { Failure } from '../../bundle/errors.ts'
import type { Claimant } from '../../scheduling/fair-shares.ts'
import { FairSlots, type SlotTimeouts } from '../../scheduling/fair-slots.ts'
import { PacedOutput } from '../../scheduling/paced-output.ts'
import type { Logger } from '../log.ts'
import { BRANCH, readBranch } from '../refs/read-refs.ts'
import { endGroup, FRUGAL, requireGit, startOn } from './git.ts'

/** One request of the smart HTTP protocol (git's Documentation/gitprotocol-http). */
export interface UploadRequest {
  /** What the client sent: wants, haves, commands; null asks for the first advertisement. */
  body: Buffer | null
  protocol: 0 | 1 | 2
  signal: AbortSignal
  /** Who asks: organizations and credentials share the processes. */
  claimant?: Claimant
}

/**
 * What a reader may do and see. Any object may be asked for by id, as partial clones do: all are the organization's.
 */
const READING = [
  ...['-c', 'uploadpack.allowFilter=true'],
  ...['-c', 'uploadpack.allowAnySHA1InWant=true'],
  // The branch and the releases: no person's own branches, nothing of upkeep.
  ...['-c', 'uploadpack.hideRefs=refs', '-c', 'uploadpack.hideRefs=!refs/heads/main'],
  ...['-c', 'uploadpack.hideRefs=!refs/tags'],
  // It would read an object of the client's choice as text.
  ...['-c', 'uploadpackfilter.sparse:oid.allow=false'],
  ...FRUGAL,
]

/** Bytes of git's longest line on the wire (gitprotocol-common(5)). */
const LONGEST = 65_520

/** A line of data as git frames it. */
const packet = (line: string): Buffer => Buffer.from((line.length + 4).toString(16).padStart(4, '0') + line)

const WAITING_PER_PROCESS = 4
const RETRY_SECONDS = 5
const ERRORS_LIMIT = 4096
/** While packing git speaks every five seconds; nothing before lasts that long. */
const SILENT_MS = 60_000

/** git's complaints about bytes that are no request. */
const NONSENSE =
  /protocol error|unknown capability|invalid command|no command requested|mismatched object format|hung up/
/** git's complaints about a request (upload-pack.c, list-objects-filter-options.c). */
const REFUSALS = [
  /(?:ambiguous deepen-not|deepen and deepen-since|Invalid deepen(?:-since)?|invalid shallow line|unexpected line)\b.*/,
  /(?:not our ref|unknown ref|no commits selected|expected to get object ID)\b.*/,
  /(?:invalid filter-spec|filter '.*' not supported|expected something after combine|multiple filter-specs|must escape char)\b.*/,
  /(?:expected 'tree:<depth>'|sparse:path filters|'[^']{0,64}' for 'object:type=<type>' is not).*/,
]
const ERROR_PACKET = /^[0-9a-f]{4}ERR (.*)/
const BEFORE_SHALLOW = packet('shallow-info\n')
const CAUSE_LENGTH = 200

const busy = () =>
  new Failure('unavailable', 'Too many clones and fetches are waiting; try again in a moment.', {
    retryAfter: RETRY_SECONDS,
  })
const notUnderstood = () => new Failure('invalid', 'The body is no request that git understands.')

/** Why git refuses the request; undefined when the fault is not the request's. */
async function refusal(errors: string, gitDir: string): Promise<Failure | undefined> {
  const missing = /not our ref ([0-9a-f]{40})/.exec(errors)?.[1]
  // What is shown and not there is damage.
  if (missing && missing === (await readBranch(gitDir).catch(() => missing))) return undefined
  for (const line of errors.split('\n')) {
    for (const pattern of REFUSALS) {
      const cause = pattern.exec(line)?.[0]
      if (cause) return new Failure('invalid', `git refuses this request: ${cause.slice(0, CAUSE_LENGTH)}.`)
    }
  }
  return NONSENSE.test(errors) ? notUnderstood() : undefined
}

export class UploadPack {
  readonly #slots: FairSlots
  readonly #log: Logger
  readonly #silentMs: number

  /** @param options.processes how many run at once; `silentMs` until a silent git is given up, for tests */
  constructor(options: { processes: number; log: Logger; silentMs?: number; patience?: SlotTimeouts }) {
    this.#silentMs = options.silentMs ?? SILENT_MS
    this.#slots = new FairSlots(options.processes, options.processes * WAITING_PER_PROCESS, options.patience)
    this.#log = options.log
  }

  get load(): { running: number; waiting: number } {
    return this.#slots.load
  }

  /**
   * Answers one request: waits for a slot, then for `repository`, and hands git's output to `send` with its first
   * byte. Resolves when the process is gone.
   * @param repository runs what it is given on the git directory, as `store.readGit` does
   * @throws Failure `unsupported` without git; `unavailable` when too many wait or git fails at once; `invalid` when
   * git rejects what the client said
   */
  async answer(
    request: UploadRequest,
    repository: (use: (gitDir: string) => Promise<void>) => Promise<void>,
    send: (output: Readable) => void,
  ): Promise<void> {
    if (request.body !== null && !arePktLines(request.body)) throw notUnderstood()
    await requireGit('A clone')
    const reader = new PacedOutput('others wait for this process of git')
    const { claimant } = request
    const holder = { claimant, cut: () => reader.cut(), pace: () => reader.pace() }
    const use = () => repository(gitDir => this.#run(request, gitDir, output => send(reader.of(output))))
    await this.#slots.inTurn(request.signal, busy, use, holder)
  }

  async #run({ body, protocol, signal }: UploadRequest, gitDir: string, send: (output: Readable) => void) {
    const mode = body === null ? ['--advertise-refs'] : []
    const argvOf = (served: string) => [...READING, 'upload-pack', '--stateless-rpc', '--strict', ...mode, served]
    const { child } = await startOn(gitDir, argvOf, {
      // HEAD may be another branch that a person has checked out.
      head: `ref: ${BRANCH}\n`,
      ...(body === null ? {} : { input: body }),
      ...(protocol === 0 ? {} : { env: { GIT_PROTOCOL: `version=${protocol}` } }),
      signal,
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', data => (errors = `${errors}${data}`.slice(0, ERRORS_LIMIT)))
    const complained = new Promise<void>(resolve => child.stderr.once('close', () => resolve()))
    const exited = new Promise<number | null>(resolve => child.on('exit', resolve))
    let refused: Failure | undefined
    let silence: NodeJS.Timeout | undefined
    const began = new Promise<void>((resolve, reject) => {
      const hangs = () => reject(new Failure('unavailable', 'git does not answer on this server; try again later.'))
      silence = setTimeout(hangs, this.#silentMs)
      // Also at its end. Listened for only once: a listener stops a flowing stream.
      child.stdout.once('readable', resolve)
      child.on('error', () => reject(new Failure('unavailable', 'git cannot be started now; try again in a moment.')))
    })
    try {
      await began
      clearTimeout(silence)
      signal.throwIfAborted()
      const begun = body === null ? undefined : await beginning(child.stdout)
      const silent = begun === undefined ? child.stdout.readableLength === 0 : begun.length === 0
      const reported = ERROR_PACKET.exec(begun?.toString('utf8', 0, ERRORS_LIMIT) ?? '')?.[1]
      if ((silent || reported || begun?.equals(BEFORE_SHALLOW)) && (await exited) !== 0) {
        await complained
        refused = body === null ? undefined : await refusal(reported ?? errors, gitDir)
        throw refused ?? new Failure('unavailable', "git could not read the repository; the server's log says why.")
      }
      if (begun?.length) child.stdout.unshift(begun)
      send(child.stdout)
      await exited
    } finally {
      clearTimeout(silence)
      endGroup(child)
      const { exitCode } = child
      if (exitCode !== 0 && !signal.aborted && !refused)
        this.#log.warn({ exitCode, errors: errors.trim() }, 'git upload-pack failed')
    }
  }
}

/** git's first words, with more when those alone say nothing; empty when it is silent. */
async function beginning(output: Readable): Promise<Buffer> {
  const first = output.read() as Buffer | null
  if (first === null || !first.equals(BEFORE_SHALLOW)) return first ?? Buffer.alloc(0)
  await new Promise(resolve => output.once('readable', resolve).once('end', resolve))
  return Buffer.concat([first, (output.read() as Buffer | null) ?? Buffer.alloc(0)])
}

/**
 * Whether a request is whole pkt-lines: data, flushes, delimiters. The end of a response (`0002`) is refused. On some
 * other lines git aborts.
 */
export function arePktLines(request: Buffer): boolean {
  let at = 0
  while (at < request.length) {
    const digits = request.toString('latin1', at, at + 4)
    if (!/^[0-9a-f]{4}$/i.test(digits)) return false
    const length = Number.parseInt(digits, 16)
    if (length === 2 || length === 3 || length > LONGEST) return false
    at += Math.max(4, length)
  }
  return at > 0 && at === request.length
}
