/** The terms of the glossaries in the source, and their words. */
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { GlossaryTerm } from '../../../glossary/glossary.ts'
import { wordsFor } from '../../../glossary/term-checker.ts'
import { directionOf } from '../../i18n/languages.ts'
import { Badge } from '../../ui/badge.tsx'
import { projectAddress } from '../../ui/location.ts'
import { useEditor } from '../editor-context.ts'
import { textsOf } from '../model/leaves.ts'
import styles from '../terms/terms.module.css'
import { useTerms } from '../terms/use-terms.ts'
import { type PanelSubject, Section, UseButton, useInField } from './section.tsx'

/** Its texts load later than the editor's. */
export const TermsSection = (subject: PanelSubject) => (
  <Suspense fallback={null}>
    <Terms {...subject} />
  </Suspense>
)

/** Nothing without a term. A word is inserted at the caret. */
function Terms(subject: PanelSubject) {
  const { row, target } = subject
  const { t } = useTranslation('glossary')
  const { columns } = useEditor()
  const inField = useInField(subject)
  const find = useTerms()
  const language = columns.targets[target]!
  if (!find || language === columns.source) return null
  const terms = new Set(Object.values(textsOf(row.source)).flatMap(text => find(text).map(({ term }) => term)))
  if (terms.size === 0) return null
  return (
    <Section title={t('termsHere')}>
      <ul className={styles.terms}>
        {[...terms].map(term => (
          <Term key={term.term} term={term} language={language} onUse={word => inField(field => field.insert(word))} />
        ))}
      </ul>
    </Section>
  )
}

interface TermProps {
  term: GlossaryTerm
  language: string
  onUse: (word: string) => void
}

function Term({ term, language, onUse }: TermProps) {
  const { t } = useTranslation('glossary')
  const { slug } = useEditor()
  const { use = [], avoid = [] } = wordsFor(term, language) ?? {}
  const words = term.keep ? [term.term] : use
  const inGlossary = new URLSearchParams({ search: term.term, language })
  return (
    <li className={styles.term}>
      <span className={styles.name}>
        <a href={`#${projectAddress(slug)}/glossary?${inGlossary}`} aria-label={t('inGlossary', { term: term.term })}>
          <bdi>{term.term}</bdi>
        </a>
        {term.keep && <Badge kind="info">{t('keptAsIs')}</Badge>}
      </span>
      {words.map(word => (
        <span key={word} className={styles.word}>
          <bdi lang={language}>{word}</bdi>
          <UseButton aria-label={t('insertWord', { word })} onPress={() => onUse(word)}>
            {t('editor:use')}
          </UseButton>
        </span>
      ))}
      {avoid.length > 0 && (
        <span className={styles.avoid}>
          {t('field.avoid')}:{' '}
          <s lang={language} dir={directionOf(language)}>
            {avoid.join(', ')}
          </s>
        </span>
      )}
      {words.length + avoid.length === 0 && <span className="quiet">{t('noWords')}</span>}
      {term.note !== undefined && (
        <span className="quiet" dir="auto">
          {term.note}
        </span>
      )}
    </li>
  )
}
