/**
 * The numbers of a status by content: what they depend on of each file is kept in a few bytes a key, so that a write
 * has only what it changed parsed again.
 */
import type { Interpolation } from '../../bundle/placeholders.ts'
import { addCounts, type Counts, noCounts, rulesOf } from '../../bundle/status.ts'
import { BundleFacts, countStale, countStatus } from '../../bundle/status-facts.ts'
import { type ByteCache, byteCache } from '../../byte-cache.ts'
import { bundleAt } from '../../project/layout.ts'
import type { BundleName, Project } from '../../project/project.ts'
import { stalePath } from '../../project/stale.ts'
import {
  type BundlePlan,
  BundlePlans,
  type LanguagePlan,
  languagePlans,
  MOST_BUNDLES,
  type StatusPart,
  tooManyBundles,
} from '../../project/status.ts'
import { slices } from '../../slices.ts'
import { inSlices } from '../../store/steps.ts'
import type { Snapshot } from '../../store/store.ts'
import type { Later } from './later.ts'

/** Work of files from which the worker looks at them: below, others wait 5 ms at most. */
export const LARGE: number = 2 ** 18

/** Bytes of an entry beside its name: the numbers and the map's own room. */
const ENTRY_BYTES = 300

/** What a status is computed from. */
export interface Asked {
  organization: string
  project: Project
  /** The state that it is of. */
  later: Later
  /** Aborted when nobody waits any more. */
  left: AbortSignal
}

/** The numbers of a bundle, and the same as JSON. */
interface Counted {
  counts: Counts
  text: string
}

/** The row of a language: its bundles with their numbers, and all of it as JSON. */
interface Row {
  plan: LanguagePlan
  bundles: BundlePlan[]
  counted: Counted[]
  text: string
}

export class StatusCache {
  /** By blob ids: source, target, notes; but for what is stale also by the ids of the facts of both. */
  readonly #counts: ByteCache<Counts>
  /** The last one of each language: most of it stands when something changes. */
  readonly #rows: ByteCache<Row>
  /** By blob id. */
  readonly #facts: ByteCache<BundleFacts>

  /** @param limitBytes for all that is kept */
  constructor(limitBytes: number) {
    this.#rows = byteCache(limitBytes / 4)
    this.#counts = byteCache(limitBytes / 8)
    this.#facts = byteCache((limitBytes / 8) * 5)
  }

  /** What is kept. */
  get bytes(): number {
    return [this.#rows, this.#counts, this.#facts].reduce((sum, { calculatedSize }) => sum + calculatedSize, 0)
  }

  /**
   * The rows of the languages as JSON, in code-unit order.
   * @throws Failure `unfit` for too many bundles, as `BundleWorker.run`, and the reason of `left`
   */
  async of(asked: Asked, part: StatusPart): Promise<string[]> {
    const { organization, project, later } = asked
    const pause = slices()
    const rows: { plan: LanguagePlan; then?: Row; bundles?: BundlePlan[] }[] = []
    const counted = new Map<BundlePlan, Counted>()
    const whose = (language: string) => `${organization} ${project.slug} ${rulesIn(project)} ${language}`
    let count = 0
    const planned = await later.look(state => new BundlePlans(state, project))
    for (const plan of await later.look(state => languagePlans(state, project, part))) {
      const then = part.namespace === undefined ? this.#rows.get(whose(plan.language)) : undefined
      if (then?.plan.id === plan.id) {
        rows.push({ plan, then })
        continue
      }
      for (const [at, bundle] of then?.bundles.entries() ?? []) counted.set(bundle, then!.counted[at]!)
      const still = then?.plan.folder === plan.folder ? planned.after(then.bundles) : undefined
      const bundles = still ?? (await later.look(state => planned.of(state, plan.language, part.namespace)))
      count += bundles.length
      if (count > MOST_BUNDLES) throw tooManyBundles(project.slug)
      rows.push({ plan, then, bundles })
      await pause()
    }
    await this.#countAll(
      asked,
      rows.flatMap(({ bundles }) => bundles?.filter(bundle => !counted.has(bundle)) ?? []),
      counted,
    )
    return rows.map(({ plan, then, bundles }) => {
      if (bundles === undefined) return then!.text
      const row = rowOf(
        plan,
        bundles,
        bundles.map(bundle => counted.get(bundle)!),
        then,
      )
      if (part.namespace === undefined) {
        const size = row.text.length + (1 + bundles.length) * 2 * ENTRY_BYTES
        this.#rows.set(whose(plan.language), row, { size })
      }
      return row.text
    })
  }

  /** The numbers of a bundle, if known without its files. */
  known(organization: string, plan: BundlePlan, project: Project): Counts | undefined {
    return this.#counts.get(nameOf(organization, plan, project))
  }

