/** Jobs of machine translators, in the tables of the accounts: durable, and the same on all nodes. */
import { randomBytes } from 'node:crypto'
import type { Engine } from './engine.ts'
import { REFUSED } from './own-tables.ts'

/** How a job is doing. */
export type JobState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled'

/** A job as stored. */
export interface StoredJob {
  id: string
  organization: string
  /** A slug. */
  project: string
  /** Milliseconds since 1970. */
  startedAt: number
  endedAt: number | null
  state: JobState
  /** JSON of the caller's. */
  job: string
}

/** Where a job belongs. */
interface JobPlace {
  organization: string
  project: string
}

/** Jobs that are stored of a project: over it, the oldest ended one goes. */
const MOST_JOBS = 20
/** Jobs of an organization that have not ended. */
const MOST_UNFINISHED = 100

/** A job without its JSON, which may be long. */
export type WaitingJob = Omit<StoredJob, 'job'>

type JobRow<Job = StoredJob> = Omit<Job, 'organization' | 'startedAt' | 'endedAt'> & {
  organizationId: string
  startedAt: number | string
  endedAt: number | string | null
}

export class MachineJobs {
  readonly #engine
  readonly #now: () => number

  /** @param now milliseconds since 1970 */
  constructor(engine: Pick<Engine, 'reads' | 'query' | 'change'>, now: () => number = Date.now) {
    this.#engine = engine
    this.#now = now
  }

