/** Runs the jobs of machine translation: a few at once, one of a project at a time, the oldest first. */
import { randomUUID } from 'node:crypto'
import type { StoredJob } from '../../auth/machine-jobs.ts'
import type { BackgroundTask } from '../../scheduling/background.ts'
import { type JobParts, JobRun } from './job-run.ts'

/** Jobs that run at once, and of one organization. */
const AT_ONCE = 8
const AT_ONCE_OF_ORGANIZATION = 2
/** Milliseconds between two looks at the table, where other nodes write to it, or a job waits. */
const LOOK_MS = 2_000

export class JobRunner {
  readonly #parts: JobParts
  /** Whether other nodes add and cancel jobs. */
  readonly #isShared: boolean
  readonly #looking: BackgroundTask
  readonly #running = new Map<string, { job: StoredJob; run: JobRun; ended: Promise<void> }>()
  /** Undefined while this process runs no jobs. */
  #begun: { runner: string; end: AbortController } | undefined

  constructor(parts: JobParts, isShared: boolean) {
    this.#parts = parts
    this.#isShared = isShared
    this.#looking = parts.app.background.task({
      name: 'looking for machine translation jobs',
      retry: [LOOK_MS, 60_000],
      run: () => this.#look(),
    })
  }

  /** Begins with the jobs that have not ended. */
  async begin(): Promise<void> {
    this.#begun = { runner: randomUUID(), end: new AbortController() }
    this.#looking.in(0)
  }

  /** Stops all jobs; another process, or the next start, goes on with them. */
  async end(): Promise<void> {
    this.#begun?.end.abort()
    this.#begun = undefined
    this.#looking.cancel()
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  /** Says that there is a new job, or a cancelled one. */
  async added(): Promise<void> {
    if (this.#begun) await this.#looking.now()
  }

  /** Waits until a job of this process has ended, if it has one. */
  async ended(id: string): Promise<void> {
    await this.#running.get(id)?.ended
  }

  async #look(): Promise<number | undefined> {
    const begun = this.#begun
    if (begun === undefined) return undefined
    const jobs = await this.#parts.app.auth.jobs.unfinished()
    for (const job of jobs) {
      const own = this.#running.get(job.id)
      if (own && job.state === 'cancelled') own.run.cancel()
      if (own || begun !== this.#begun || !this.#hasRoom(job)) continue
      if (await this.#parts.app.auth.jobs.claim(job.id, begun.runner)) this.#start(job, begun)
    }
    return this.#isShared || jobs.length > 0 ? LOOK_MS : undefined
  }

  #hasRoom({ organization, project }: StoredJob): boolean {
    const running = [...this.#running.values()].map(({ job }) => job)
    const own = running.filter(job => job.organization === organization)
    if (running.length >= AT_ONCE || own.length >= AT_ONCE_OF_ORGANIZATION) return false
    return !own.some(job => job.project === project)
  }

  #start(job: StoredJob, { runner, end }: { runner: string; end: AbortController }): void {
    const { background } = this.#parts.app
    let done = () => {}
    const ended = new Promise<void>(resolve => {
      done = resolve
    })
    background.once('translating by machine', async stopping => {
      const run = new JobRun(this.#parts, job, runner, AbortSignal.any([stopping, end.signal]))
      this.#running.set(job.id, { job, run, ended })
      try {
        await run.run()
      } catch (error) {
        if (!stopping.aborted && !end.signal.aborted) throw error
      } finally {
        this.#running.delete(job.id)
        done()
        if (this.#begun) this.#looking.in(0)
      }
    })
  }
}
