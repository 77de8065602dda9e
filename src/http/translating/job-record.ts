/** A job as it is stored, and as the API shows it. */
import type { Caller } from '../../auth/access.ts'
import type { JobState, StoredJob } from '../../auth/machine-jobs.ts'
import { type GateFault, gateSentence } from '../../bundle/gate/gate-sentence.ts'
import type { MachineFault } from '../../machine/machine-fault.ts'

/** What a job is asked for. */
export interface JobRequest {
  slug: string
  /** The name of a machine. */
  machine: string
  languages: readonly string[]
  /** Null for all. */
  namespaces: readonly string[] | null
  /** Null for all; else of the only namespace. */
  keys: readonly string[] | null
  is: readonly ('missing' | 'empty' | 'stale')[]
  save: 'text' | 'suggestion'
  /** Wishes for the style. */
  instructions: string | null
  /** Sends texts again that the gate refused before. */
  again: boolean
}

/** A translation that the gate did not let through, twice. */
export interface RefusedText {
  language: string
  namespace: string
  key: string
  faults: GateFault[]
}

/** Numbers of texts by outcome. */
interface JobCounts {
  /** Texts that are through: written, suggested, refused, or changed by others meanwhile. */
  done: number
  written: number
  suggested: number
  fromMemory: number
  refusedCount: number
}

/** The stored JSON of a job. */
export interface JobRecord {
  request: JobRequest
  by: Pick<Caller, 'kind' | 'id' | 'name' | 'email'>
  /** Planned texts by language. */
  planned: Record<string, number>
  /** Of the languages that have ended. */
  counts: JobCounts
  /** Texts of the present language that are through. */
  doneNow: number
  refused: RefusedText[]
  /** What was spent, as a whole number of the meter, and how many of it are one unit. */
  amount: number
  unit: string
  unitParts: number
  revisions: string[]
  /** The languages that have ended. */
  ended: string[]
  /** The language that is about to be written, the newest revision before, and its texts from the memory. */
  writing?: { language: string; base: string | null; fromMemory: number } | undefined
  /** Why it fails, and the sentence of that. */
  fault?: MachineFault | undefined
  error?: string | undefined
}

/** Refused texts that a job lists, and their characters. */
const MOST_REFUSED = { texts: 200, characters: 50_000 }

export const NO_COUNTS: JobCounts = { done: 0, written: 0, suggested: 0, fromMemory: 0, refusedCount: 0 }

/** Adds refused texts of a language: all count, the first ones are listed. */
export function addRefused(record: JobRecord, refused: readonly RefusedText[]): void {
  record.counts.refusedCount += refused.length
  let characters = JSON.stringify(record.refused).length
  for (const text of refused) {
    characters += JSON.stringify(text).length
    if (record.refused.length >= MOST_REFUSED.texts || characters > MOST_REFUSED.characters) return
    record.refused.push(text)
  }
}

export const recordOf = ({ job }: StoredJob): JobRecord => JSON.parse(job)

/** Texts that are through, and all of the job. */
function progressOf({ planned, counts, doneNow }: JobRecord): { done: number; of: number } {
  const of = Object.values(planned).reduce((sum, texts) => sum + texts, 0)
  return { done: Math.min(of, counts.done + doneNow), of }
}

/** A job as the API shows it. */
export function shownJob(stored: StoredJob) {
  const record = recordOf(stored)
  const { request, by, counts, refused, amount, unitParts, unit, revisions, error, fault } = record
  const { id, state, startedAt, endedAt } = stored
  return {
    id,
    machine: request.machine,
    languages: [...request.languages],
    by: { id: by.id, name: by.name },
    startedAt: new Date(startedAt).toISOString(),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    state,
    ...(error !== undefined && { error }),
    // Jobs of older versions have none.
    ...(fault && { fault }),
    ...{ ...progressOf(record), written: counts.written, suggested: counts.suggested },
    fromMemory: counts.fromMemory,
    refused: refused.map(one => ({ ...one, reason: gateSentence(one.faults) })),
    refusedCount: counts.refusedCount,
    ...{ spent: amount / unitParts, unit, revisions },
  }
}

/** What an event says about a job. */
export function jobNews(stored: Pick<StoredJob, 'id' | 'project'> & { state: JobState; record: JobRecord }) {
  const { id, project, state, record } = stored
  const { written, refusedCount: refused } = record.counts
  return { id, project, state, ...progressOf(record), written, refused }
}
