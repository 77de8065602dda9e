/** The suggestions that wait in a language, the decisions on them, and the undo of the last one. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { revertRevision } from '../api/client.ts'
import { acceptSuggestions, listSuggestions, rejectSuggestions, type SuggestionRow } from '../api/late-client.ts'
import { suggestionsKey } from '../editor/saving/cached.ts'
import { useSubmission } from '../ui/form.tsx'

/** Suggestions that one answer has. */
const PAGE = 100
/** Suggestions that the queue reads. More come when these are decided. */
const MOST = 1000

/** The suggestions read, and whether there are more. */
interface SuggestionsRead {
  rows: SuggestionRow[]
  isCut: boolean
}

const readPage = (slug: string, language: string, cursor: string | undefined, signal: AbortSignal) =>
  answer(listSuggestions({ slug, language, limit: PAGE, cursor }, { signal }))

/** All suggestions that wait in a language, up to a limit. */
export const useSuggestions = (slug: string, language: string) =>
  useQuery({
    queryKey: suggestionsKey(slug, language),
    queryFn: async ({ signal }): Promise<SuggestionsRead> => {
      const rows: SuggestionRow[] = []
      let cursor: string | null | undefined
      while (cursor !== null && rows.length < MOST) {
        const page: Awaited<ReturnType<typeof readPage>> = await readPage(slug, language, cursor, signal)
        rows.push(...page.suggestions)
        cursor = page.next
      }
      return { rows, isCut: cursor !== null }
    },
  })

/** Names an author in requests: the id of a user or token, or the name of a machine. */
export const authorId = ({ by }: SuggestionRow): string => (typeof by === 'string' ? by : by.id)

/** The author in words. */
export const authorName = ({ by }: SuggestionRow): string => (typeof by === 'string' ? by : by.name)

/** Accept with a text of one's own, or as suggested; or reject, with an optional reason. */
export type Decision = { is: 'accept'; value?: string | Record<string, string> } | { is: 'reject'; reason?: string }

const CONFLICTS = { gone: 'conflictGone', own: 'conflictOwn', 'source-changed': 'conflictSource' } as const

/** @param onUndone is given the id of the suggestion that is back */
export function useDecisions(slug: string, language: string, onUndone: (id: string | undefined) => void) {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const { pending, problem, send: submit, forget } = useSubmission()
  // The last decision of this page. Its `id` is of the suggestion that an undo brings back into focus.
  const [last, setLast] = useState<{ revision: string; sentence: string; id: string | undefined }>()
  const queryKey = suggestionsKey(slug, language)
  const refresh = () => client.invalidateQueries({ queryKey })

  const decideAll = async (rows: readonly SuggestionRow[], decision: Decision) => {
    const { revision, count, conflicts } = await send(slug, language, rows, decision)
    const left = new Set(conflicts.filter(({ why }) => why !== 'gone').map(({ id }) => id))
    const gone = new Set(rows.map(({ id }) => id).filter(id => !left.has(id)))
    client.setQueryData<SuggestionsRead>(
      queryKey,
      read => read && { ...read, rows: read.rows.filter(({ id }) => !gone.has(id)) },
    )
    void refresh()
    const sentence = t(decision.is === 'accept' ? 'acceptedCount' : 'rejectedCount', { count })
    if (count > 0 && revision !== null) setLast({ revision, sentence, id: rows.length === 1 ? rows[0]!.id : undefined })
    const [conflict] = conflicts
    if (conflict) throw new ApiProblem(409, t(CONFLICTS[conflict.why], { key: conflict.key ?? '' }))
    return sentence
  }

  return {
    pending,
    problem,
    last,
    forget,
    /** @returns whether the server accepted it */
    decide: (row: SuggestionRow, decision: Decision) => submit(() => decideAll([row], decision)),
    /** For a dialog that shows the problem itself. */
    decideAll,
    undo: () =>
      submit(async () => {
        if (!last) return undefined
        await answer(revertRevision({ slug, body: { revision: last.revision } }))
        setLast(undefined)
        await refresh()
        onUndone(last.id)
        return t('undone')
      }),
  }
}

/** By ids: what came after the list was read waits for a look. */
async function send(slug: string, language: string, rows: readonly SuggestionRow[], decision: Decision) {
  const ids = rows.map(({ id }) => id)
  if (decision.is === 'reject') {
    const rejecting = { language, ids, reason: decision.reason || undefined }
    const { rejected, ...rest } = await answer(rejectSuggestions({ slug, rejecting }))
    return { ...rest, count: rejected }
  }
  const only = rows.length === 1 ? rows[0] : undefined
  const accepting = {
    language,
    ids,
    // The card says that the source has changed. A batch leaves such suggestions in the queue.
    anyway: only && !only.fits,
    values: only && decision.value !== undefined ? { [only.id]: decision.value } : undefined,
  }
  const { accepted, ...rest } = await answer(acceptSuggestions({ slug, accepting }))
  return { ...rest, count: accepted }
}
