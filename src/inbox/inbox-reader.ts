/** Reads inboxes from the main line of an organization, the newest commit first, within limits for each page. */
import { type ByteCache, byteCache } from '../scheduling/byte-cache.ts'
import { slices } from '../scheduling/slices.ts'
import { readCommitText } from '../store/objects/commit.ts'
import { followFirstParents, type LookAtPast } from '../store/revisions/past.ts'
import { NO_HEAD, readHead, type Snapshot, StateSnapshot } from '../store/snapshot.ts'
import {
  type CommitNews,
  type ComparedCommit,
  commitNews,
  type NewsFile,
  type NewsRow,
  newsFiles,
} from './commit-news.ts'
import { type InboxItem, type InboxMember, type ItemKind, itemKind } from './inbox-items.ts'
import { type InboxPosition, positionText } from './inbox-position.ts'
import { entryName, type NewsEntry, type NewsSidecar, type presentEntries, type sidecarNews } from './sidecar-news.ts'

/** What the worker computes for inboxes. */
interface InboxTasks {
  sidecarNews: typeof sidecarNews
  presentEntries: typeof presentEntries
}

/** The newest state of an organization. Large files are computed in the worker. */
export interface InboxState {
  /** The newest commit, null before the first. */
  revision: string | null
  past: LookAtPast
  compute<N extends keyof InboxTasks>(
    name: N,
    taskIn: (snapshot: Snapshot) => Parameters<InboxTasks[N]>[0],
    options: { left: AbortSignal },
  ): Promise<ReturnType<InboxTasks[N]>>
}

/** A page that is asked for. */
export interface InboxRequest {
  organization: string
  member: InboxMember
  /** The first place to look at; by default the newest. Its commit exists. */
  from?: InboxPosition | undefined
  /** Everything from any of these places on is read. */
  to?: readonly InboxPosition[] | undefined
  /** Seconds since 1970: older commits are read. */
  since: number
  /** Only what became of the member's own suggestions. */
  onlyEnded?: boolean
  /** The maximum of items. */
  limit: number
  left: AbortSignal
}

/** Items, the newest first, and the place after the last one; null at the end. */
export interface InboxPage {
  items: InboxItem[]
  next: InboxPosition | null
}

/** Commits that one page looks at. */
const MAX_COMMITS = 500
/** Commits of one turn. */
const BATCH = 50
/** The trailer of a commit that rejects suggestions. */
const REASON = /^Parlance-Reason: (.+)$/m
/** Bytes of an entry of the cache beside its rows. */
const ENTRY_BYTES = 250

interface WalkedCommit {
  revision: string
  parent: string | undefined
  time: number
  /** Known rows, or the files to compare. */
  news: CommitNews | ({ files: NewsFile[] } & Pick<ComparedCommit, 'subject' | 'author' | 'reason'>)
}

interface Candidate {
  place: InboxPosition
  kind: ItemKind
  row: NewsRow
  time: number
}

export class InboxReader {
  /** By organization and commit. */
  readonly #known: ByteCache<CommitNews>

  /** @param cacheBytes for the news of commits */
  constructor(cacheBytes: number) {
    this.#known = byteCache(cacheBytes)
  }

  /** One page. It may have fewer items than `limit`, even none, and still a `next`. */
  async page(request: InboxRequest, state: InboxState): Promise<InboxPage> {
    const { from, limit, left } = request
    const items: InboxItem[] = []
    const pause = slices()
    let next: InboxPosition | null = from ?? (state.revision === null ? null : { revision: state.revision, n: 0 })
    for (let looked = 0; next !== null && looked < MAX_COMMITS && items.length < limit; ) {
      left.throwIfAborted()
      const start: InboxPosition = next
      const commits = await this.#walk(request, start.revision, state)
      looked += commits.length
      const candidates: Candidate[] = []
      for (const commit of commits) {
        const { email, rows } = await this.#newsOf(request, commit, state)
        const first = commit.revision === start.revision ? start.n : 0
        const last = Math.min(rows.length, ...endsIn(request, commit.revision))
        for (const [n, row] of rows.entries()) {
          const kind = n < first || n >= last ? undefined : itemKind(row, { email }, request.member)
          if (kind && (!request.onlyEnded || isEnded(kind)))
            candidates.push({ place: { revision: commit.revision, n }, kind, row, time: commit.time })
        }
        await pause()
      }
      const found = await present(candidates, state, left)
      items.push(...found.slice(0, limit - items.length).map(({ item }) => item))
      const cut = items.length === limit ? after(found, items.at(-1)!.id) : undefined
      next = cut ?? this.#following(request, commits)
    }
    return { items, next }
  }

