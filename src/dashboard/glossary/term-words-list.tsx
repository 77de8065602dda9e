/** The words of a term, for reading. */
import { useTranslation } from 'react-i18next'
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { directionOf } from '../i18n/languages.ts'
import styles from './glossary.module.css'

/** Words to avoid are struck through. @param language the only one to show; undefined for all */
export function TermWordsList({ term, language }: { term: GlossaryTerm; language: string | undefined }) {
  const { t } = useTranslation('glossary')
  const shown = Object.entries(term.translations ?? {}).filter(([tag]) => language === undefined || tag === language)
  if (shown.length === 0) return !term.keep && <span className="quiet">{t('noWords')}</span>
  return shown.map(([tag, { use = [], avoid = [] }]) => (
    <span key={tag} className={styles.translation}>
      {language === undefined && <code className="quiet">{tag}</code>}
      <span lang={tag} dir={directionOf(tag)}>
        {use.join(', ')}
        {avoid.length > 0 && (
          <>
            {use.length > 0 && ' '}
            <span className="hidden">{t('field.avoid')}: </span>
            <s>{avoid.join(', ')}</s>
          </>
        )}
      </span>
    </span>
  ))
}
