/** Requests about runs of machines over a project. */
import * as Oazapfts from '@oazapfts/runtime'
import { answer } from '../api/answer.ts'
import { defaults } from '../api/client.ts'

/** What a run translates. */
export interface TranslationRequest {
  machine: string
  languages: string[]
  namespaces?: string[]
  is: ('missing' | 'empty' | 'stale')[]
  save: 'text' | 'suggestion'
}

/** What a run would do. */
export interface TranslationPlan {
  machine: string
  texts: number
  characters: number
  fromMemory: number
  estimate: number | null
  unit: string
  skipped: { reason: string; count: number }[]
  languages: { language: string; texts: number; fromMemory: number }[]
}

/** A run. */
export interface MachineJob {
  id: string
  machine: string
  languages: string[]
  by: { id: string; name: string }
  startedAt: string
  endedAt: string | null
  state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled'
  error?: string
  done: number
  of: number
  written: number
  suggested: number
  fromMemory: number
  refused: { language: string; namespace: string; key: string; reason: string }[]
  refusedCount: number
  spent: number
  unit: string
  revisions: string[]
}

const api = Oazapfts.runtime(defaults)
const at = (slug: string, rest: string) => `/api/projects/${encodeURIComponent(slug)}/${rest}`

type Good<Data, Status = 200> = { status: Status; data: Data; headers: Headers }

/** What a run would do; it costs nothing. */
export const planTranslation = (slug: string, body: TranslationRequest, signal: AbortSignal) =>
  answer(
    api.fetchJson(at(slug, 'translate?dryRun=true'), api.json({ method: 'POST', body, signal })) as Promise<
      Good<TranslationPlan>
    >,
  )

/** Starts a run. @returns its id */
export const startTranslation = async (slug: string, body: TranslationRequest): Promise<string> =>
  (
    await answer(
      api.fetchJson(at(slug, 'translate'), api.json({ method: 'POST', body })) as Promise<Good<{ job: string }, 202>>,
    )
  ).job

/** The latest runs, the newest first. */
export const readJobs = async (slug: string, signal: AbortSignal): Promise<MachineJob[]> =>
  (await answer(api.fetchJson(at(slug, 'jobs'), { signal }) as Promise<Good<{ jobs: MachineJob[] }>>)).jobs

/** Ends a run after its request under way. */
export const cancelJob = (slug: string, id: string) =>
  answer(api.fetchJson(at(slug, `jobs/${encodeURIComponent(id)}`), { method: 'DELETE' }) as Promise<Good<MachineJob>>)
