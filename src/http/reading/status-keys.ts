/** The keys of a language with a wanted status, a page at a time. */
import type { Counts, KeyFilter } from '../../bundle/status.ts'
import { bundlePath } from '../../project/project.ts'
import { sidecarPath } from '../../project/sidecars/sidecars.ts'
import { stalePath } from '../../project/stale.ts'
import {
  type BundlePlan,
  bundlePlans,
  type StatusKeys,
  type StatusKeysTask,
  type StatusRow,
} from '../../project/status.ts'
import { textRulesIn } from '../../project/text-rules.ts'
import type { Snapshot } from '../../store/store.ts'
import { LARGE, marksOf, type StatusCache, type StatusRequest, suggestionsOf } from './status-cache.ts'

/** Bytes of messages on a page, beside its last key. */
const PAGE_BYTES = 8 * 2 ** 20

/** A key of a language. */
export interface StatusPosition {
  namespace: string
  key: string
}

/** The wanted keys, and the end of the previous page. */
export interface StatusKeysQuery {
  language: string
  namespace: string | undefined
  is: KeyFilter[]
  limit: number
  after: StatusPosition | undefined
}

/** Rows by namespace and key, and the position of the last one when there are more. */
interface StatusPage {
  keys: (StatusPosition & StatusRow)[]
  next: StatusPosition | null
}

/** Reads the bundles of one page, one after the other, large ones in the worker. */
export async function statusPage(
  request: StatusRequest,
  { language, namespace, is, limit, after }: StatusKeysQuery,
  cache: StatusCache,
): Promise<StatusPage> {
  const { organization, project, pinned, left } = request
  const rules = await pinned.look(state => textRulesIn(state, project))
  const keys: StatusPage['keys'] = []
  let room = PAGE_BYTES
  for (const plan of await pinned.look(state => bundlePlans(state, project, language, namespace))) {
    if (after && plan.namespace < after.namespace) continue
    left.throwIfAborted()
    const counts = cache.known({ organization, project, rules }, plan)
    if (is.every(wanted => isAbsent(wanted, plan, counts))) continue
    const behind = after?.namespace === plan.namespace ? after.key : null
    const most = room < 0 ? 0 : limit - keys.length
    const { sourceLanguage } = project
    const wants = { sourceLanguage, rules, language, is, behind, most, bytes: room }
    const found = await bundleStatus(request, plan, wants)
    for (const row of found.keys) keys.push({ namespace: plan.namespace, ...row })
    room -= found.bytes
    if (found.more) {
      const { namespace, key } = keys.at(-1)!
      return { keys, next: { namespace, key } }
    }
  }
  return { keys, next: null }
}

/** Whether no key of a bundle can be wanted. Counts leave out extra keys, which may be approved. */
function isAbsent(wanted: KeyFilter, { marks, suggestions }: BundlePlan, counts: Counts | undefined): boolean {
  if (wanted === 'dismissed' || wanted === 'approved' || wanted === 'machine') return marks === null
  if (wanted === 'suggested') return suggestions === null
  if (counts === undefined) return false
  if (wanted !== 'unapproved') return counts[wanted] === 0
  return counts.extra === 0 && counts.translated + counts.incomplete === counts.approved
}

/** The wanted keys of a bundle. */
export async function bundleStatus(
  { project, pinned, left }: Pick<StatusRequest, 'project' | 'pinned' | 'left'>,
  plan: BundlePlan,
  wants: Omit<StatusKeysTask, 'source' | 'target' | 'notes' | 'maxima' | 'marks' | 'suggestions'>,
): Promise<StatusKeys> {
  const { slug, sourceLanguage } = project
  const { language, namespace, maxima } = plan
  const read = (state: Snapshot): StatusKeysTask => {
    const file = (path: string) => state.read(path) ?? null
    return {
      source: file(bundlePath({ slug, language: sourceLanguage, namespace })),
      target: file(bundlePath({ slug, language, namespace })),
      notes: file(stalePath(slug, namespace)),
      maxima: maxima === null ? null : file(sidecarPath({ slug, sidecar: 'notes', namespace })),
      marks: marksOf(state, plan, project),
      suggestions: wants.is.includes('suggested') ? suggestionsOf(state, plan, project) : null,
      ...wants,
    }
  }
  return pinned.compute('statusKeys', read, { most: LARGE, left })
}
