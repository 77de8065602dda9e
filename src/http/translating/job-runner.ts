/** Runs the jobs of machine translation: a few at once, one of a project at a time, the oldest first. */
import { randomUUID } from 'node:crypto'
import type { StoredJob, WaitingJob } from '../../auth/machine-jobs.ts'
import type { BackgroundTask } from '../../scheduling/background.ts'
import { jobNews, recordOf } from './job-record.ts'
import { type JobParts, JobRun } from './job-run.ts'

/** Jobs that run at once, and of one organization. */
const AT_ONCE = 8
const AT_ONCE_OF_ORGANIZATION = 2
/** Milliseconds between two looks at the table, while jobs have not ended or where other nodes write to it. */
const LOOK_MS = 2_000

/** A job that this process runs. */
interface RunningJob {
  job: StoredJob
  run: JobRun
  ended: Promise<void>
}

/** A period of this process as the one that runs jobs. */
interface RunnerTerm {
  /** Its name in the table. */
  runner: string
  end: AbortController
}

/** Lets one node of a cluster run jobs. */
interface JobsHolder {
  runJobs(work: { begin(): Promise<void>; end(): Promise<void> }): void
}

export class JobRunner {
  readonly #parts: JobParts
  readonly #looking: BackgroundTask
  readonly #running = new Map<string, RunningJob>()
  /** Jobs of other nodes as they were last seen: their streams of events are here, too. */
  readonly #seen = new Map<string, string>()
  #isShared = false
  #isClosed = false
  /** Undefined while this process runs no jobs. */
  #begun: RunnerTerm | undefined

  constructor(parts: JobParts) {
    this.#parts = parts
    this.#looking = parts.app.background.task({
      name: 'looking for jobs of machine translation',
      retry: [LOOK_MS, 60_000],
      run: () => this.#look(),
    })
  }

  /** Goes on with the jobs that have not ended. @param holder of a cluster */
  start(holder: JobsHolder | undefined): void {
    this.#isShared = holder !== undefined
    if (holder === undefined) this.#begin()
    else holder.runJobs({ begin: async () => this.#begin(), end: () => this.#end() })
    if (holder !== undefined || !this.#parts.app.auth.jobs.isIdle) this.#looking.in(0)
  }

  /** Says that there is a new job, or a cancelled one. */
  async changed(): Promise<void> {
    if (!this.#isClosed) await this.#looking.now()
  }

  /** Waits until a job of this process has ended, if it has one. */
  async ended(id: string): Promise<void> {
    await this.#running.get(id)?.ended
  }

  /** Stops all jobs; another process, or the next start, goes on with them. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#looking.close()
    await this.#end()
  }

  #begin(): void {
    if (this.#isClosed) return
    this.#begun = { runner: randomUUID(), end: new AbortController() }
    if (this.#isShared) this.#looking.in(0)
  }

  async #end(): Promise<void> {
    this.#begun?.end.abort()
    this.#begun = undefined
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
  }

  async #look(): Promise<number | undefined> {
    const { jobs } = this.#parts.app.auth
    const unfinished = await jobs.unfinished()
    for (const job of unfinished) {
      const own = this.#running.get(job.id)
      if (own && job.state === 'cancelled') own.run.cancel()
      const begun = this.#begun
      if (own || begun === undefined || !this.#hasRoom(job)) continue
      const claimed = await jobs.claim(job.id, begun.runner)
      if (claimed) this.#run(claimed, begun)
    }
    if (this.#isShared) await this.#follow(unfinished)
    return this.#isShared || unfinished.length > 0 ? LOOK_MS : undefined
  }

  #hasRoom({ organization, project }: WaitingJob): boolean {
    const running = [...this.#running.values()].map(({ job }) => job)
    const own = running.filter(job => job.organization === organization)
    if (running.length >= AT_ONCE || own.length >= AT_ONCE_OF_ORGANIZATION) return false
    return !own.some(job => job.project === project)
  }

  #run(job: StoredJob, { runner, end }: RunnerTerm): void {
    const run = new JobRun(this.#parts, job, runner, end.signal)
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    this.#running.set(job.id, { job, run, ended })
    this.#parts.app.background.once('translating by machine', async () => {
      let isFailed = false
      try {
        await run.run()
      } catch (error) {
        isFailed = true
        if (!end.signal.aborted) throw error
      } finally {
        this.#running.delete(job.id)
        resolve()
        if (!this.#isClosed) this.#looking.in(isFailed ? LOOK_MS : 0)
      }
    })
  }

  /** Sends the news of jobs that other nodes run, to their end. */
  async #follow(unfinished: readonly WaitingJob[]): Promise<void> {
    const begun = unfinished.filter(({ state }) => state !== 'queued').map(({ id }) => id)
    for (const id of new Set([...this.#seen.keys(), ...begun])) {
      const job = this.#running.has(id) ? undefined : await this.#parts.app.auth.jobs.get(id)
      const now = job && `${job.state} ${job.job}`
      if (job && now !== this.#seen.get(id)) {
        const { organization, project } = job
        this.#parts.streams.notify(organization, project, 'job', jobNews({ ...job, record: recordOf(job) }))
      }
      if (now === undefined || job?.endedAt !== null) this.#seen.delete(id)
      else this.#seen.set(id, now)
    }
  }
}
