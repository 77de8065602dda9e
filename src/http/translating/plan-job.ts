/** What a job would do: its texts, those that the memory has, and what the machine would cost. */
import { Failure } from '../../bundle/errors.ts'
import { estimateUsage } from '../../machine/estimate-usage.ts'
import { amountOf, inUnit, type Machine, unitOf } from '../../machine/machine.ts'
import type { MemorySearch } from '../reading/memory-search.ts'
import type { JobReading } from './job-reading.ts'
import type { JobRequest } from './job-record.ts'
import { memoryHits } from './memory-hits.ts'
import { planLanguage } from './plan-language.ts'

/** Texts of one job, and characters of their sources. */
const MOST = { texts: 20_000, characters: 10_000_000 }

/** What a job would do. */
export interface JobPlan {
  machine: string
  texts: number
  /** Of the texts to send. */
  characters: number
  fromMemory: number
  /** In `unit`; null for a machine without a price. */
  estimate: number | null
  unit: string
  skipped: { reason: string; count: number }[]
  languages: { language: string; texts: number; fromMemory: number }[]
}

/**
 * @param search undefined leaves out the memory
 * @throws Failure `unfit` for too many texts, `unavailable` while the memory is being built
 */
export async function planJob(
  reading: JobReading,
  request: JobRequest,
  machine: Machine,
  search: MemorySearch | undefined,
  projects: readonly string[] | null,
): Promise<JobPlan> {
  const skipped = new Map<string, number>()
  const languages: JobPlan['languages'] = []
  let [characters, sent, all] = [0, 0, 0]
  for (const language of request.languages) {
    const plan = await planLanguage(reading, request, machine, language)
    for (const [reason, count] of plan.skipped) skipped.set(reason, (skipped.get(reason) ?? 0) + count)
    all += plan.texts.length
    characters += plan.texts.reduce((sum, text) => sum + text.characters, 0)
    if (all > MOST.texts || characters > MOST.characters) throw tooMany()
    const hits = search && (await memoryHits(search, reading, plan.texts, { language, projects }))
    const found = plan.texts.filter((_, at) => hits?.[at] !== undefined)
    characters -= found.reduce((sum, text) => sum + text.characters, 0)
    sent += plan.texts.length - found.length
    languages.push({ language, texts: plan.texts.length, fromMemory: found.length })
  }
  const amount = amountOf(machine, estimateUsage(machine, sent, characters))
  return {
    ...{ machine: machine.name, texts: all, characters },
    fromMemory: languages.reduce((sum, { fromMemory }) => sum + fromMemory, 0),
    ...{ estimate: machine.price === undefined ? null : inUnit(machine, amount), unit: unitOf(machine) },
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
    languages,
  }
}

function tooMany(): Failure {
  const most = MOST.texts.toLocaleString('en')
  return new Failure('unfit', `This is of more than ${most} texts: choose fewer languages or namespaces.`)
}