  /**
   * Stores a new job that waits for a runner.
   * @param recheck throws unless the caller still has the right, at the moment of the write
   * @returns undefined when too many of the project or of the organization wait
   * @throws Failure as `recheck` does
   */
  async add({ organization, project }: JobPlace, job: object, recheck: () => void): Promise<StoredJob | undefined> {
    const id = randomBytes(9).toString('base64url')
    const startedAt = this.#now()
    const isStored = await this.#engine.change(async run => {
      recheck()
      const { rows } = await run<{ id: string; endedAt: number | null }>`
        select id, "endedAt" from machine_job where "organizationId" = ${organization} and project = ${project}
        order by "startedAt" desc, id`
      const ended = rows.filter(({ endedAt }) => endedAt !== null)
      const { rows: waiting } = await run`
        select 1 from machine_job where "organizationId" = ${organization} and "endedAt" is null
        limit cast(${MOST_UNFINISHED} as bigint)`
      if (waiting.length === MOST_UNFINISHED) return false
      const excess = rows.length - MOST_JOBS + 1
      if (excess > ended.length) return false
      for (const old of excess > 0 ? ended.slice(-excess) : []) await run`delete from machine_job where id = ${old.id}`
      await run`insert into machine_job (id, "organizationId", project, "startedAt", state, job)
        values (${id}, ${organization}, ${project}, ${startedAt}, 'queued', ${JSON.stringify(job)})`
      return true
    })
    if (!isStored) return undefined
    return { id, organization, project, startedAt, endedAt: null, state: 'queued', job: JSON.stringify(job) }
  }

  /** The jobs of a project, the newest first. */
  async list({ organization, project }: JobPlace): Promise<StoredJob[]> {
    const { rows } = await this.#engine.query(
      run => run<JobRow>`
        select * from machine_job where "organizationId" = ${organization} and project = ${project}
        order by "startedAt" desc, id limit ${MOST_JOBS}`,
    )
    return rows.map(jobOf)
  }

  async get(id: string): Promise<StoredJob | undefined> {
    const { rows } = await this.#engine.query(run => run<JobRow>`select * from machine_job where id = ${id}`)
    return rows[0] && jobOf(rows[0])
  }

  /** Whether a single server has no such job: a look at its start, before Kysely is loaded. */
  get isIdle(): boolean {
    return this.#engine.reads.prepare('select 1 from machine_job where "endedAt" is null').get() === undefined
  }

  /** The jobs that have not ended, the oldest first. */
  async unfinished(): Promise<WaitingJob[]> {
    const { rows } = await this.#engine.query(
      run => run<JobRow<WaitingJob>>`select id, "organizationId", project, "startedAt", "endedAt", state
        from machine_job where "endedAt" is null order by "startedAt", id`,
    )
    return rows.map(waitingOf)
  }

  /** Names the process that runs a job. @returns the job as it was before, undefined for one that has ended */
  async claim(id: string, runner: string): Promise<StoredJob | undefined> {
    return this.#engine.change(async run => {
      const { rows } = await run<JobRow>`select * from machine_job where id = ${id} and "endedAt" is null`
      const { changes } = await run`update machine_job
        set runner = ${runner}, state = case when state = 'queued' then 'running' else state end
        where id = ${id} and "endedAt" is null`
      return changes > 0 && rows[0] ? jobOf(rows[0]) : undefined
    })
  }

  /** Ends a job that waits, and asks the runner of another one to end it. @param recheck as for {@link add} */
  async cancel(id: string, recheck: () => void): Promise<void> {
    await this.#engine.change(run => {
      recheck()
      return run`update machine_job set state = 'cancelled',
          "endedAt" = case when runner is null then cast(${this.#now()} as bigint) else "endedAt" end
        where id = ${id} and state in ('queued', 'running')`
    })
  }

  /**
   * Stores how far a job is. @param ended its state at its end
   * @returns its state now; undefined where another process runs it, or it is gone
   */
  async save(id: string, runner: string, job: object, ended?: JobState): Promise<JobState | undefined> {
    const endedAt = ended === undefined ? null : this.#now()
    const { rows } = await this.#engine.change(
      run => run<{ state: JobState }>`update machine_job set job = ${JSON.stringify(job)},
          state = case when state = 'cancelled' then state else coalesce(cast(${ended ?? null} as text), state) end,
          "endedAt" = cast(${endedAt} as bigint)
        where id = ${id} and runner = ${runner} and "endedAt" is null returning state`,
    )
    return rows[0]?.state
  }

  /** Deletes the jobs of a deleted project, before another one gets its slug. One that runs stores nothing more. */
  async forget({ organization, project }: JobPlace): Promise<void> {
    await this.#engine.change(
      run => run`delete from machine_job where "organizationId" = ${organization} and project = ${project}`,
    )
  }

  /** Stores the answers of one request. */
  async addAnswers(id: string, language: string, answers: readonly object[]): Promise<void> {
    const name = `${id}/${language}/${randomBytes(9).toString('base64url')}`
    await this.#engine.change(
      run => run`insert into machine_answer (id, job, language, answers)
        values (${name}, ${id}, ${language}, ${JSON.stringify(answers)})`,
    )
  }

  /** The answers of all requests of a language so far, in JSON. */
  async answers(id: string, language: string): Promise<string[]> {
    const { rows } = await this.#engine.query(
      run => run<{ answers: string }>`select answers from machine_answer where job = ${id} and language = ${language}`,
    )
    return rows.map(({ answers }) => answers)
  }

  /** Deletes the answers of a language, or all; the refused texts stay. */
  async dropAnswers(id: string, language?: string): Promise<void> {
    await this.#engine.change(
      run => run`delete from machine_answer where job = ${id} and id not like ${REFUSED}
        and language = coalesce(cast(${language ?? null} as text), language)`,
    )
  }

  /** Stores the refused texts of a language for as long as the job. They are among its answers, too. */
  async keepRefused(id: string, language: string, refused: readonly object[]): Promise<void> {
    if (refused.length === 0) return
    const [name, answers] = [`${id}/${language}/refused`, JSON.stringify(refused)]
    await this.#engine.change(
      run => run`insert into machine_answer (id, job, language, answers) values (${name}, ${id}, ${language}, ${answers})
        on conflict (id) do update set answers = excluded.answers`,
    )
  }

  /** The refused texts of a language by each job of a project, in JSON; those of the newest job first. */
  async *refused({ organization, project }: JobPlace, language: string): AsyncGenerator<string> {
    const { rows } = await this.#engine.query(
      run => run<{ id: string }>`
        select machine_answer.id as id from machine_answer join machine_job on machine_job.id = machine_answer.job
        where "organizationId" = ${organization} and project = ${project}
          and machine_answer.language = ${language} and machine_answer.id like ${REFUSED}
        order by "startedAt" desc`,
    )
    // One at a time: each may have megabytes.
    for (const { id } of rows) {
      const { rows } = await this.#engine.query(
        run => run<{ answers: string }>`select answers from machine_answer where id = ${id}`,
      )
      for (const { answers } of rows) yield answers
    }
  }
}

const jobOf = ({ job, ...row }: JobRow): StoredJob => ({ ...waitingOf(row), job })

function waitingOf({ organizationId, startedAt, endedAt, id, project, state }: JobRow<WaitingJob>): WaitingJob {
  const times = { startedAt: Number(startedAt), endedAt: endedAt === null ? null : Number(endedAt) }
  return { id, organization: organizationId, project, ...times, state }
}
