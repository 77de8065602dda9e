/** The keys of a language that there is something to tell of, a page at a time. */
import type { KeyMark } from '../../bundle/status.ts'
import { bundlePath } from '../../project/project.ts'
import { stalePath } from '../../project/stale.ts'
import {
  type BundlePlan,
  BundlePlans,
  type StatusKeys,
  type StatusKeysTask,
  type StatusRow,
} from '../../project/status.ts'
import { slices } from '../../slices.ts'
import type { Snapshot } from '../../store/store.ts'
import { type Asked, LARGE, type StatusCache } from './status-cache.ts'

/** Bytes of messages on a page, beside its last key. */
const PAGE_BYTES = 8 * 2 ** 20

/** A key of a language. */
export interface Position {
  namespace: string
  key: string
}

/** Which keys are wanted, and where the page before ended. */
export interface Wanted {
  language: string
  namespace: string | undefined
  is: KeyMark[]
  limit: number
  after: Position | undefined
}

/** A page's rows by namespace and key, and the last one's place when there are more. */
interface StatusPage {
  keys: (Position & StatusRow)[]
  next: Position | null
}

/** Reads the bundles that the page needs, one after the other, large ones in the worker. */
export async function statusPage(
  asked: Asked,
  { language, namespace, is, limit, after }: Wanted,
  cache: StatusCache,
): Promise<StatusPage> {
  const { organization, project, later, left } = asked
  const pause = slices()
  const keys: StatusPage['keys'] = []
  let room = PAGE_BYTES
  for (const plan of await later.look(state => new BundlePlans(state, project).of(state, language, namespace))) {
    if (after && plan.namespace < after.namespace) continue
    left.throwIfAborted()
    const counts = cache.known(organization, plan, project)
    if (counts && is.every(told => counts[told] === 0)) continue
    const behind = after?.namespace === plan.namespace ? after.key : null
    const most = room < 0 ? 0 : limit - keys.length
    const { sourceLanguage, interpolation } = project
    const wants = { sourceLanguage, interpolation, language, is, behind, most, bytes: room }
    const found = await list(asked, plan, wants)
    for (const row of found.keys) keys.push({ namespace: plan.namespace, ...row })
    room -= found.bytes
    if (found.more) {
      const { namespace, key } = keys.at(-1)!
      return { keys, next: { namespace, key } }
    }
    await pause()
  }
  return { keys, next: null }
}

async function list(
  { project: { slug, sourceLanguage }, later, left }: Asked,
  { language, namespace }: BundlePlan,
  wants: Omit<StatusKeysTask, 'source' | 'target' | 'notes'>,
): Promise<StatusKeys> {
  const read = (state: Snapshot): StatusKeysTask => {
    const file = (path: string) => state.read(path) ?? null
    return {
      source: file(bundlePath({ slug, language: sourceLanguage, namespace })),
      target: file(bundlePath({ slug, language, namespace })),
      notes: file(stalePath(slug, namespace)),
      ...wants,
    }
  }
  return later.compute('statusKeys', read, { most: LARGE, left })
}
