/** Texts that the gate refused twice: a job stores them, and later jobs do not pay for them again. */
import type { MachineJobs } from '../../auth/machine-jobs.ts'
import type { GateFault } from '../../bundle/gate/gate-sentence.ts'
import type { PlannedText } from './plan-language.ts'
import type { TextAnswer } from './send-texts.ts'

/** A version of a text with the faults of its second translation. */
export type RefusedAnswer = Pick<PlannedText, 'namespace' | 'key' | 'of' | 'config'> & {
  /** The machine. */
  by: string
  refused: GateFault[]
}

/** Refused texts that a job stores for a language, and their characters. Those beyond may be sent again. */
const MOST_STORED = { texts: 5_000, characters: 2_000_000 }

/** The first ones within the limits. */
export function withinLimits(refused: readonly RefusedAnswer[]): RefusedAnswer[] {
  let characters = 0
  const over = refused.findIndex((one, at) => {
    characters += JSON.stringify(one).length
    return at >= MOST_STORED.texts || characters > MOST_STORED.characters
  })
  return over === -1 ? [...refused] : refused.slice(0, over)
}

/** The refused texts of a language, by the jobs that are stored; of a version the newest refusal. */
export class RefusedTexts {
  readonly #byVersion = new Map<string, RefusedAnswer>()

  static async read(
    jobs: MachineJobs,
    place: { organization: string; project: string },
    language: string,
  ): Promise<RefusedTexts> {
    const all = new RefusedTexts()
    for (const json of await jobs.refused(place, language)) {
      for (const one of JSON.parse(json) as RefusedAnswer[]) {
        const version = versionOf(one)
        if (!all.#byVersion.has(version)) all.#byVersion.set(version, one)
      }
    }
    return all
  }

  /** The refusal of this version of a text by the same machine with the same configuration. */
  of(text: Pick<PlannedText, 'namespace' | 'key' | 'of' | 'config'>): RefusedAnswer | undefined {
    return this.#byVersion.get(versionOf(text))
  }
}

const versionOf = ({ namespace, key, of, config }: Pick<TextAnswer, 'namespace' | 'key' | 'of' | 'config'>) =>
  JSON.stringify([namespace, key, of, config])
