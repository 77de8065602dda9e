/**
 * Background tasks: sealing, watching, maintenance, backup. Each has a name. Failures are caught, logged, shown at
 * `/api/health` and retried with back-off. Closing ends all tasks. No other file has bare timers or promises.
 *
 *     const looking = background.task({ name: 'looking for changes', every: 30_000, run: signal => look(signal) })
 *     looking.in(0)             // soon; `in(500)` reschedules it to half a second from now
 *     await looking.now()       // a run that begins after this call; rejects as the run does
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

/** The function and the schedule of a task. */
export interface TaskOptions {
  /** The name in the log and at `/api/health`, such as `sealing`. */
  name: string
  /**
   * A throw is a failure. Without `every`, a returned number is the milliseconds until the next run.
   * @param signal aborted when the task ends
   */
  run(signal: AbortSignal): unknown
  /** Milliseconds from the end of one run to the next, after the first request. Without it, it runs on request. */
  every?: number
  /** Milliseconds until the first retry, doubled each time up to the maximum; false: no retry. */
  retry?: readonly [first: number, most: number] | false
  /** The level of failures in the log. `warn` when neither reads nor writes suffer; by default `error`. */
  level?: 'warn' | 'error'
}

/** A task that fails at present. */
export interface TaskProblem {
  /** Undefined for the whole server's. */
  organization: string | undefined
  name: string
  /** A sentence for the organization. */
  error: string
}

const RETRY = [1_000, 60_000] as const
/** A Node timer set for later than this runs at once. */
const LATEST_MS = 2 ** 31 - 1

/** The tasks of one owner. The owner closes them. */
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

  /** A group that closes alone or with this one. Its failures name the organization. */
  group(organization = this.#organization): Background {
    const group = new Background(this.#log, organization, this)
    if (this.#closed) group.#closed = true
    else this.#groups.add(group)
    return group
  }

  /** A task that does not run before a request. */
  task(work: TaskOptions): BackgroundTask {
    const organization = this.#organization
    const task: BackgroundTask = new BackgroundTask(work, this.#log, organization, () => this.#tasks.delete(task))
    if (this.#closed) task.cancel(true)
    else this.#tasks.add(task)
    return task
  }

  /** Runs a function once. {@link close} waits for it. Its failure is logged. */
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

  /** Starts no further run. Resolves when all runs have ended. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true
    for (const task of this.#tasks) task.cancel(true)
    await Promise.all([...this.#groups, ...this.#tasks].map(part => part.close()))
    if (this.#parent) this.#parent.#groups.delete(this)
  }
}

/** Runs repeatedly, never twice at once. Created by {@link Background.task}. */
export class BackgroundTask {
  /** The present failure. */
  problem: TaskProblem | undefined
  readonly #work: TaskOptions
  readonly #log: Log
  readonly #organization: string | undefined
  readonly #ended: () => void
  readonly #end = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  /** The requested run after the present one. */
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

  /** Whether a run is under way, or requested after it. */
  get running(): boolean {
    return this.#running !== undefined || this.#next !== undefined
  }

  /** Reschedules the next run. A failing task runs no earlier than its retry. */
  in(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (this.#end.signal.aborted) return
    const delay = Math.min(Math.max(0, milliseconds, this.#notBefore - performance.now()), LATEST_MS)
    // `#failed` has logged it.
    this.#timer = setTimeout(() => this.now().catch(() => {}), delay).unref()
  }

  /**
   * Runs now, or again after the present run, which may have missed the latest input.
   * @throws as the run, or when ended
   */
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

  /** Unschedules the next run. @param forGood also all later ones; {@link close} waits for the present one */
  cancel(forGood = false): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (forGood) this.#end.abort()
  }

  /** Ends the task. Resolves when no run is under way. Never rejects. */
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

  /** Logs each cause once, although its file names differ. */
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
