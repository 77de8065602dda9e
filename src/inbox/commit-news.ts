/** The news in one commit, the same for all members. An inbox selects from them by its member. */
import type { EntryAuthor } from '../bundle/entry-author.ts'
import { isLanguage } from '../bundle/names.ts'
import { readSubject } from '../bundle/read-subject.ts'
import { type ChangedFile, changedFiles, entriesThatDiffer, namesThatDiffer } from '../project/changed-files.ts'
import { namespaceOf } from '../project/project.ts'
import type { PathEntry, State } from '../project/state.ts'
import { MAX_ROWS, NEWS_SIDECARS, type NewsEntry, type NewsSidecar, type SidecarNews } from './sidecar-news.ts'

/** The file of a sidecar with news. */
export interface NewsFile extends ChangedFile {
  sidecar: NewsSidecar
  project: string
  namespace: string
  /** Of suggestions. */
  language?: string
}

/** Who did it. `id` is null where git has only a name, as for a machine. */
export interface NewsAuthor {
  id: string | null
  name: string
}

/** Something that happened to entries of one file. A batch of the same kind by the same author is one row. */
export interface NewsRow {
  kind: 'comment' | 'suggestion' | 'accepted' | 'rejected' | 'stale'
  file: Omit<NewsFile, 'before' | 'after'>
  language?: string
  /** At most {@link MAX_KEYS}. */
  entries: NewsEntry[]
  by: NewsAuthor
  /** The author of the suggestion that was accepted or rejected. */
  of?: string
  /** Why it was rejected. */
  reason?: string
}

/** A commit with news. */
export interface CommitNews {
  /** Its author's address: it identifies the member who did it, and is never part of an answer. */
  email: string
  rows: NewsRow[]
}

/** Projects of one commit, and files, that are compared. Further ones have no news. */
const MAX_PROJECTS = 100
const MAX_FILES = 200
/** Keys that one row holds. */
const MAX_KEYS = 200

/** Kinds of commits that move entries. */
const MOVES = new Set<string>(['rename', 'rename-namespace', 'rename-language'])
/** Kinds of commits that bring entries back. */
const RETURNS = new Set<string>(['restore', 'undo', 'redo', 'undo-commits'])

/**
 * The changed files with news of a commit.
 * @param folder the state with the folder of this id as its root; undefined is an empty one
 */
export function newsFiles(
  before: State,
  after: State,
  folder: (id: string | undefined) => Pick<State, 'list'>,
): NewsFile[] {
  const files: NewsFile[] = []
  const projects = entriesThatDiffer(before, after, '').filter(({ before, after }) => treeOf(before) !== treeOf(after))
  for (const { name: project, before, after } of projects.slice(0, MAX_PROJECTS)) {
    // A root of thousands of projects is read once, not for each path.
    const [a, b] = [folder(treeOf(before)), folder(treeOf(after))]
    const changed = namesThatDiffer(a, b, '')
    for (const sidecar of NEWS_SIDECARS.filter(name => changed.includes(name))) {
      for (const file of changedFiles(a, b, sidecar)) {
        const path = `${project}/${file.path}`
        const place = placeOf(path)
        if (place) files.push({ ...file, path, ...place })
        if (files.length === MAX_FILES) return files
      }
    }
  }
  return files
}

const treeOf = (entry: PathEntry | undefined): string | undefined => (entry?.kind === 'tree' ? entry.id : undefined)

function placeOf(path: string): Pick<NewsFile, 'sidecar' | 'project' | 'namespace' | 'language'> | undefined {
  const [project = '', folder, ...names] = path.split('/')
  const sidecar = NEWS_SIDECARS.find(name => name === folder)
  const namespace = namespaceOf(names.at(-1) ?? '')
  if (sidecar === undefined || namespace === undefined) return undefined
  if (sidecar !== 'suggestions') return names.length === 1 ? { sidecar, project, namespace } : undefined
  const [language = ''] = names
  return names.length === 2 && isLanguage(language) ? { sidecar, project, namespace, language } : undefined
}

/** A commit and what each of its files adds and removes. */
export interface ComparedCommit {
  subject: string
  author: { name: string; email: string }
  /** Of a rejection. */
  reason?: string | undefined
  files: readonly (readonly [NewsFile, SidecarNews])[]
}

/** The news of a commit. */
export function commitNews({ subject, author, reason, files }: ComparedCommit): CommitNews {
  const { name, email } = author
  const by = { id: null, name }
  const rows = files.flatMap(([file, { added, removed }]): NewsRow[] => {
    const kind: string = readSubject(subject, file.project)?.kind ?? ''
    if (MOVES.has(kind)) return []
    if (file.sidecar === 'stale') return grouped(file, 'stale', added, () => by)
    const fresh = RETURNS.has(kind) ? [] : added
    if (file.sidecar === 'comments') {
      return fresh.map(entry => row(file, 'comment', [entry], authorOf(entry), entry.language))
    }
    const end = endOf(kind)
    const ended = end ? grouped(file, end, removed, () => by) : []
    if (end === 'rejected' && reason !== undefined) for (const row of ended) row.reason = reason
    return [...ended, ...grouped(file, 'suggestion', fresh, authorOf)]
  })
  return { email, rows: rows.slice(0, MAX_ROWS) }
}

/** What became of suggestions that a commit removed. Suggestions that go with their key have no end to report. */
const endOf = (kind: string): 'accepted' | 'rejected' | undefined => {
  if (kind.startsWith('accept')) return 'accepted'
  return kind.startsWith('reject') ? 'rejected' : undefined
}

/** One row for each language and author of the entries. */
function grouped(
  file: NewsFile,
  kind: Exclude<NewsRow['kind'], 'comment'>,
  entries: readonly NewsEntry[],
  by: (entry: NewsEntry) => NewsAuthor,
): NewsRow[] {
  const rows = new Map<string, NewsRow>()
  for (const entry of entries) {
    const language = kind === 'stale' ? entry.id : file.language
    const author = authorOf(entry)
    const name = JSON.stringify([language, author])
    const known = rows.get(name)
    if (known === undefined) {
      const of = kind === 'accepted' || kind === 'rejected' ? { of: author.id ?? '' } : {}
      rows.set(name, { ...row(file, kind, [entry], by(entry), language), ...of })
    } else if (known.entries.length < MAX_KEYS) known.entries.push(entry)
  }
  return [...rows.values()]
}

function row(
  { before: _, after: __, ...file }: NewsFile,
  kind: NewsRow['kind'],
  entries: NewsEntry[],
  by: NewsAuthor,
  language: string | undefined,
): NewsRow {
  return { kind, file, ...(language !== undefined && { language }), entries, by }
}

const authorOf = ({ by }: { by?: EntryAuthor | string }): NewsAuthor =>
  typeof by === 'object' ? by : { id: null, name: by ?? '' }
