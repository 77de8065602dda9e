/** Why a suggestion needs attention: its risks, its problems, and the note of its key. */
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getKeyContext } from '../api/client.ts'
import type { SuggestionRow } from '../api/late-client.ts'
import { Badge } from '../ui/badge.tsx'
import { isolated } from '../ui/isolated.tsx'
import { risksOf } from './order-by-risk.ts'
import styles from './review.module.css'

/** The reasons as badges, the problems and the note below. */
export function SuggestionFacts({ slug, row }: { slug: string; row: SuggestionRow }) {
  const { t } = useTranslation(['work', 'editor'])
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
        <ul className={styles.actions} aria-label={t('work:attention')}>
          {risks.map(risk => (
            <li key={risk}>
              <Badge kind={risk === 'placeholders' || risk === 'long' ? 'info' : 'warn'} mark={<TriangleAlert />}>
                {t(`work:risk.${risk}`)}
              </Badge>
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <ul className={styles.problems} aria-label={t('work:risk.problems')}>
          {problems.map(({ form = '', kind, missing = [], extra = [] }) => (
            <li key={`${form} ${kind}`}>
              {[form, t(`editor:problemKind.${kindOf(kind)}`, { kind })].filter(Boolean).join(', ')}
              {missing.length > 0 && `: ${t('work:missing')} ${missing.map(isolated).join(' ')}`}
              {extra.length > 0 && `: ${t('work:extra')} ${extra.map(isolated).join(' ')}`}
            </li>
          ))}
        </ul>
      )}
      {data?.note !== undefined && (
        <p className={styles.note} dir="auto">
          <span className="quiet">{t('work:note')}</span> {data.note}
        </p>
      )}
    </>
  )
}

const KNOWN: ReadonlySet<string> = new Set(['avoid', 'control', 'length', 'space', 'term'])

/** The name in the words of the editor: three kinds are placeholders. */
const kindOf = (kind: string) =>
  KNOWN.has(kind) ? kind : ['interpolation', 'nesting', 'tag'].includes(kind) ? 'placeholder' : 'other'
