/** The listed rows: those that matched when the filter was set or renewed, even if they stopped matching. */
import { useMemo, useState } from 'react'
import { asksForAll, type FilterFacts, isRowMark, matcher, queryOf, type RowFilter } from './model/filter.ts'
import type { EditorRow } from './model/rows.ts'

/** The rows of the list. */
export interface ListedRows {
  rows: readonly EditorRow[]
  /** Ids of rows that are shown though they match no longer. */
  gone: ReadonlySet<string>
  /** How many match and are not shown. */
  come: number
  /** Shows what matches now. */
  renew: () => void
  /** Another text for each question that the rows answer. */
  asked: string
}

/** @param known what the filter needs to know beside the rows */
export function useShown(rows: readonly EditorRow[], filter: RowFilter, known: FilterFacts): ListedRows {
  const [renewals, setRenewals] = useState(0)
  const { unsaved, marks, changed } = known
  const matching = useMemo(
    () => rows.filter(matcher(filter, { unsaved, marks, changed })),
    [rows, filter, unsaved, marks, changed],
  )
  const awaitsMarks = marks?.isRead === false && filter.is.some(isRowMark)
  const asked = JSON.stringify([queryOf(filter), renewals, changed === undefined, awaitsMarks])
  const [listed, setListed] = useState({ asked: '', ids: new Set<string>() })
  let { ids } = listed
  if (listed.asked !== asked) {
    ids = new Set(matching.map(({ id }) => id))
    setListed({ asked, ids })
  }
  return useMemo(() => {
    const renew = () => setRenewals(count => count + 1)
    if (asksForAll(filter)) return { rows, gone: NONE, come: 0, renew, asked }
    const now = new Set(matching.map(({ id }) => id))
    const gone = new Set([...ids].filter(id => !now.has(id)))
    const come = matching.filter(({ id }) => !ids.has(id)).length
    return { rows: rows.filter(({ id }) => ids.has(id)), gone, come, renew, asked }
  }, [rows, filter, matching, ids, asked])
}

const NONE: ReadonlySet<string> = new Set()