  /** Adds the numbers of bundles: a namespace at a time, lest a source be held, or parsed, once for each language. */
  async #countAll(asked: Asked, plans: BundlePlan[], all: Map<BundlePlan, Counted>): Promise<void> {
    const { organization, project } = asked
    const pause = slices()
    const missing = new Map<string, BundlePlan[]>()
    const add = (plan: BundlePlan, counts: Counts) =>
      all.set(plan, { counts, text: JSON.stringify({ namespace: plan.namespace, ...counts }) })
    for (const plan of plans) {
      const known = this.known(organization, plan, project)
      if (known) add(plan, known)
      else missing.set(plan.namespace, [...(missing.get(plan.namespace) ?? []), plan])
      await pause()
    }
    for (const same of missing.values()) {
      const source = await this.#factsOf(asked, project.sourceLanguage, same[0]!.namespace, same[0]!.source)
      const stale = await this.#staleIn(asked, same)
      for (const [at, plan] of same.entries()) {
        const isSource = plan.language === project.sourceLanguage
        const target = isSource ? source : await this.#factsOf(asked, plan.language, plan.namespace, plan.target)
        const counts = await this.#count(asked, plan.language, source, target, stale[at]!)
        add(plan, counts)
        this.#keep(nameOf(organization, plan, project), counts)
        await pause()
      }
    }
  }

  async #count(
    { organization, project: { sourceLanguage }, left }: Asked,
    language: string,
    source: BundleFacts,
    target: BundleFacts,
    noted: readonly string[],
  ): Promise<Counts> {
    const check = () => left.throwIfAborted()
    const name = `${organization} ${source.id} ${target.id} ${sourceLanguage} ${language}`
    let counts = this.#counts.get(name)
    if (counts === undefined) {
      counts = await inSlices(countStatus(source, target, rulesOf(sourceLanguage, language)), check)
      this.#keep(name, counts)
    }
    const stale = noted.length === 0 ? 0 : await inSlices(countStale(source, target, noted), check)
    return stale === 0 ? counts : { ...counts, stale }
  }

  #keep(name: string, counts: Counts): void {
    this.#counts.set(name, counts, { size: name.length + ENTRY_BYTES })
  }

  async #factsOf(
    { organization, project: { slug, interpolation }, later, left }: Asked,
    language: string,
    namespace: string,
    id: string | null,
  ): Promise<BundleFacts> {
    if (id === null) return BundleFacts.EMPTY
    const name = `${organization} ${id}${syntaxIn(interpolation)}`
    const known = this.#facts.get(name)
    if (known) return known
    const bundle: BundleName = { slug, language, namespace }
    const read = (state: Snapshot) => ({ bytes: bundleAt(state, bundle).bytes(), interpolation })
    const facts = new BundleFacts(await later.compute('facts', read, { most: LARGE, left }))
    this.#facts.set(name, facts, { size: facts.bytes + name.length })
    return facts
  }

  /** The stale keys of each of some bundles of one namespace. */
  async #staleIn({ project, later, left }: Asked, plans: BundlePlan[]): Promise<(readonly string[])[]> {
    const noted = plans.filter(({ notes }) => notes !== null)
    const languages = noted.map(({ language }) => language)
    const read = (state: Snapshot) => ({ bytes: state.read(stalePath(project.slug, plans[0]!.namespace))!, languages })
    const keys = noted.length === 0 ? [] : await later.compute('staleKeys', read, { most: LARGE, left })
    const byLanguage = new Map(languages.map((language, at) => [language, keys[at]!]))
    return plans.map(({ language }) => byLanguage.get(language) ?? NONE)
  }
}

const NONE: readonly string[] = []

/** Files of the same bytes count the same wherever they are. */
const nameOf = (organization: string, { language, source, target, notes }: BundlePlan, project: Project) =>
  `${organization} ${source} ${target} ${notes} ${rulesIn(project)} ${language}`

/** What the numbers of a project depend on beside its files. */
const rulesIn = ({ sourceLanguage, interpolation }: Project) => sourceLanguage + syntaxIn(interpolation)

const syntaxIn = (interpolation: Interpolation | undefined) => (interpolation ? JSON.stringify(interpolation) : '')

/** @param then an earlier row, whose JSON stands while its parts do */
function rowOf(plan: LanguagePlan, bundles: BundlePlan[], counted: Counted[], then?: Row): Row {
  const isSame =
    counted.length === then?.counted.length && counted.every((one, at) => one.text === then.counted[at]!.text)
  if (isSame) return { ...then, plan, bundles }
  const sum = noCounts()
  for (const { counts } of counted) addCounts(sum, counts)
  const head = JSON.stringify({ language: plan.language, ...sum }).slice(0, -1)
  const text = `${head},"namespaces":[${counted.map(({ text }) => text).join(',')}]}`
  return { plan, bundles, counted, text }
}
