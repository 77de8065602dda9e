/** What there is to know of a key while it is edited. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { KeyHistory } from '../history/key-history.tsx'
import { projectAddress } from '../shell/location.ts'
import { seenNow } from '../ui/focus.ts'
import { Loading } from '../ui/state.tsx'
import { useEditor } from './context.ts'
import styles from './details.module.css'
import type { Row } from './model/rows.ts'

/** The last change of its main translation: who, when, and the commit in its history. */
export function Details({ row }: { row: Row }) {
  const { namespace, key } = row
  const { t, i18n } = useTranslation('editor')
  const { slug, columns } = useEditor()
  const language = columns.targets[0]!
  const isThere = row.cells[0]!.message !== undefined
  const last = useQuery({
    enabled: isThere,
    queryKey: ['project', slug, 'history', 'last', language, namespace, key],
    queryFn: ({ signal }) =>
      answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal })).then(
        ({ revisions }) => revisions[0] ?? null,
      ),
  })
  const commitAddress = (commit: string) =>
    `#${projectAddress(slug)}/history?${new URLSearchParams({ language, namespace, key, commit })}`
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  const [open, setOpen] = useState(false)
  const history = useId()
  return (
    <>
      <dl className={styles.details}>
        <div>
          <dt>{t('lastChange')}</dt>
          <dd>
            {last.data && isThere ? (
              <>
                <bdi>{last.data.author.name}</bdi> · <bdi>{time.format(new Date(last.data.date))}</bdi> ·{' '}
                <a href={commitAddress(last.data.revision)}>
                  <bdi>{last.data.subject}</bdi>
                </a>
              </>
            ) : last.data === null || !isThere ? (
              t('neverChanged')
            ) : (
              '…'
            )}{' '}
            {isThere && (
              <button
                type="button"
                className={styles.link}
                aria-expanded={open}
                aria-controls={history}
                onClick={() => setOpen(!open)}
              >
                {t('common:history')}
              </button>
            )}
          </dd>
        </div>
      </dl>
      {open && (
        <div ref={seenNow} id={history} className={styles.history}>
          {/* Its words come later than the editor's, which stays as it is meanwhile. */}
          <Suspense fallback={<Loading />}>
            <KeyHistory of={{ slug, language, namespace, key }} />
          </Suspense>
        </div>
      )}
    </>
  )
}
