/** The listed rows, and the notices below them. */
import { useMemo, useRef, useState } from 'react'
import { useDraftsAreStored } from '../drafts/use-drafts.tsx'
import { useLive } from '../live/live.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import { useEditor } from './editor-context.ts'
import { asksForAll, type FilterFacts, isRowMark, matcher, queryOf, type RowFilter } from './model/filter.ts'
import type { EditorRow } from './model/rows.ts'

/**
 * The rows that matched when the filter was set or renewed, even if they stopped matching.
 * @returns `gone`, the ids of those that match no longer; `come`, how many others match now; `renew`, which shows what
 * matches now; and `asked`, another text for each question that the rows answer
 */
export function useShown(rows: readonly EditorRow[], filter: RowFilter, known: FilterFacts) {
  const [renewals, setRenewals] = useState(0)
  const matching = useMemo(() => rows.filter(matcher(filter, known)), [rows, filter, known])
  const awaitsMarks = known.marks?.isRead === false && filter.is.some(isRowMark)
  const asked = JSON.stringify([queryOf(filter), renewals, known.changed === undefined, awaitsMarks])
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
    const come = matching.filter(({ id }) => !ids.has(id)).length
    const gone = new Set([...ids].filter(id => !now.has(id)))
    return { rows: rows.filter(({ id }) => ids.has(id)), gone, come, renew, asked }
  }, [rows, filter, matching, ids, asked])
}

const NONE: ReadonlySet<string> = new Set()

/** The connection, unsaved texts, and the filter. Quiet as long as all is well. */
export function Notices({ shown }: { shown: ReturnType<typeof useShown> }) {
  const { t } = useEditor()
  const live = useLive()
  const areStored = useDraftsAreStored()
  const { gone, come, renew, asked, rows } = shown
  // Announces the result of a new filter, not a change of the number under the same filter.
  const found = useRef({ asked, count: rows.length })
  if (found.current.asked !== asked) found.current = { asked, count: rows.length }
  useAnnouncement(t('shownKeys', { count: found.current.count }), asked)
  return (
    <>
      {live === 'offline' && <Notice kind="warn">{t('offline')}</Notice>}
      {live === 'ended' && <Notice kind="warn">{t('common:signedOut')}</Notice>}
      {!areStored && <Notice kind="bad">{t('noRoom')}</Notice>}
      {(gone.size > 0 || come > 0) && (
        <Notice
          action={
            <Button small onPress={renew}>
              {t('renew')}
            </Button>
          }
        >
          {gone.size > 0 && t('gone', { count: gone.size })} {come > 0 && t('come', { count: come })}
        </Notice>
      )}
    </>
  )
}
