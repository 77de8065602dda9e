/** Replaced translations of the keys that a search of the memory found, by their histories and within a time. */
import type { FastifyReply } from 'fastify'
import { sameMessage } from '../../bundle/diff.ts'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { MemoryMatch } from '../../memory/organization-memory.ts'
import { projectIn } from '../../project/layout.ts'
import { bundlePath } from '../../project/project.ts'
import { stalePath } from '../../project/stale.ts'
import type { State } from '../../project/state.ts'
import type { HistoryReader, Revision } from '../../store/git/history.ts'
import type { Snapshot } from '../../store/store.ts'
import { claimantOf } from '../bounds/body-memory.ts'
import { resolveFor } from '../requests/at.ts'
import { requireCaller } from '../requests/caller.ts'
import { clientGone } from '../requests/client-gone.ts'
import { pinnedStateOf } from './pinned-state.ts'
import { LARGE } from './status-cache.ts'

/** Matches with a history in the answer: each costs two git processes. */
export const MOST_HISTORIES = 5
/** Replaced translations of each match. */
export const MOST_REPLACED = 5
/** Milliseconds for all histories of an answer. */
const PATIENCE_MS = 3_000

/** A translation that was replaced or removed. */
export interface PastTranslation extends Pick<MemoryMatch, 'source' | 'message' | 'project' | 'namespace' | 'key'> {
  /** When it was replaced, in ISO 8601. */
  until: string
  /** The name of the commit's author. */
  replacedBy: string
}

/** The past of some matches. */
export interface PastOfMatches {
  /** The time of each translation, where it is known. */
  dates: Map<MemoryMatch, string>
  /** The newest one first. */
  past: PastTranslation[]
  /** False: a match has no history here, or only the newest part of it. */
  isWhole: boolean
}

/** The state that was searched, and the languages of the search. */
interface PastRequest {
  snapshot: Snapshot
  from: string
  to: string
}

/** @throws Failure as `HistoryReader.page` */
export async function pastOfMatches(
  reply: FastifyReply,
  matches: readonly MemoryMatch[],
  { snapshot, from, to }: PastRequest,
  history: HistoryReader,
): Promise<PastOfMatches> {
  const { request } = reply
  const { organization } = requireCaller(request, 'read')
  const { store } = request.server
  const answer: PastOfMatches = { dates: new Map(), past: [], isWhole: matches.length <= MOST_HISTORIES }
  if (snapshot.revision === null) return answer
  const start = snapshot.revision
  const late = AbortSignal.timeout(PATIENCE_MS)
  const signal = AbortSignal.any([clientGone(reply), late])
  const until = performance.now() + PATIENCE_MS
  const known = new Set(matches.map(pairOf))

  const revisionsOf = async ({ project, namespace, key }: MemoryMatch): Promise<Revision[]> => {
    const scope = { slug: project, language: to, namespace, key }
    const page = {
      scope,
      from: start,
      limit: MOST_REPLACED,
      patienceMs: until - performance.now(),
      signal,
      claimant: claimantOf(request),
    }
    const { revisions, next } = await history.page(page, use => store.readGit(organization, use))
    if (next !== null && revisions.length < MOST_REPLACED) answer.isWhole = false
    return revisions
  }

  /** The source text of the translation that a commit replaced, in the state before the commit. */
  const sourceBefore = async (revision: string, { project: slug, namespace, key }: MemoryMatch) => {
    const before = await resolveFor(request, `${revision}^`)
    if (before.revision === null) return null
    const pinned = pinnedStateOf(request, before)
    const sourceLanguage = await pinned.look(state => projectIn(state, slug)?.sourceLanguage)
    if (sourceLanguage === undefined) return null
    const taskIn = (state: State) => ({
      bundle: state.read(bundlePath({ slug, language: from, namespace })) ?? null,
      stale: state.read(stalePath(slug, namespace)) ?? null,
      ...{ key, sourceLanguage, from, to },
    })
    return pinned.compute('pastSource', taskIn, { most: LARGE, left: signal })
  }

  const add = async (match: MemoryMatch) => {
    const revisions = await revisionsOf(match)
    const newest = revisions[0]
    if (newest && sameMessage(newest.message!.after, match.message)) answer.dates.set(match, dateOf(newest))
    for (const revision of revisions) {
      signal.throwIfAborted()
      const { before } = revision.message!
      if (before === null || !hasText(before)) continue
      const source = await sourceBefore(revision.revision, match)
      if (source === null || !hasText(source)) continue
      const pair = pairOf({ source, message: before })
      if (known.has(pair)) continue
      known.add(pair)
      const { project, namespace, key } = match
      const replaced = { until: dateOf(revision), replacedBy: revision.author.name }
      answer.past.push({ source, message: before, project, namespace, key, ...replaced })
    }
  }

  try {
    for (const match of matches.slice(0, MOST_HISTORIES)) await add(match)
  } catch (error) {
    if (error !== late.reason) throw error
    answer.isWhole = false
  }
  answer.past.sort((a, b) => (a.until < b.until ? 1 : a.until > b.until ? -1 : 0))
  return answer
}

const pairOf = ({ source, message }: Pick<MemoryMatch, 'source' | 'message'>) => JSON.stringify([source, message])

const hasText = (message: Message) => linesOf(partsOf(message)).some(([, text]) => text !== '')

const dateOf = ({ time }: Revision) => new Date(time * 1000).toISOString()
