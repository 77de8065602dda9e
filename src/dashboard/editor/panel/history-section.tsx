/** The last changes of the key, with their commits, and its history. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { readSubject } from '../../../bundle/read-subject.ts'
import { answer } from '../../api/answer.ts'
import { getHistory } from '../../api/client.ts'
import { late } from '../../ui/late.tsx'
import { projectAddress } from '../../ui/location.ts'
import { useEditor } from '../editor-context.ts'
import type { KeyAddress } from '../model/rows.ts'
import styles from './panel.module.css'
import { MoreOfSection, type PanelSubject, Section, useSettled } from './section.tsx'

const KeyRevisions = late(() => import('./key-revisions.tsx'), 'shown')

/** Ms that a row stays in hand before its changes are read. */
const SETTLES_AFTER = 200

/** Of the translation and of the source. */
export function HistorySection({ row, target, language }: PanelSubject) {
  const { slug, columns, t } = useEditor()
  const of = { slug, language, namespace: row.namespace, key: row.key }
  const isThere = row.cells[target]!.message !== undefined
  const isSettled = useSettled(SETTLES_AFTER)
  return (
    <Section title={t('common:history')}>
      <dl className="stack2">
        <div>
          <dt className="quiet">{t('lastChange')}</dt>
          <dd>{isThere ? <LastChange of={of} isSettled={isSettled} /> : t('neverChanged')}</dd>
        </div>
        {columns.source !== language && row.source !== undefined && (
          <div>
            <dt className="quiet">{t('lastChangeOfSource')}</dt>
            <dd>
              <LastChange of={{ ...of, language: columns.source }} isSettled={isSettled} />
            </dd>
          </div>
        )}
      </dl>
      {isThere && (
        <MoreOfSection label={t('common:history')}>{close => <KeyRevisions of={of} onClose={close} />}</MoreOfSection>
      )}
    </Section>
  )
}

/** Who, when, and the commit in its history. */
function LastChange({ of, isSettled }: { of: KeyAddress; isSettled: boolean }) {
  const { slug, language, namespace, key } = of
  const { t, i18n } = useTranslation('editor')
  const { data: last } = useQuery({
    queryKey: ['project', slug, 'history', 'last', language, namespace, key],
    enabled: isSettled,
    queryFn: async ({ signal }) =>
      (await answer(getHistory({ slug, language, $namespace: namespace, key, limit: 1 }, { signal }))).revisions[0] ??
      null,
  })
  if (last === undefined) return <span className={styles.coming}>…</span>
  if (last === null) return t('neverChanged')
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeStyle: 'short' })
  const when = <bdi>{time.format(new Date(last.date))}</bdi>
  // The server's subject would repeat the key.
  const message = readSubject(last.subject, slug) === undefined ? last.subject : undefined
  const address = new URLSearchParams({ language, namespace, key, commit: last.revision })
  return (
    <>
      <bdi>{last.author.name}</bdi> · {message !== undefined && <>{when} · </>}
      <a href={`#${projectAddress(slug)}/history?${address}`}>{message === undefined ? when : <bdi>{message}</bdi>}</a>
    </>
  )
}
