/** What a replacement would change, as one types it. */
import { useEffect, useState } from 'react'
import type { Columns } from '../model/rows.ts'
import { ask } from './ask.ts'
import { type Candidate, type Change, changesOf } from './changes.ts'
import type { Query } from './replacing.ts'

/** Ms of rest after a key before the texts are gone through. */
const REST_MS = 200

/** How far it is. */
export type Found =
  | { is: 'nothing' | 'asking' | 'slow' }
  | { is: 'wrong'; why: string }
  | { is: 'done'; changes: readonly Change[] }

/** @param candidates the same array as long as they are the same */
export function useChanges(query: Query, candidates: readonly Candidate[], { source, interpolation }: Columns): Found {
  const [found, setFound] = useState<Found>({ is: 'nothing' })
  const { find, replace, isRegExp, matchCase, wholeWords } = query
  useEffect(() => {
    if (find === '') return setFound({ is: 'nothing' })
    const over = new AbortController()
    setFound({ is: 'asking' })
    const timer = setTimeout(() => {
      const subjects = candidates.map(({ text, language }) => ({ text, language }))
      ask({ find, replace, isRegExp, matchCase, wholeWords }, subjects, over.signal).then(
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