  /** The place after the last commit of a walk; null at the end. */
  #following(request: InboxRequest, commits: readonly WalkedCommit[]): InboxPosition | null {
    const last = commits.at(-1)
    if (commits.length < BATCH || last?.parent === undefined) return null
    return endsIn(request, last.revision).length > 0 || last.time < request.since
      ? null
      : { revision: last.parent, n: 0 }
  }

  /** Commits from one on that are not read yet. */
  async #walk(request: InboxRequest, from: string, state: InboxState): Promise<WalkedCommit[]> {
    const { organization, since } = request
    const commits: WalkedCommit[] = []
    await followFirstParents(from, state.past, ({ objects }, revision, { time, parent }) => {
      if (time < since) return true
      const known = this.#known.get(`${organization} ${revision}`)
      if (known) commits.push({ revision, parent, time, news: known })
      else {
        const at = (commit: string | null) => new StateSnapshot(objects, readHead(objects, commit))
        const { author, subject, body } = readCommitText(objects.commit(revision))
        const folder = (root = NO_HEAD.root) => new StateSnapshot(objects, { ...NO_HEAD, root })
        const files = newsFiles(at(parent ?? null), at(revision), folder)
        commits.push({ revision, parent, time, news: { files, subject, author, reason: REASON.exec(body)?.[1] } })
      }
      return commits.length === BATCH || endsIn(request, revision).length > 0 || undefined
    })
    return commits
  }

  async #newsOf(
    { organization, left }: InboxRequest,
    { revision, parent, news }: WalkedCommit,
    state: InboxState,
  ): Promise<CommitNews> {
    if ('rows' in news) return news
    const files = []
    for (const file of news.files) {
      const { sidecar, path, before, after } = file
      const taskIn = (snapshot: Snapshot) => ({
        sidecar,
        before: before === null ? null : (snapshot.at(parent!).read(path) ?? null),
        after: after === null ? null : (snapshot.at(revision).read(path) ?? null),
      })
      files.push([file, await state.compute('sidecarNews', taskIn, { left })] as const)
    }
    const found = commitNews({ ...news, files })
    const size = ENTRY_BYTES + (found.rows.length === 0 ? 0 : 2 * JSON.stringify(found).length)
    this.#known.set(`${organization} ${revision}`, found, { size })
    return found
  }
}

/** The numbers of the rows in a commit where an inbox ends. */
const endsIn = ({ to = [] }: InboxRequest, revision: string): number[] =>
  to.flatMap(place => (place.revision === revision ? [place.n] : []))

interface PresentItem {
  place: InboxPosition
  item: InboxItem
}

/** The items of candidates with entries that the newest state still has. Ended suggestions need none. */
async function present(candidates: readonly Candidate[], state: InboxState, left: AbortSignal): Promise<PresentItem[]> {
  const wanted = new Map<string, { sidecar: NewsSidecar; entries: NewsEntry[] }>()
  for (const { kind, row } of candidates) {
    if (isEnded(kind)) continue
    const { path, sidecar } = row.file
    const known = wanted.get(path)
    if (known) known.entries.push(...row.entries)
    else wanted.set(path, { sidecar, entries: [...row.entries] })
  }
  const found = new Map<string, Record<string, NewsEntry>>()
  for (const [path, { sidecar, entries }] of wanted) {
    const names = entries.map(({ key, id }) => ({ key, id }))
    const taskIn = (snapshot: Snapshot) => ({ sidecar, file: snapshot.read(path) ?? null, wanted: names })
    found.set(path, await state.compute('presentEntries', taskIn, { left }))
  }
  return candidates.flatMap(candidate => {
    const { place, kind, row } = candidate
    const there = found.get(row.file.path) ?? {}
    const entries = isEnded(kind)
      ? row.entries
      : row.entries.flatMap(entry => there[entryName(row.file.sidecar, entry)] ?? [])
    return entries.length === 0 ? [] : [{ place, item: itemOf(candidate, entries) }]
  })
}

const isEnded = (kind: ItemKind) => kind === 'accepted' || kind === 'rejected'

function itemOf({ place, kind, row, time }: Candidate, entries: readonly NewsEntry[]): InboxItem {
  const { file, language, by, reason } = row
  const { key, text = reason } = entries[0]!
  return {
    id: positionText(place),
    kind,
    ...{ project: file.project, namespace: file.namespace, key },
    ...(entries.length > 1 && { keys: entries.length }),
    ...(language !== undefined && { language }),
    by,
    date: new Date(time * 1000).toISOString(),
    ...(text !== undefined && { text }),
  }
}

/** The place after the item with this id, if another one follows in the same walk. */
function after(found: readonly PresentItem[], id: string): InboxPosition | undefined {
  const at = found.findIndex(({ item }) => item.id === id)
  return at < 0 || at === found.length - 1 ? undefined : found[at + 1]!.place
}
