/** The changes of a replacement while the user types it. */
import { useEffect, useState } from 'react'
import type { Columns } from '../model/rows.ts'
import { changesOf, type ReplaceCandidate, type TextReplacement } from './changes.ts'
import type { ReplaceQuery, ReplaceSubject } from './replacer.ts'
import type { ReplaceReply, ReplaceRequest } from './worker.ts'

/** Ms of rest after a key press before the search starts. */
const REST_MS = 200

/** How far it is. */
type ReplaceProgress =
  | { is: 'nothing' | 'asking' | 'slow' | 'notStarted' }
  | { is: 'wrong'; why: string }
  | { is: 'done'; changes: readonly TextReplacement[] }

/** @param candidates the same array as long as they are the same */
export function useChanges(
  query: ReplaceQuery,
  candidates: readonly ReplaceCandidate[],
  columns: Columns,
): ReplaceProgress {
  const [found, setFound] = useState<ReplaceProgress>({ is: 'nothing' })
  const { find, replace, isRegExp, matchCase, wholeWords } = query
  useEffect(() => {
    if (find === '') return setFound({ is: 'nothing' })
    const over = new AbortController()
    setFound({ is: 'asking' })
    const timer = setTimeout(() => {
      const subjects = candidates.map(({ text, language }) => ({ text, language }))
      replaceInWorker({ find, replace, isRegExp, matchCase, wholeWords }, subjects, over.signal).then(
        answer => {
          if (over.signal.aborted) return
          if (answer.is !== 'done') return setFound(answer)
          setFound({ is: 'done', changes: changesOf(candidates, answer.texts, columns) })
        },
        () => over.signal.aborted || setFound({ is: 'notStarted' }),
      )
    }, REST_MS)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [find, replace, isRegExp, matchCase, wholeWords, candidates, columns])
  return found
}

/** The result; `wrong` with the fault of the regular expression. */
type ReplaceResult = { is: 'done'; texts: (string | null)[] } | { is: 'wrong'; why: string } | { is: 'slow' }

/** Maximum ms of the replacement from its start. */
const MOST_MS = 2000

/** @param signal ends it; then nothing is answered */
function replaceInWorker(
  query: ReplaceQuery,
  subjects: readonly ReplaceSubject[],
  signal: AbortSignal,
): Promise<ReplaceResult> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const { promise, resolve, reject } = Promise.withResolvers<ReplaceResult>()
  worker.onmessage = ({ data }: MessageEvent<ReplaceReply>) => {
    if (data.is === 'begun') timer = setTimeout(() => resolve({ is: 'slow' }), MOST_MS)
    else resolve(data)
  }
  worker.onerror = reject
  signal.addEventListener('abort', () => worker.terminate())
  worker.postMessage({ query, subjects } satisfies ReplaceRequest)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
