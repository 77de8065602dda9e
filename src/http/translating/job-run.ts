/**
 * One job of machine translation, language by language: what the memory has, then the machine, then one commit. After a
 * kill the stored answers replace requests.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../auth/access.ts'
import type { JobState, StoredJob } from '../../auth/machine-jobs.ts'
import { Failure } from '../../bundle/errors.ts'
import type { Machine } from '../../machine/machine.ts'
import type { MachineCaller } from '../../machine/machine-caller.ts'
import { machineFailure, machineFaultOf } from '../../machine/machine-fault.ts'
import type { MachineList } from '../../machine/machine-list.ts'
import { requireLanguage, requireProject } from '../../project/layout.ts'
import type { MachineResult } from '../../project/sidecars/write-translations.ts'
import { claimantOfCaller } from '../bounds/body-memory.ts'
import type { EventStreams } from '../events/event-streams.ts'
import type { MemorySearch } from '../reading/memory-search.ts'
import { GateRefusals, type RefusedAnswer, searchedTexts, withinLimits } from './gate-refusals.ts'
import { type JobReading, jobReading } from './job-reading.ts'
import { addRefused, type JobRecord, type JobRequest, jobNews, type RefusedText, recordOf } from './job-record.ts'
import { recheckSpending } from './may-spend.ts'
import { memoryHits } from './memory-hits.ts'
import { patiently } from './patiently.ts'
import { type PlannedText, planLanguage, versionOf } from './plan-language.ts'
import { sendTexts, type TextAnswer, type TextToSend } from './send-texts.ts'
import { findWritten, type WrittenLanguage, writeLanguage } from './write-language.ts'

/** The parts of the server that jobs need. */
export interface JobParts {
  app: FastifyInstance
  memory: MemorySearch
  machines: MachineList
  machineCaller: MachineCaller
  streams: EventStreams
}

/** Milliseconds that requests under way have when the server stops, and when a user cancels the job. */
const GRACE_MS = { stop: 5_000, cancel: 20_000 }

/** Ends a run: another process has its job, or the job is gone. */
class Superseded extends Error {}
/** Ends the requests of a job that a user cancels. */
class Cancelled extends Error {}

export class JobRun {
  readonly #parts: JobParts
  readonly #job: StoredJob
  readonly #record: JobRecord
  readonly #request: JobRequest
  readonly #runner: string
  readonly #cancel = new AbortController()
  /** Aborted when the server stops: no request begins. */
  readonly #stop: AbortSignal
  /** Aborted a little later: requests under way are paid, and have that time to end. */
  readonly #left: AbortSignal
  /** Refusals of earlier jobs that hold for texts of the present language. */
  #before: RefusedAnswer[] = []

  /** @param runner the name of this process @param stop aborted when the server stops */
  constructor(parts: JobParts, job: StoredJob, runner: string, stop: AbortSignal) {
    this.#parts = parts
    this.#job = job
    this.#record = recordOf(job)
    this.#request = this.#record.request
    this.#runner = runner
    this.#stop = stop
    this.#left = delayed(stop, GRACE_MS.stop)
    if (job.state === 'cancelled') this.cancel()
  }

  /** Ends it after the requests under way, which have a little time; what was answered is written. */
  cancel(): void {
    this.#cancel.abort(new Cancelled())
  }

  /** Runs the job to its end. Resolves, too, where another process has it. @throws the reason of `stop` */
  async run(): Promise<void> {
    try {
      const state = await this.#runAll()
      this.#record.doneNow = 0
      await this.#save(state)
      await this.#parts.app.auth.jobs.dropAnswers(this.#job.id)
    } catch (error) {
      if (!(error instanceof Superseded)) throw error
    }
  }

  /** @returns how the job ends */
  async #runAll(): Promise<JobState> {
    try {
      for (const language of this.#request.languages) {
        if (!this.#record.ended.includes(language)) await this.#translate(language)
      }
      return this.#record.fault === undefined ? 'done' : 'failed'
    } catch (error) {
      this.#stop.throwIfAborted()
      if (error instanceof Superseded) throw error
      if (error instanceof Cancelled) return 'cancelled'
      this.#note(error)
      return 'failed'
    }
  }

