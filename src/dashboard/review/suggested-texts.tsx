/** The source, the present text, and the suggestion with what it changes. */
import { useTranslation } from 'react-i18next'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { SuggestionRow } from '../api/late-client.ts'
import { useManifest } from '../api/queries.ts'
import { directionOf } from '../i18n/languages.ts'
import { Diff } from '../ui/diff.tsx'
import { Isolated } from '../ui/isolated.tsx'
import styles from './review.module.css'

const textsOf = (message: unknown) => new Map(linesOf(partsOf(message as Message | null)))

/** One line for each form. */
export function SuggestedTexts({ slug, row }: { slug: string; row: SuggestionRow }) {
  const { t } = useTranslation('work')
  const { data } = useManifest(slug)
  const sourceLanguage = data?.sourceLanguage ?? row.language
  const present = textsOf(row.present)
  const suggested = textsOf(row.message)
  return (
    <dl className={styles.texts}>
      <dt>{t('source')}</dt>
      {row.source === null ? (
        <dd className="quiet">{t('noSource')}</dd>
      ) : (
        [...textsOf(row.source)].map(([ending, text]) => (
          <ShownLine key={ending} ending={ending} text={text} language={sourceLanguage} />
        ))
      )}
      <dt>{t('present')}</dt>
      {present.size === 0 ? (
        <dd className="quiet">{t('noText')}</dd>
      ) : (
        [...present].map(([ending, text]) => (
          <ShownLine key={ending} ending={ending} text={text} language={row.language} />
        ))
      )}
      <dt>{t('suggestion')}</dt>
      {[...suggested].map(([ending, text]) => (
        <dd key={ending}>
          {ending !== '' && <span className="quiet">{ending.slice(1)}</span>}
          {present.has(ending) ? (
            <Diff before={present.get(ending)!} after={text} language={row.language} />
          ) : (
            <span className={styles.text} lang={row.language} dir={directionOf(row.language)}>
              <Isolated text={text} />
            </span>
          )}
        </dd>
      ))}
    </dl>
  )
}

const ShownLine = ({ ending, text, language }: { ending: string; text: string; language: string }) => (
  <dd>
    {ending !== '' && <span className="quiet">{ending.slice(1)}</span>}
    <span className={styles.text} lang={language} dir={directionOf(language)}>
      <Isolated text={text} />
    </span>
  </dd>
)
