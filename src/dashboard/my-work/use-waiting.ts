/** What waits for the reader: missing and stale texts, and suggestions to review, by project and language. */
import { useQueries } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getStatus, type Project, type Status } from '../api/client.ts'
import { mayIn } from '../api/language-permit.ts'
import { listSuggestions, type SuggestionRow } from '../api/late-client.ts'
import { useMember } from '../api/session.ts'

/** Suggestions that one answer has; more are counted as that number. */
const PAGE = 100

/** The work in a language of a project. */
export interface WaitingWork {
  project: Project
  language: string
  missing: number
  stale: number
  /** Suggestions to review; 0 without the right. */
  suggested: number
}

const suggestionsIn = (slug: string) => ({
  queryKey: ['project', slug, 'suggestions', 'first'],
  queryFn: ({ signal }: { signal: AbortSignal }) => answer(listSuggestions({ slug, limit: PAGE }, { signal })),
})

/** The list, and whether a part of it is still being read. */
export function useWaiting(projects: readonly Project[]): { work: WaitingWork[]; isPending: boolean; error: unknown } {
  const { who } = useMember()
  const statuses = useQueries({
    queries: projects.map(({ slug }) => ({
      queryKey: ['project', slug, 'status'],
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Status> => answer(getStatus({ slug }, { signal })),
    })),
  })
  const suggestions = useQueries({ queries: projects.map(({ slug }) => suggestionsIn(slug)) })
  const work = projects.flatMap((project, at) => {
    const rows = suggestions[at]?.data?.suggestions ?? []
    return (statuses[at]?.data?.languages ?? [])
      .filter(({ language }) => language !== project.sourceLanguage && mayIn(who, 'suggest', project.slug, language))
      .map(({ language, missing, empty, incomplete, stale }): WaitingWork => {
        const isReviewer = mayIn(who, 'review', project.slug, language)
        const suggested = isReviewer ? countIn(rows, language) : 0
        return { project, language, missing: missing + empty + incomplete, stale, suggested }
      })
      .filter(({ missing, stale, suggested }) => missing + stale + suggested > 0)
  })
  const reads = [...statuses, ...suggestions]
  return {
    work,
    isPending: reads.some(({ isPending }) => isPending),
    error: reads.find(({ error }) => error !== null)?.error ?? null,
  }
}

const countIn = (rows: readonly SuggestionRow[], language: string) =>
  rows.filter(row => row.language === language).length

/** A suggestion with its project. */
export interface OwnSuggestion {
  project: Project
  row: SuggestionRow
}

/** The reader's own suggestions that wait, the newest first. */
export function useOwnSuggestions(projects: readonly Project[]): { rows: OwnSuggestion[]; isPending: boolean } {
  const { user } = useMember()
  const reads = useQueries({
    queries: projects.map(({ slug }) => ({
      queryKey: ['project', slug, 'suggestions', 'own', user.id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer(listSuggestions({ slug, by: user.id, limit: PAGE }, { signal })),
    })),
  })
  const rows = projects
    .flatMap((project, at) => (reads[at]?.data?.suggestions ?? []).map(row => ({ project, row })))
    .sort((one, other) => (one.row.at < other.row.at ? 1 : -1))
  return { rows, isPending: reads.some(({ isPending }) => isPending) }
}
