/** The counts of a status, cached by blob ids: after a write only the namespaces that changed are parsed. */
import { createHash } from 'node:crypto'
import { type MarkedTexts, markedTextsIn } from '../../bundle/checks/marked-texts.ts'
import { type DismissedDigests, dismissedIn } from '../../bundle/checks/split-dismissed.ts'
import { addCounts, countStatus, type FactsByKey, noCounts } from '../../bundle/count-status.ts'
import { entriesIn } from '../../bundle/key-entries.ts'
import type { Counts, TextRules } from '../../bundle/status.ts'
import { workIn } from '../../bundle/work.ts'
import { languagesOf } from '../../project/layout.ts'
import { bundlePath, type Project } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { suggestedIn } from '../../project/sidecars/suggestions-file.ts'
import { stalePath } from '../../project/stale.ts'
import {
  type BundlePlan,
  bundlePlans,
  factsIn,
  MOST_BUNDLES,
  type StatusPart,
  sourceFiles,
  tooManyBundles,
} from '../../project/status.ts'
import { nameOfRules, rulesOfBoth, textRulesIn } from '../../project/text-rules.ts'
import { type ByteCache, byteCache } from '../../scheduling/byte-cache.ts'
import type { Snapshot } from '../../store/store.ts'
import type { PinnedState } from './pinned-state.ts'

/** Maximum work of files on the main thread: others wait 5 ms at most. Above, the worker reads them. */
export const LARGE: number = 2 ** 18

/** Bytes of an entry beside its name: the counts and the map's own room. */
const ENTRY_BYTES = 300

/** What a status is computed from. */
export interface StatusRequest {
  organization: string
  project: Project
  /** The state of the status. */
  pinned: PinnedState
  /** Aborted when the client leaves. */
  left: AbortSignal
}

/** What a status reads of a file of marks and one of suggestions. */
interface SidecarFacts {
  dismissed: DismissedDigests
  marked: MarkedTexts
  suggested: ReadonlySet<string>
}

/** Work of such a file that is parsed at once: its names repeat, so that this costs 1 to 5 ms. */
const LARGE_SIDECAR = 4 * LARGE

/** What the counts of a bundle depend on beside its files. */
interface CountedRules {
  organization: string
  project: Project
  rules: TextRules
}

export class StatusCache {
  readonly #counts: ByteCache<Counts>

  constructor(limitBytes: number) {
    this.#counts = byteCache(limitBytes)
  }

  get bytes(): number {
    return this.#counts.calculatedSize
  }

  /**
   * The rows of the languages, in code-unit order.
   * @throws Failure `unfit` for too many bundles, as `BundleWorker.run`, and the reason of `left`
   */
  async of(request: StatusRequest, part: StatusPart): Promise<object[]> {
    const { project, pinned } = request
    const all = part.language === undefined ? await pinned.look(state => languagesOf(state, project)) : [part.language]
    const languages: { language: string; bundles: BundlePlan[] }[] = []
    let count = 0
    const files = await pinned.look(state => sourceFiles(state, project))
    for (const language of all) {
      const bundles = await pinned.look(state => bundlePlans(state, project, language, part.namespace, files))
      count += bundles.length
      if (count > MOST_BUNDLES) throw tooManyBundles(project.slug)
      languages.push({ language, bundles })
      await pinned.pause()
    }
    const counts = await this.#countAll(
      request,
      languages.flatMap(({ bundles }) => bundles),
    )
    const rows: object[] = []
    for (const { language, bundles } of languages) {
      const sum = noCounts()
      for (const bundle of bundles) addCounts(sum, counts.get(bundle)!)
      const namespaces = bundles.map(bundle => ({ namespace: bundle.namespace, ...counts.get(bundle)! }))
      rows.push({ language, ...sum, namespaces })
      await pinned.pause()
    }
    return rows
  }

  /** The counts of a bundle, if they are cached. */
  known(of: CountedRules, plan: BundlePlan): Counts | undefined {
    return this.#counts.get(nameOf(of, plan, ownNotes(plan)))
  }

  async #countAll(request: StatusRequest, plans: BundlePlan[]): Promise<Map<BundlePlan, Counts>> {
    const { organization, project, pinned } = request
    const rules = await pinned.look(state => textRulesIn(state, project))
    const of = { organization, project, rules }
    const counts = new Map<BundlePlan, Counts>()
    const missing = new Map<string, BundlePlan[]>()
    for (const plan of plans) {
      const known = this.known(of, plan)
      if (known) counts.set(plan, known)
      else missing.set(plan.namespace, [...(missing.get(plan.namespace) ?? []), plan])
      await pinned.pause()
    }
    for (const same of missing.values()) await this.#countNamespace(request, of, same, counts)
    return counts
  }

  /** Counts the translations of one namespace. Small files share the parsed source. */
  async #countNamespace(
    request: StatusRequest,
    of: CountedRules,
    plans: BundlePlan[],
    all: Map<BundlePlan, Counts>,
  ): Promise<void> {
    const { pinned, left } = request
    const { project, rules } = of
    const { sourceLanguage, interpolation } = project
    const stale = await notedKeys(request, plans)
    const maxima = await maximaOf(request, plans)
    let parsed: FactsByKey | undefined
    for (const plan of plans) {
      left.throwIfAborted()
      const { language } = plan
      const noted = stale.get(language) ?? []
      const most = plan.maxima === null ? [] : maxima
      // Of the files of entries only the keys of this language, and the maxima, matter.
      const name = nameOf(
        of,
        plan,
        `keys ${hashOf(noted)} ${hashOf(most)} ${plan.marks ?? ''} ${plan.suggestions ?? ''}`,
      )
      const taskIn = (state: Snapshot) => {
        const [source, target] = filesOf(state, plan, project)
        const [marks, suggestions] = [marksOf(state, plan, project), suggestionsOf(state, plan, project)]
        return { source, target, noted, maxima: most, marks, suggestions, sourceLanguage, language, rules }
      }
      let counts = this.#counts.get(name)
      if (counts === undefined) {
        const beside = await sidecarFacts(request, plan)
        const count = (state: Snapshot): Counts | undefined => {
          const [source, target] = filesOf(state, plan, project)
          if (beside === undefined || workIn({ source, target, rules }) > LARGE) return undefined
          parsed ??= factsIn(source, interpolation)
          const own = language === sourceLanguage ? parsed : factsIn(target, interpolation)
          const both = rulesOfBoth(sourceLanguage, language, rules)
          const { dismissed, marked, suggested } = beside
          return countStatus(parsed, own, noted, both, new Map(most), dismissed, marked, suggested)
        }
        counts = (await pinned.look(count)) ?? (await pinned.compute('countBundle', taskIn, { most: 0, left }))
      }
      all.set(plan, counts)
      this.#set(name, counts)
      this.#set(nameOf(of, plan, ownNotes(plan)), counts)
      await pinned.pause()
    }
  }

  #set(name: string, counts: Counts): void {
    this.#counts.set(name, counts, { size: name.length + ENTRY_BYTES })
  }
}

