/** What a replacement would change, as one types it. */
import { useEffect, useState } from 'react'
import type { Columns } from '../model/rows.ts'
import { changesOf, type ReplaceCandidate, type TextReplacement } from './changes.ts'
import { replaceInWorker } from './replace-in-worker.ts'
import type { ReplaceQuery } from './replacer.ts'

/** Ms of rest after a key before the texts are gone through. */
const REST_MS = 200

/** How far it is. */
export type ReplaceProgress =
  | { is: 'nothing' | 'asking' | 'slow' }
  | { is: 'wrong'; why: string }
  | { is: 'done'; changes: readonly TextReplacement[] }

/** @param candidates the same array as long as they are the same */
export function useChanges(
  query: ReplaceQuery,
  candidates: readonly ReplaceCandidate[],
  { source, interpolation }: Columns,
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
          setFound({ is: 'done', changes: changesOf(candidates, answer.texts, source, interpolation) })
        },
        (error: Error) => over.signal.aborted || setFound({ is: 'wrong', why: error.message }),
      )
    }, REST_MS)
    return () => {
      clearTimeout(timer)
      over.abort()
    }
  }, [find, replace, isRegExp, matchCase, wholeWords, candidates, source, interpolation])
  return found
}
