/** Proves now and then, repository by repository, that a restore would work. Results survive a restart. */
import { readFileSync } from 'node:fs'
import { mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Background, BackgroundTask } from '../../scheduling/background.ts'
import { replaceFile } from '../disk.ts'
import type { Logger } from '../log.ts'
import { sizeOnDisk } from '../read-only.ts'
import { type CheckResult, checkOne } from './check.ts'
import type { CheckDelays } from './delays.ts'
import type { BackupRemote } from './remote.ts'

/** What there is to check; `pushed` in milliseconds since 1970, null for never pushed, which is not checked. */
export interface Checkable {
  id: string
  gitDir: string
  pushed: number | null
}

interface ChecksOptions {
  remote: BackupRemote
  /** DATA_DIR/backup, which exists. */
  folder: string
  all: () => Checkable[]
  background: Background
  delays: CheckDelays
  log: Logger
}

interface Note {
  /** Milliseconds since 1970. */
  at: number
  error?: string
}

/** Beside twice the repository, which is fetched and then indexed. */
const SPARE_BYTES = 64 * 1024 * 1024
/** A longer check is given up, without a result. */
const LONGEST_MS = 3_600_000

export class Checks {
  readonly #options: ChecksOptions
  readonly #file: string
  readonly #notes: Map<string, Note>
  /** When an unreachable repository is due again (`Date.now()`). */
  readonly #later = new Map<string, number>()
  readonly #task: BackgroundTask

  constructor(options: ChecksOptions) {
    this.#options = options
    this.#file = join(options.folder, 'checks.json')
    this.#notes = readNotes(this.#file)
    const run = (signal: AbortSignal) => this.#run(signal)
    this.#task = options.background.task({ name: 'checking the backup', run })
  }

  start(): void {
    if (this.#options.delays.check > 0) this.#task.in(this.#step(1))
  }

  /** Why a restore would fail, and when that was last checked; undefined when never. */
  of(id: string): Readonly<Note> | undefined {
    return this.#notes.get(id)
  }

  get troubled(): boolean {
    return [...this.#notes.values()].some(({ error }) => error !== undefined)
  }

  forget(id: string): void {
    this.#notes.delete(id)
  }

  /** Checks what is due longest. @returns milliseconds until the next look */
  async #run(signal: AbortSignal): Promise<number> {
    const all = this.#options.all().filter(({ pushed }) => pushed !== null)
    const due = all.filter(one => this.#isDue(one))
    due.sort((a, b) => this.#rank(a) - this.#rank(b))
    if (due[0] !== undefined) await this.#check(due[0], signal)
    return this.#step(all.length)
  }

  #step(number: number): number {
    const { check, checkStep } = this.#options.delays
    return Math.min(Math.max(check / (number + 1), checkStep[0]), checkStep[1])
  }

  #isDue({ id, pushed }: Checkable): boolean {
    const { check, recheck } = this.#options.delays
    const now = Date.now()
    const later = this.#later.get(id)
    if (later !== undefined && later > now && later <= now + recheck) return false
    const note = this.#notes.get(id)
    // The clock may have been put back.
    if (note === undefined || note.at > now) return true
    if (note.error === undefined) return note.at <= now - check
    return note.at <= now - recheck || note.at < (pushed ?? 0)
  }

  /** Failed ones come first, then those not looked at for longest. */
  #rank({ id }: Checkable): number {
    const note = this.#notes.get(id)
    return note?.error === undefined ? (note?.at ?? 0) : Number.NEGATIVE_INFINITY
  }

  async #check(one: Checkable, signal: AbortSignal): Promise<void> {
    const { remote, log, delays } = this.#options
    const folder = join(this.#options.folder, 'check')
    this.#later.set(one.id, Date.now() + delays.recheck)
    if (!(await this.#hasRoom(one))) {
      log.warn({ id: one.id }, 'there is no room here to check whether the backup can be restored')
      return
    }
    // What a killed server left.
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { mode: 0o700 })
    const limit = AbortSignal.timeout(LONGEST_MS)
    const options = { remote, folder, log, signal: AbortSignal.any([signal, limit]) }
    let result: CheckResult
    try {
      result = await checkOne(options, one.id)
    } catch (error) {
      if (limit.aborted) log.warn({ id: one.id }, 'the check of the backup lasted too long')
      else throw error
      return
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
    // The pushes report that it cannot be reached.
    if (result.state === 'failing' || result.state === 'empty') return
    await this.#note(one.id, result.state === 'ok' ? undefined : result.error)
  }

  async #note(id: string, error: string | undefined): Promise<void> {
    const before = this.#notes.get(id)
    if (before?.error !== undefined && error === undefined) this.#options.log.info({ id }, 'the backup can be restored')
    this.#later.delete(id)
    this.#notes.set(id, { at: Date.now(), ...(error === undefined ? {} : { error }) })
    const text = JSON.stringify(Object.fromEntries(this.#notes))
    await replaceFile(this.#file, `${text}\n`)
  }

  async #hasRoom({ gitDir }: Checkable): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#options.folder)
    return bavail * bsize > 2 * sizeOnDisk(join(gitDir, 'objects')) + SPARE_BYTES
  }
}

function readNotes(file: string): Map<string, Note> {
  try {
    return new Map(Object.entries<Note>(JSON.parse(readFileSync(file, 'utf8'))))
  } catch {
    // Never written, or cut short: everything is due.
    return new Map()
  }
}
