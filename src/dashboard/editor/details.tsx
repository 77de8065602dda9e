/** The details of the edited key. */
import { useQuery } from '@tanstack/react-query'
import { Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { KeyHistory } from '../history/key-history.tsx'
import { scrollIntoViewNow } from '../ui/focus.ts'
import { projectAddress } from '../ui/location.ts'
import { Loading } from '../ui/state.tsx'
import styles from './details.module.css'
import { useEditor } from './editor-context.ts'
import type { EditorRow } from './model/rows.ts'

/** The last changes of its main translation and of the source, linked to their commits, and the history. */
export function Details({ row }: { row: EditorRow }) {
  const { namespace, key } = row
  const { t } = useTranslation('editor')
  const { slug, columns } = useEditor()
  const language = columns.targets[0]!
  const isThere = row.cells[0]!.message !== undefined
  const [open, setOpen] = useState(false)
  const history = useId()
  return (
    <>
      <dl className={styles.details}>
        <div>
          <dt>{t('lastChange')}</dt>
          <dd>
            {isThere ? <LastChange of={{ slug, language, namespace, key }} /> : t('neverChanged')}{' '}
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
        {columns.source !== language && row.source !== undefined && (
          <div>
            <dt>{t('lastChangeOfSource')}</dt>
            <dd>
              <LastChange of={{ slug, language: columns.source, namespace, key }} />
            </dd>
          </div>
        )}
      </dl>
      {open && (
        <div ref={scrollIntoViewNow} id={history} className={styles.history}>
          {/* Its texts load later than the editor's. The editor stays as it is meanwhile. */}
          <Suspense fallback={<Loading />}>
            <KeyHistory of={{ slug, language, namespace, key }} />
          </Suspense>
        </div>
      )}
    </>
  )
}

/** Who, when, and the commit in its history. */
function LastChange({ of }: { of: { slug: string; language: string; namespace: string; key: string } }) {
  const { slug, language, namespace, key } = of
  const { t, i18n } = useTranslation('editor')
  const { data: last, isFetching } = useQuery({
    queryKey: ['project', slug, 'history', 'last', language, namespace, key],
    queryFn: ({ signal }) =>
      answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal })).then(
        ({ revisions }) => revisions[0] ?? null,
      ),
  })
  if (last === undefined) return <span data-coming={isFetching}>…</span>
  if (last === null) return t('neverChanged')
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  const when = <bdi>{time.format(new Date(last.date))}</bdi>
  // The server's subject would repeat the key. The sentences of the history cost the first visit 2 KB.
  const message = new RegExp(`^${slug}[ :]`).test(last.subject) ? undefined : last.subject
  const address = new URLSearchParams({ language, namespace, key, commit: last.revision })
  return (
    <>
      <bdi>{last.author.name}</bdi> · {message !== undefined && <>{when} · </>}
      <a href={`#${projectAddress(slug)}/history?${address}`}>{message === undefined ? when : <bdi>{message}</bdi>}</a>
    </>
  )
}
