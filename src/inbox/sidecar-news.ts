/** What a new version of a sidecar file adds and removes. Pure functions of bytes: the worker computes large files. */
import { MAX_COMMENTS } from '../bundle/comment-limits.ts'
import type { EntryAuthor } from '../bundle/entry-author.ts'
import { commentsIn } from '../project/sidecars/comments-file.ts'
import { suggestionsIn } from '../project/sidecars/suggestions-file.ts'
import { parseStale } from '../project/stale.ts'

/** The sidecars with news for members. */
export const NEWS_SIDECARS = ['comments', 'stale', 'suggestions'] as const
/** One of {@link NEWS_SIDECARS}. */
export type NewsSidecar = (typeof NEWS_SIDECARS)[number]

/** An entry of a sidecar under a key: a comment, a suggestion, or a stale translation, named by its language. */
export interface NewsEntry {
  key: string
  id: string
  by?: EntryAuthor | string
  /** The language of a comment. */
  language?: string
  text?: string
  /** The text of a comment before it was edited. */
  was?: string
  /** Of an added comment: the ids of the authors of the earlier comments on the key. */
  thread?: string[]
}

/** Two versions of a file. */
interface SidecarNewsTask {
  sidecar: NewsSidecar
  before: Uint8Array | null
  after: Uint8Array | null
}

/** The entries that differ between two versions. */
export interface SidecarNews {
  added: NewsEntry[]
  removed: NewsEntry[]
}

/** Entries that one change reports at most: one push can change ten thousand source texts. */
const MAX_ENTRIES = 10_000
/** Rows of one commit. Each added comment is a row, and an external edit can add any number of them. */
export const MAX_ROWS = 200

/** Compares two versions of a file. */
export function sidecarNews({ sidecar, before, after }: SidecarNewsTask): SidecarNews {
  const [old, now] = [entriesOf(sidecar, before), entriesOf(sidecar, after)]
  const most = sidecar === 'comments' ? MAX_ROWS : MAX_ENTRIES
  const added: NewsEntry[] = []
  for (const [name, entry] of now) {
    const known = old.get(name)
    if (added.length === most) break
    if (known === undefined) added.push(entry)
    else if (sidecar === 'comments' && known.text !== entry.text) added.push({ ...entry, was: known.text! })
  }
  if (sidecar === 'comments') addThreads(added, now.values())
  const removed = [...old].flatMap(([name, entry]) => (now.has(name) ? [] : [entry]))
  return { added, removed: removed.slice(0, MAX_ENTRIES) }
}

/** @param all the comments of the file in its order: by key, then by time */
function addThreads(added: readonly NewsEntry[], all: Iterable<NewsEntry>): void {
  const byId = new Map(added.map(entry => [entry.id, entry]))
  let thread: { key: string; authors: Set<string> } | undefined
  for (const { key, id, by } of all) {
    if (thread?.key !== key) thread = { key, authors: new Set() }
    const entry = byId.get(id)
    if (entry) entry.thread = [...thread.authors]
    if (typeof by === 'object' && thread.authors.size < MAX_COMMENTS) thread.authors.add(by.id)
  }
}

/** Looks for entries of a file. */
interface PresentEntriesTask {
  sidecar: NewsSidecar
  file: Uint8Array | null
  wanted: Pick<NewsEntry, 'key' | 'id'>[]
}

/** The wanted entries that the file has, with their present keys and texts, by {@link entryName}. */
export function presentEntries({ sidecar, file, wanted }: PresentEntriesTask): Record<string, NewsEntry> {
  const entries = entriesOf(sidecar, file)
  const found = wanted.flatMap(entry => {
    const name = entryName(sidecar, entry)
    const present = entries.get(name)
    return present === undefined ? [] : [[name, present] as const]
  })
  return Object.fromEntries(found)
}

/** Identifies an entry in its file. Comments and suggestions have ids; a stale translation is a key and a language. */
export const entryName = (sidecar: NewsSidecar, { key, id }: Pick<NewsEntry, 'key' | 'id'>): string =>
  sidecar === 'stale' ? `${id} ${key}` : `#${id}`

/** All entries of a file by name, in the order of the file. A damaged file has none. */
function entriesOf(sidecar: NewsSidecar, bytes: Uint8Array | null): Map<string, NewsEntry> {
  const list = READERS[sidecar](bytes)
  return new Map(list.map(entry => [entryName(sidecar, entry), entry]))
}

const READERS: Record<NewsSidecar, (bytes: Uint8Array | null) => NewsEntry[]> = {
  comments: bytes =>
    [...commentsIn(bytes)].flatMap(([key, comments]) =>
      comments.map(({ id, by, language, text }) => {
        return { key, id, by, ...(language !== undefined && { language }), text }
      }),
    ),
  stale: bytes =>
    [...parseStale(bytes)].flatMap(([key, entries]) =>
      entries.flatMap(({ languages }) => languages.map(language => ({ key, id: language }))),
    ),
  suggestions: bytes => [...suggestionsIn(bytes)].flatMap(([key, list]) => list.map(({ id, by }) => ({ key, id, by }))),
}
