/** Decisions on suggestions, and the undo of the last one. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, answer } from '../api/answer.ts'
import { revertRevision } from '../api/client.ts'
import { acceptSuggestions, rejectSuggestions, type SuggestionRow } from '../api/late-client.ts'
import { useSubmission } from '../ui/use-submission.ts'
import { type SuggestionsRead, suggestionsKey } from './review-reads.ts'

/** Accept with a text of one's own, or as suggested; or reject, with an optional reason. */
export type Decision = { is: 'accept'; value?: string | Record<string, string> } | { is: 'reject'; reason?: string }

/** The last decision of this page. */
interface LastDecision {
  revision: string
  sentence: string
  /** The suggestion that an undo brings back into focus. */
  id: string | undefined
}

/** What the server left, in one sentence each. */
type Conflict = Awaited<ReturnType<typeof send>>['conflicts'][number]

/** See the file. @param onUndone is given the id of the suggestion that is back */
export function useDecisions(slug: string, language: string, onUndone: (id: string | undefined) => void) {
  const { t } = useTranslation('work')
  const client = useQueryClient()
  const { pending, problem, send: submit, forget } = useSubmission()
  const [last, setLast] = useState<LastDecision>()
  const queryKey = suggestionsKey(slug, language)
  const refresh = () => client.invalidateQueries({ queryKey })

  const done = async (rows: readonly SuggestionRow[], decision: Decision) => {
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
    if (conflict) throw new ApiProblem(409, sentenceFor(conflict))
    return sentence
  }
  const sentenceFor = ({ why, key }: Conflict) =>
    t(why === 'gone' ? 'conflictGone' : why === 'own' ? 'conflictOwn' : 'conflictSource', { key: key ?? '' })

  return {
    pending,
    problem,
    last,
    forget,
    /** @returns whether the server accepted it */
    decide: (rows: readonly SuggestionRow[], decision: Decision) => submit(() => done(rows, decision)),
    /** For a dialog that shows the problem itself. */
    decideAll: done,
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
    const rejecting = { language, ids, ...(decision.reason && { reason: decision.reason }) }
    const { rejected, ...rest } = await answer(rejectSuggestions({ slug, rejecting }))
    return { ...rest, count: rejected }
  }
  const [only] = rows
  const accepting = {
    ...{ language, ids },
    // The card says that the source has changed. A batch leaves such suggestions in the queue.
    ...(rows.length === 1 && !only!.fits && { anyway: true }),
    ...(decision.value !== undefined && { values: { [only!.id]: decision.value } }),
  }
  const { accepted, ...rest } = await answer(acceptSuggestions({ slug, accepting }))
  return { ...rest, count: accepted }
}
