/** Texts that the gate refused twice: a job stores them, and later jobs do not pay for them again. */
import type { MachineJobs } from '../../auth/machine-jobs.ts'
import type { GateFault } from '../../bundle/gate/gate-sentence.ts'
import { slices } from '../../scheduling/slices.ts'
import type { Snapshot } from '../../store/store.ts'
import { LARGE } from '../reading/status-cache.ts'
import type { JobReading } from './job-reading.ts'
import { bundleTask, type LanguagePlan, type PlannedText, type PlannedVersion, versionOf } from './plan-language.ts'

/** A version of a text with the faults of its second translation. */
export type RefusedAnswer = PlannedVersion & {
  /** The machine. */
  by: string
  refused: GateFault[]
}

/** Refused texts that a job stores for a language, and their characters. Those beyond may be sent again. */
const MOST_STORED = { texts: 5_000, characters: 2_000_000 }
/** Characters of the refused texts of a language that count. Those of older jobs may be sent again. */
const MOST_COUNTED = 4 * MOST_STORED.characters

/** The first ones within the limits, by default those of a job that is stored. */
export function withinLimits(
  refused: readonly RefusedAnswer[],
  most: typeof MOST_STORED = MOST_STORED,
): RefusedAnswer[] {
  let characters = 0
  const over = refused.findIndex((one, at) => {
    characters += JSON.stringify(one).length
    return at >= most.texts || characters > most.characters
  })
  return over === -1 ? [...refused] : refused.slice(0, over)
}

/** The refused texts of a language, by the newest jobs that are stored; of a version the newest refusal. */
export class GateRefusals {
  readonly #byVersion = new Map<string, RefusedAnswer>()

  static async read(
    jobs: Pick<MachineJobs, 'refused'>,
    place: { organization: string; project: string },
    language: string,
  ): Promise<GateRefusals> {
    const all = new GateRefusals()
    const pause = slices()
    let characters = 0
    for await (const json of jobs.refused(place, language)) {
      characters += json.length
      if (characters > MOST_COUNTED) break
      for (const one of JSON.parse(json) as RefusedAnswer[]) {
        if (!all.#byVersion.has(nameOf(one))) all.#byVersion.set(nameOf(one), one)
        await pause()
      }
    }
    return all
  }

  /** The refusal of this version of a text by the same machine with the same configuration. */
  of(text: PlannedVersion): RefusedAnswer | undefined {
    return this.#byVersion.get(nameOf(text))
  }

  /**
   * Whether a refusal still holds for a text. A gap in an array may be closed.
   * @param open keys of the namespace that stay without a text
   */
  holds(text: PlannedText, open: ReadonlySet<string>): boolean {
    const refusal = this.of(text)
    const gap = gapOf(refusal)
    return refusal !== undefined && (gap === undefined || gap.some(key => open.has(key)))
  }

  /** Whether the text of another project would have no place either. */
  isAfterGap(text: PlannedText): boolean {
    return gapOf(this.of(text)) !== undefined
  }

  /** The refused texts by namespace; of a text the newest refusal. */
  byNamespace(): Map<string, Map<string, RefusedAnswer>> {
    const all = new Map<string, Map<string, RefusedAnswer>>()
    for (const one of this.#byVersion.values()) {
      const texts = all.get(one.namespace) ?? new Map<string, RefusedAnswer>()
      if (!texts.has(one.key)) texts.set(one.key, one)
      all.set(one.namespace, texts)
    }
    return all
  }
}

/** The texts to look for in the memory: those to send, then refused ones that another project may have. */
export const searchedTexts = ({ texts, refused }: LanguagePlan, refusals: GateRefusals | undefined): PlannedText[] => [
  ...texts,
  ...refused.filter(text => refusals?.isAfterGap(text) === false),
]

/** The items that an array lacks before a text. */
const gapOf = (refusal: RefusedAnswer | undefined): string[] | undefined =>
  refusal?.refused.find(({ code }) => code === 'array-gap')?.names

/** The refusals of texts that have not changed since, in the order of namespaces and keys. */
export async function presentRefusals(
  { project, pinned, left }: JobReading,
  refused: GateRefusals,
  language: string,
): Promise<RefusedAnswer[]> {
  const { slug } = project
  const present: RefusedAnswer[] = []
  for (const [namespace, texts] of [...refused.byNamespace()].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const request = { slug, is: ['missing', 'empty', 'stale'], machine: '', save: 'text' } as const
    const keys = [...texts.keys()]
    const task = (now: Snapshot) => ({ ...bundleTask(now, { language, namespace }, request), keys })
    for (const text of await pinned.compute('textsToTranslate', task, { most: LARGE, left })) {
      const refusal = texts.get(text.key)
      if (refusal && 'of' in text && refusal.of === text.of) present.push(refusal)
    }
  }
  return present
}

const nameOf = (text: PlannedVersion): string => JSON.stringify(versionOf(text))
