/** What a job would do: its texts, those that the memory has, and what the machine would cost. */
import { amountOf, inUnit, type Machine, type MachineUsage, unitOf } from '../../machine/machine.ts'
import { machineFailure } from '../../machine/machine-fault.ts'
import type { MemorySearch } from '../reading/memory-search.ts'
import { type GateRefusals, searchedTexts } from './gate-refusals.ts'
import type { JobReading } from './job-reading.ts'
import type { JobRequest } from './job-record.ts'
import { memoryHits } from './memory-hits.ts'
import { planLanguage, SKIP_PHRASES, type SkipReason } from './plan-language.ts'

/** Texts of one job, and characters of their sources. */
const MOST = { texts: 20_000, characters: 10_000_000 }

/** Texts that a plan leaves out. `language` is of the reason `language`. */
interface SkippedTexts {
  code: SkipReason
  reason: string
  count: number
  language?: string
}

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
  skipped: SkippedTexts[]
  languages: { language: string; texts: number; fromMemory: number }[]
}

/** What a plan depends on beside the texts. */
interface PlanContext {
  /** Undefined leaves out the memory. */
  search: MemorySearch | undefined
  /** The projects that the caller reaches; null for all. */
  projects: readonly string[] | null
  /** The refused texts of a language; undefined where they are sent again. */
  refusals: (language: string) => Promise<GateRefusals | undefined>
}

/** @throws Failure `unfit` for too many texts, `unavailable` while the memory is being built */
export async function planJob(
  reading: JobReading,
  request: JobRequest,
  machine: Machine,
  { search, projects, refusals }: PlanContext,
): Promise<JobPlan> {
  const skipped: SkippedTexts[] = []
  const skip = (code: SkipReason, count: number, language: string) => {
    const known = skipped.find(one => one.code === code && (one.language ?? language) === language)
    if (known) known.count += count
    else if (code !== 'language') skipped.push({ code, reason: SKIP_PHRASES[code], count })
    else skipped.push({ code, reason: `${SKIP_PHRASES[code]} ${language}`, count, language })
  }
  const languages: JobPlan['languages'] = []
  let [characters, sent, all] = [0, 0, 0]
  for (const language of request.languages) {
    const before = await refusals(language)
    const plan = await planLanguage(reading, request, machine, language, before)
    for (const [code, count] of plan.skipped) skip(code, count, language)
    all += plan.texts.length
    characters += plan.texts.reduce((sum, text) => sum + text.characters, 0)
    if (all > MOST.texts || characters > MOST.characters) throw tooMany()
    const searched = searchedTexts(plan, before)
    const hits = search && (await memoryHits(search, reading, searched, { language, projects }))
    const fromMemory = hits?.filter(hit => hit !== undefined).length ?? 0
    const found = plan.texts.filter((_, at) => hits?.[at] !== undefined)
    const wasRefused = fromMemory - found.length
    if (plan.refused.length > wasRefused) skip('refused', plan.refused.length - wasRefused, language)
    characters -= found.reduce((sum, text) => sum + text.characters, 0)
    sent += plan.texts.length - found.length
    all += wasRefused
    languages.push({ language, texts: plan.texts.length + wasRefused, fromMemory })
  }
  const amount = amountOf(machine, estimateUsage(machine, sent, characters))
  return {
    ...{ machine: machine.name, texts: all, characters },
    fromMemory: languages.reduce((sum, { fromMemory }) => sum + fromMemory, 0),
    ...{ estimate: machine.price === undefined ? null : inUnit(machine, amount), unit: unitOf(machine) },
    skipped,
    languages,
  }
}

/** Characters of a token, about; fewer in most languages than in English. */
const CHARACTERS_OF_TOKEN = 3
/** Tokens of the instructions in each request, and of what is said about each text. */
const TOKENS = { request: 600, text: 150 }

/** What a machine would use, about. */
function estimateUsage({ batch }: Machine, texts: number, characters: number): MachineUsage {
  const tokens = Math.ceil(characters / CHARACTERS_OF_TOKEN)
  const around = Math.ceil(texts / batch) * TOKENS.request + texts * TOKENS.text
  return { characters, inputTokens: tokens + around, outputTokens: 2 * tokens }
}

const tooMany = () => machineFailure('unfit', { code: 'texts', limit: MOST.texts })