  /** A failure in the middle writes what was answered until then, and then counts. One of some texts ends no job. */
  async #translate(language: string): Promise<void> {
    const { app } = this.#parts
    const { id, organization } = this.#job
    const { writing } = this.#record
    if (writing?.language === language) {
      const written = await findWritten(app, organization, { job: id, ...writing })
      if (written) return this.#end(language, written, await this.#storedAnswers(language))
    }
    this.#before = []
    const caller = this.#caller([language])
    const reading = await jobReading(app, organization, this.#request.slug, this.#left)
    const answers = await this.#storedAnswers(language)
    const failure = await this.#answer(language, reading, caller, answers).then(
      skipped => skipped && { error: skipped, isEnd: false },
      error => ({ error, isEnd: true }),
    )
    this.#stop.throwIfAborted()
    if (failure?.error instanceof Superseded) throw failure.error
    const written = await this.#write(language, reading, answers)
    if (failure?.isEnd === false) this.#note(failure.error)
    await this.#end(language, written, answers, failure !== undefined)
    if (failure?.isEnd) throw failure.error
  }

  /**
   * Finds an answer for each text: stored, in the memory, or by the machine.
   * @returns the first failure of texts that the machine does not answer
   */
  async #answer(
    language: string,
    reading: JobReading,
    caller: Caller,
    answers: Map<string, TextAnswer>,
  ): Promise<Failure | undefined> {
    const { app, memory, machineCaller } = this.#parts
    const { organization } = this.#job
    this.#cancel.signal.throwIfAborted()
    const stop = AbortSignal.any([this.#stop, this.#cancel.signal])
    const machine = await patiently(() => this.#machine(), stop)
    const refusals = await this.#refusals(language)
    const plan = await planLanguage(reading, this.#request, machine, language, refusals)
    const unknown = searchedTexts(plan, refusals).filter(text => !answers.has(nameOf(text)))
    const refused = new Set(plan.refused)
    const query = { language, projects: caller.projects ?? null }
    const hits = await patiently(() => memoryHits(memory, reading, unknown, query), stop)
    const send = unknown.filter((text, at) => hits[at] === undefined && !refused.has(text))
    for (const [at, text] of unknown.entries()) {
      const message = hits[at]
      if (message !== undefined) answers.set(nameOf(text), { ...versionOf(text), message, fromMemory: true })
    }
    this.#before = plan.refused.flatMap(text => (answers.has(nameOf(text)) ? [] : (refusals?.of(text) ?? [])))
    const sending = {
      left: AbortSignal.any([this.#left, delayed(this.#cancel.signal, GRACE_MS.cancel)]),
      ...{ caller: machineCaller, machine, claimant: claimantOfCaller(caller), reading, language },
      style: this.#request.instructions ?? undefined,
      stop,
      goOn: async () => {
        this.#stop.throwIfAborted()
        this.#cancel.signal.throwIfAborted()
        this.#caller([language])
        const { slug } = this.#request
        await app.store.read(organization, now => requireLanguage(now, requireProject(now, slug), language))
        return this.#machine()
      },
      store: (given: TextAnswer[]) => this.#store(language, given, answers),
      onSpent: (amount: number) => void (this.#record.amount += amount),
    }
    await this.#progress(answers)
    const skipped = await sendTexts(sending, send)
    const retries = plan.texts.flatMap((text): TextToSend[] => {
      const answer = answers.get(nameOf(text))
      return answer !== undefined && 'complaint' in answer
        ? [{ ...text, complaint: answer.complaint, message: answer.message }]
        : []
    })
    const again = await sendTexts(sending, retries)
    return skipped ?? again
  }

  /** What the gate refused before this job; undefined where the job sends it again. */
  async #refusals(language: string): Promise<GateRefusals | undefined> {
    return this.#request.again ? undefined : GateRefusals.read(this.#parts.app.auth.jobs, this.#job, language)
  }

  async #store(language: string, given: TextAnswer[], answers: Map<string, TextAnswer>): Promise<void> {
    await this.#parts.app.auth.jobs.addAnswers(this.#job.id, language, given)
    for (const answer of given) answers.set(nameOf(answer), answer)
    await this.#progress(answers)
  }

  /** The answer to a retry replaces the first one, in any order of the two. */
  async #storedAnswers(language: string): Promise<Map<string, TextAnswer>> {
    const stored = await this.#parts.app.auth.jobs.answers(this.#job.id, language)
    const answers = new Map<string, TextAnswer>()
    for (const json of stored) {
      for (const answer of JSON.parse(json) as TextAnswer[]) {
        const known = answers.get(nameOf(answer))
        if (known === undefined || 'complaint' in known) answers.set(nameOf(answer), answer)
      }
    }
    return answers
  }

  async #write(
    language: string,
    { revision: base }: JobReading,
    answers: ReadonlyMap<string, TextAnswer>,
  ): Promise<WrittenLanguage> {
    const results = new Map<string, MachineResult[]>()
    for (const answer of answers.values()) {
      if (!('message' in answer) || answer.message === undefined) continue
      const { namespace, key, of, message } = answer
      const list = results.get(namespace) ?? []
      list.push({ key, of, message })
      results.set(namespace, list)
    }
    if (results.size === 0) return { revision: null, written: 0, suggested: 0, refused: [] }
    this.#record.writing = { language, base, fromMemory: countFromMemory(answers) }
    await this.#save()
    const asked = { job: this.#job.id, request: this.#request, language, results }
    const write = () => writeLanguage(this.#parts.app.changes, this.#caller([language]), asked, this.#left)
    return patiently(write, this.#stop)
  }

  /** @param isHalf whether texts without an answer are left */
  async #end(
    language: string,
    written: WrittenLanguage,
    answers: ReadonlyMap<string, TextAnswer>,
    isHalf = false,
  ): Promise<void> {
    const record = this.#record
    const { counts, writing, planned } = record
    counts.done += isHalf ? countDone(answers) : (planned[language] ?? 0)
    counts.written += written.written
    counts.suggested += written.suggested
    counts.fromMemory += writing?.fromMemory ?? countFromMemory(answers)
    const refused = this.#refusedOf(answers, written.refused)
    addRefused(
      record,
      refused.map(({ namespace, key, refused }) => ({ language, namespace, key, faults: refused })),
    )
    const { jobs } = this.#parts.app.auth
    await jobs.keepRefused(this.#job.id, language, withinLimits([...refused, ...this.#before]))
    if (written.revision !== null) record.revisions.push(written.revision)
    record.ended.push(language)
    record.doneNow = 0
    delete record.writing
    await this.#save()
    await jobs.dropAnswers(this.#job.id, language)
  }

  /** The answers that the gate refused, when they came or in the commit. */
  #refusedOf(answers: ReadonlyMap<string, TextAnswer>, atWrite: readonly RefusedText[]): RefusedAnswer[] {
    const faults = new Map(atWrite.map(one => [nameOf(one), one.faults]))
    const by = this.#request.machine
    return [...answers.values()].flatMap((answer): RefusedAnswer[] => {
      const refused = 'refused' in answer ? answer.refused : faults.get(nameOf(answer))
      return refused ? [{ ...versionOf(answer), by, refused }] : []
    })
  }

  async #progress(answers: ReadonlyMap<string, TextAnswer>): Promise<void> {
    this.#record.doneNow = countDone(answers)
    await this.#save()
  }

  /** @throws Superseded, and once the job is cancelled ends further requests */
  async #save(ended?: JobState): Promise<void> {
    const state = await this.#parts.app.auth.jobs.save(this.#job.id, this.#runner, this.#record, ended)
    if (state === undefined) throw new Superseded()
    if (state === 'cancelled') this.cancel()
    const { organization, project } = this.#job
    this.#parts.streams.notify(organization, project, 'job', jobNews({ ...this.#job, state, record: this.#record }))
  }

  /** The one who started the job, as they are now. @throws Failure without the right to spend on these languages */
  #caller(languages: readonly string[]): Caller {
    const { organization } = this.#job
    const { by } = this.#record
    const then: Caller = { ...by, organization, role: 'member', scope: 'write', inBackground: true }
    return recheckSpending(this.#parts.app.auth, then, this.#request, languages)
  }

  /** The machine as the list has it now. @throws Failure `not-found` for a removed one, `unavailable` for a bad list */
  async #machine(): Promise<Machine> {
    const name = this.#request.machine
    const machines = await this.#parts.machines.read().catch(() => undefined)
    if (machines === undefined) throw machineFailure('unavailable', { code: 'list' }, { retryAfter: 1 })
    const machine = machines.find(one => one.name === name)
    if (machine) return machine
    throw machineFailure('not-found', { code: 'removed', machine: name })
  }

  /** The first failure is the job's. */
  #note(error: unknown): void {
    if (this.#record.fault) return
    this.#record.fault = machineFaultOf(error)
    this.#record.error = error instanceof Failure ? error.message : 'The server failed; its log says why.'
    if (!(error instanceof Failure)) {
      this.#parts.app.log.error({ err: error, job: this.#job.id }, 'a job of machine translation failed')
    }
  }
}

const nameOf = ({ namespace, key }: Pick<PlannedText, 'namespace' | 'key'>) => `${namespace}/${key}`

const countDone = (answers: ReadonlyMap<string, TextAnswer>): number =>
  [...answers.values()].filter(answer => !('complaint' in answer)).length

const countFromMemory = (answers: ReadonlyMap<string, TextAnswer>): number =>
  [...answers.values()].filter(({ fromMemory }) => fromMemory).length

/** A signal that aborts some milliseconds after another one. */
function delayed(signal: AbortSignal, milliseconds: number): AbortSignal {
  const late = new AbortController()
  const abort = () => void pause(milliseconds, undefined, { ref: false }).then(() => late.abort(signal.reason))
  if (signal.aborted) late.abort(signal.reason)
  else signal.addEventListener('abort', abort, { once: true })
  return late.signal
}
