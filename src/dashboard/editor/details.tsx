/** What there is to know of a key while it is edited. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { useEditor } from './context.ts'
import styles from './details.module.css'
import type { Row } from './model/rows.ts'
import { SameText } from './same-text.tsx'

/** The last change of its main translation, and where else the source says the same. */
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
  const history = new URLSearchParams({ language, namespace, key })
  return (
    <dl className={styles.details}>
      <div>
        <dt>{t('lastChange')}</dt>
        <dd>
          {last.data && isThere
            ? t('changedBy', {
                name: last.data.author.name,
                when: new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' }).format(
                  new Date(last.data.date),
                ),
              })
            : last.data === null || !isThere
              ? t('neverChanged')
              : '…'}{' '}
          <a href={`#/projects/${encodeURIComponent(slug)}/history?${history}`}>{t('historyOf')}</a>
        </dd>
      </div>
      <SameText row={row} />
    </dl>
  )
}
