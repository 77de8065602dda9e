/** What waits for the reader: missing and stale texts, and suggestions to review, by project and language. */
import { useQueries } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getStatus, type Project, type Status } from '../api/client.ts'
import { mayIn } from '../api/language-permit.ts'
import { listSuggestions, type SuggestionRow } from '../api/late-client.ts'
import { useMember } from '../api/session.ts'

/** Own suggestions of a project that are listed. */
const PAGE = 100

/** The work in a language of a project. */
export interface WaitingWork {
  project: Project
  language: string
  missing: number
  stale: number
  /** Keys with suggestions to review; 0 without the right. */
  suggested: number
}

/** The list, and whether a part of it is still being read. */
export function useWaiting(projects: readonly Project[]): { work: WaitingWork[]; isPending: boolean; error: unknown } {
  const { who } = useMember()
  const statuses = useQueries({
    queries: projects.map(({ slug }) => ({
      queryKey: ['project', slug, 'status'],
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Status> => answer(getStatus({ slug }, { signal })),
    })),
  })
  const work = projects.flatMap((project, at) =>
    (statuses[at]?.data?.languages ?? [])
      .filter(({ language }) => language !== project.sourceLanguage && mayIn(who, 'suggest', project.slug, language))
      .map(({ language, missing, empty, incomplete, stale, suggested }): WaitingWork => {
        const toReview = mayIn(who, 'review', project.slug, language) ? suggested : 0
        return { project, language, missing: missing + empty + incomplete, stale, suggested: toReview }
      })
      .filter(({ missing, stale, suggested }) => missing + stale + suggested > 0),
  )
  return {
    work,
    isPending: statuses.some(({ isPending }) => isPending),
    error: statuses.find(({ error }) => error !== null)?.error ?? null,
  }
}

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
