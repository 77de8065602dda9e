/** Notices below the grid: the connection, unsaved texts, and the filter. */
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useDraftsAreStored } from '../drafts/use-drafts.tsx'
import { useLive } from '../live/live.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { useAnnouncement } from '../ui/use-announcement.ts'
import type { ListedRows } from './use-shown.ts'

/** Quiet as long as all is well. */
export function Notices({ shown }: { shown: ListedRows }) {
  const { t } = useTranslation('editor')
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
