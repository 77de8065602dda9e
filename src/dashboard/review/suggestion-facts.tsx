/** Why a suggestion needs attention: its risks, its problems, and the note of its key. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getKeyContext } from '../api/client.ts'
import type { SuggestionRow } from '../api/late-client.ts'
import { differencesOf, sentenceOf } from '../editor/field/fault-sentence.ts'
import { Badge } from '../ui/badge.tsx'
import { risksOf } from './order-by-risk.ts'
import styles from './review.module.css'

/** The reasons as badges, the problems and the note below. */
export function SuggestionFacts({ slug, row }: { slug: string; row: SuggestionRow }) {
  const { t } = useTranslation('work')
  const { t: inEditor } = useTranslation('editor')
  const { language, namespace, key, problems } = row
  const { data } = useQuery({
    queryKey: ['project', slug, 'context', language, namespace, key],
    queryFn: ({ signal }) => answer(getKeyContext({ slug, language, $namespace: namespace, key }, { signal })),
    // The note helps; a review goes on without it.
    retry: false,
  })
  const risks = risksOf(row)
  return (
    <>
      {risks.length > 0 && (
        <ul className={styles.actions} aria-label={t('attention')}>
          {risks.map(risk => (
            <li key={risk}>
              <Badge kind={risk === 'placeholders' || risk === 'long' ? 'info' : 'warn'} mark={<TriangleAlert />}>
                {t(`risk.${risk}`)}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <ul className={styles.problems} aria-label={t('risk.problems')}>
          {problems.flatMap(({ form, ...problem }) =>
            differencesOf(problem).map(difference => {
              const sentence = [form, sentenceOf(difference, inEditor)].filter(Boolean).join(': ')
              return <li key={sentence}>{sentence}</li>
            }),
          )}
        </ul>
      )}
      {data?.note !== undefined && (
        <p className={styles.note} dir="auto">
          <span className="quiet">{t('note')}</span> {data.note}
        </p>
      )}
    </>
  )
}