function filesOf(
  state: Snapshot,
  { language, namespace, source, target }: BundlePlan,
  { slug, sourceLanguage }: Project,
) {
  const read = (language: string, id: string | null) =>
    id === null ? null : state.read(bundlePath({ slug, language, namespace }))!
  return [read(sourceLanguage, source), read(language, target)] as const
}

export const marksOf = (state: Snapshot, { language, namespace, marks }: BundlePlan, { slug }: Project) =>
  marks === null ? null : state.read(sidecarPath({ slug, sidecar: 'marks', language, namespace }))!

export const suggestionsOf = (state: Snapshot, { language, namespace, suggestions }: BundlePlan, { slug }: Project) =>
  suggestions === null ? null : state.read(sidecarPath({ slug, sidecar: 'suggestions', language, namespace }))!

/** Each file in a turn of its own. @returns undefined for one of too much work */
async function sidecarFacts({ pinned, project }: StatusRequest, plan: BundlePlan): Promise<SidecarFacts | undefined> {
  const parse = async <T>(read: typeof marksOf, parsed: (file: Uint8Array | null) => T): Promise<T | undefined> => {
    await pinned.pause()
    return pinned.look(state => {
      const file = read(state, plan, project)
      return workIn(file) > LARGE_SIDECAR ? undefined : parsed(file)
    })
  }
  const entries = await parse(marksOf, entriesIn)
  const suggested = await parse(suggestionsOf, suggestedIn)
  if (entries === undefined || suggested === undefined) return undefined
  return { dismissed: dismissedIn(entries), marked: markedTextsIn(entries), suggested }
}

/** The keys of each language with a note that their source changed. @param plans of one namespace */
async function notedKeys(request: StatusRequest, plans: BundlePlan[]): Promise<Map<string, string[]>> {
  const { project, pinned, left } = request
  const noted = plans.filter(({ notes }) => notes !== null)
  if (noted.length === 0) return new Map()
  const languages = noted.map(({ language }) => language)
  const read = (state: Snapshot) => ({ bytes: state.read(stalePath(project.slug, noted[0]!.namespace))!, languages })
  const keys = await pinned.compute('staleKeys', read, { most: LARGE, left })
  return new Map(languages.map((language, at) => [language, keys[at]!]))
}

/** The maxima of lengths in a namespace, as pairs. @param plans of one namespace */
async function maximaOf({ project: { slug }, pinned, left }: StatusRequest, plans: BundlePlan[]) {
  const plan = plans.find(({ maxima }) => maxima !== null)
  if (plan === undefined) return []
  const path = sidecarPath({ slug, sidecar: 'notes', namespace: plan.namespace })
  return pinned.compute('maxima', state => ({ bytes: state.read(path)! }), { most: LARGE, left })
}

const hashOf = (entries: readonly unknown[]) =>
  entries.length === 0 ? '' : createHash('sha1').update(JSON.stringify(entries)).digest('hex')

/** The ids of the files of entries. */
const ownNotes = ({ notes, maxima, marks, suggestions }: BundlePlan) =>
  `${notes} ${maxima} ${marks ?? ''} ${suggestions ?? ''}`

/** Equal files have equal counts in all projects of an organization. @param notes what the entries say */
function nameOf({ organization, project, rules }: CountedRules, plan: BundlePlan, notes: string): string {
  const { language, source, target } = plan
  return `${organization} ${source} ${target} ${notes} ${project.sourceLanguage}${nameOfRules(rules)} ${language}`
}
