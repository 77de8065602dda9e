/**
 * TaskOptions that no request waits for: sealing, watching, maintenance, backup, all that timers start. It is named, caught,
 * logged, told at `/api/health`, retried with back-off, ended at close. No other file has bare timers or promises.
 *
 *     const looking = background.task({ name: 'looking for changes', every: 30_000, run: signal => look(signal) })
 *     looking.in(0)             // soon; `in(500)` half a second from now, in place of when it was to run
 *     await looking.now()       // a run that begins after this call; rejects as it does
 *     background.once('closing the watcher', () => watcher.close())
 */
import { setMaxListeners } from 'node:events'
import { Failure } from '../bundle/errors.ts'

/** A structured logger: an object with details, then one sentence; pino's logger fits. */
export interface Log {
  info(data: object, msg: string): void
  warn(data: object, msg: string): void
  error(data: object, msg: string): void
}

/** What a task does, and when. */
export interface TaskOptions {
  /** The name in the log and at `/api/health`, such as `sealing`. */
  name: string
  /** Does it; a throw is a failure. A number: milliseconds until the next run, without `every`. `signal`: the task ends. */
  run(signal: AbortSignal): unknown
  /** Milliseconds from one run's end to the next, once the first was asked for; else it runs when asked. */
  every?: number
  /** Milliseconds until a retry: the first, doubled each time up to the most; false: none. */
  retry?: readonly [first: number, most: number] | false
  /** How failures are logged; `warn` where neither reads nor writes suffer; by default `error`. */
  level?: 'warn' | 'error'
}

/** A task that fails at present. */
export interface TaskProblem {
  /** Undefined for the whole server's. */
  organization: string | undefined
  name: string
  /** A sentence that the organization may be told. */
  error: string
}

const RETRY = [1_000, 60_000] as const
/** A Node timer set for later than this runs at once. */
const LATEST_MS = 2 ** 31 - 1

/** The tasks of one owner, who closes them. */
export class Background {
  readonly #log: Log
  readonly #organization: string | undefined
  readonly #parent: Background | undefined
  readonly #groups = new Set<Background>()
  readonly #tasks = new Set<BackgroundTask>()
  #closed = false

  constructor(log: Log, organization?: string, parent?: Background) {
    this.#log = log
    this.#organization = organization
    this.#parent = parent
  }

  /** A group to be closed alone or with this one; its failures name the organization. */
  group(organization = this.#organization): Background {
    const group = new Background(this.#log, organization, this)
    if (this.#closed) group.#closed = true
    else this.#groups.add(group)
    return group
  }

  /** A task that does nothing until it is asked to. */
  task(work: TaskOptions): BackgroundTask {
    const organization = this.#organization
    const task: BackgroundTask = new BackgroundTask(work, this.#log, organization, () => this.#tasks.delete(task))
    if (this.#closed) task.cancel(true)
    else this.#tasks.add(task)
    return task
  }

  /** Does something once; {@link close} waits for it. Its failure is logged. */
  once(name: string, run: (signal: AbortSignal) => unknown): void {
    const task = this.task({ name, run, retry: false })
    task.now().then(
      () => task.close(),
      () => task.close(),
    )
  }

  /** Present failures of this group and its own groups. */
  problems(): TaskProblem[] {
    const own = [...this.#tasks].flatMap(({ problem }) => problem ?? [])
    return [...own, ...[...this.#groups].flatMap(group => group.problems())]
  }

  /** Begins nothing any more; resolves when all has ended. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#tasks) task.cancel(true)
    await Promise.all([...this.#groups, ...this.#tasks].map(part => part.close()))
    if (this.#parent) this.#parent.#groups.delete(this)
  }
}

/** Something done repeatedly, never twice at once. Made by {@link Background.task}. */
export class BackgroundTask {
  /** Why it fails at present. */
  problem: TaskProblem | undefined
  readonly #work: TaskOptions
  readonly #log: Log
  readonly #organization: string | undefined
  readonly #ended: () => void
  readonly #end = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  /** The run after the one under way, if asked for. */
  #next: Promise<void> | undefined
  #failures = 0
  /** The earliest automatic retry, by `performance.now()`. */
  #notBefore = 0
  #complaint = ''

  constructor(work: TaskOptions, log: Log, organization: string | undefined, ended: () => void) {
    this.#work = work
    this.#log = log
    this.#organization = organization
    this.#ended = ended
    setMaxListeners(0, this.#end.signal)
  }

  /** Whether a run is under way or asked for to follow it. */
  get running(): boolean {
    return this.#running !== undefined || this.#next !== undefined
  }

  /** Reschedules the next run; while the task fails, no earlier than its retry. */
  in(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#end.signal.aborted) return
    const delay = Math.min(Math.max(0, milliseconds, this.#notBefore - performance.now()), LATEST_MS)
    // `#failed` has logged it.
    this.#timer = setTimeout(() => this.now().catch(() => {}), delay).unref()
  }

  /** Runs now, or once more after a run under way, to see what was noted before. @throws as the run, or when ended */
  now(): Promise<void> {
    if (this.#end.signal.aborted) return Promise.reject(this.#end.signal.reason)
    if (this.#next === undefined && this.#running === undefined) return this.#start()
    this.#next ??= this.#running!.catch(() => {}).then(() => {
      this.#next = undefined
      return this.#start()
    })
    return this.#next
  }

  /** Waits for the run under way, or runs now. @throws as {@link now} does */
  join(): Promise<void> {
    return this.#running ?? this.now()
  }

  /** Unschedules the next run. @param forGood and all others; {@link close} waits for the one under way */
  cancel(forGood = false): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (forGood) this.#end.abort()
  }

  /** Ends it; resolves when no run is under way. Never rejects. */
  async close(): Promise<void> {
    this.cancel(true)
    this.problem = undefined
    while (this.#running ?? this.#next) await (this.#running ?? this.#next)!.catch(() => {})
    this.#ended()
  }

  #start(): Promise<void> {
    this.cancel()
    this.#running = this.#run().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    try {
      signal.throwIfAborted()
      const again = await this.#work.run(signal)
      if (this.problem) this.#log.info(this.#named({}), `${this.#work.name} works again`)
      this.problem = undefined
      this.#complaint = ''
      this.#failures = this.#notBefore = 0
      const rest = this.#work.every ?? (typeof again === 'number' ? again : undefined)
      if (rest !== undefined && this.#timer === undefined && this.#next === undefined) this.in(rest)
    } catch (error) {
      if (!signal.aborted) this.#failed(error)
      throw error
    }
  }

  /** Each cause is logged once, though its file names differ. */
  #failed(error: unknown): void {
    const { name, retry = RETRY, level = 'error' } = this.#work
    const retryMs = retry ? Math.min(retry[0] * 2 ** Math.min(this.#failures++, 30), retry[1]) : undefined
    const complaint = String(error).replace(/[0-9a-f]{40}|\d+/g, '')
    if (complaint !== this.#complaint) this.#log[level](this.#named({ err: error, retryMs }), `${name} failed`)
    this.#complaint = complaint
    const sentence = error instanceof Failure ? error.message : `It failed; the server's log says why.`
    this.problem = { organization: this.#organization, name, error: sentence }
    if (retryMs === undefined) return
    this.#notBefore = performance.now() + retryMs
    this.in(retryMs)
  }

  #named(data: object): object {
    return this.#organization === undefined ? data : { organization: this.#organization, ...data }
  }
}
