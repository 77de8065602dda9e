/** The terms of the glossaries in a source: underlined in the grid, listed with their words in the panel. */
import { useQuery } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { Fragment, type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { blankUntranslated } from '../../../glossary/blank-untranslated.ts'
import type { GlossaryTerm } from '../../../glossary/glossary.ts'
import { mergeTerms, phraseOf, wordsFor } from '../../../glossary/term-checker.ts'
import { TermIndex } from '../../../glossary/term-index.ts'
import { glossaryQuery } from '../../glossary/glossary-reads.ts'
import { directionOf } from '../../i18n/languages.ts'
import { projectAddress } from '../../ui/location.ts'
import { Badge } from '../../ui/notice.tsx'
import { Tooltip } from '../../ui/tooltip.tsx'
import { useEditor } from '../editor-context.ts'
import { MOST_CHARACTERS, textsOf } from '../model/leaves.ts'
import type { EditorRow } from '../model/rows.ts'
import { shownTexts } from '../shown-text.tsx'
import styles from './panel.module.css'
import { type PanelSubject, Section, UseButton, useInField } from './section.tsx'

/** Finds terms with their places, in code units; those of the project win over those of the organization. */
interface TermFinder {
  etags: string
  find: (text: string) => readonly { term: GlossaryTerm; from: number; to: number }[]
}

/** Undefined until the glossaries are read. The finder stays the same until one of them changes. */
function useTerms(): TermFinder['find'] | undefined {
  const { slug, columns } = useEditor()
  const { source, interpolation } = columns
  const queryKey = ['project', slug, 'terms', source, interpolation]
  return useQuery({
    queryKey,
    structuralSharing: false,
    queryFn: async ({ client }): Promise<TermFinder> => {
      const [own, above] = await Promise.all([
        client.fetchQuery(glossaryQuery(slug)),
        client.fetchQuery(glossaryQuery(undefined)),
      ])
      const etags = own.etag + above.etag
      const before = client.getQueryData<TermFinder>(queryKey)
      if (before?.etags === etags) return before
      const index = new TermIndex(mergeTerms(own.terms, above.terms).map(phraseOf), source)
      const find = (text: string) => {
        const found = index.find(blankUntranslated(text.slice(0, MOST_CHARACTERS), interpolation))
        return found.map(({ phrase, from, to }) => ({ term: phrase.value, from, to }))
      }
      return { etags, find }
    },
  }).data?.find
}

/** Nothing without a term. A word is inserted at the caret. */
export function TermsSection(subject: PanelSubject) {
  const { row, language } = subject
  const { t } = useTranslation('glossary')
  const { columns } = useEditor()
  const inField = useInField(subject)
  const find = useTerms()
  if (!find || language === columns.source) return null
  const terms = new Set(Object.values(textsOf(row.source)).flatMap(text => find(text).map(({ term }) => term)))
  if (terms.size === 0) return null
  return (
    <Section title={t('termsHere')}>
      <ul className="stack3">
        {[...terms].map(term => (
          <Term key={term.term} term={term} language={language} onUse={word => inField(field => field.insert(word))} />
        ))}
      </ul>
    </Section>
  )
}

/** @param onUse inserts a word */
function Term({ term, language, onUse }: { term: GlossaryTerm; language: string; onUse: (word: string) => void }) {
  const { t } = useTranslation('glossary')
  const { slug } = useEditor()
  const { use = [], avoid = [] } = wordsFor(term, language) ?? {}
  const words = term.keep ? [term.term] : use
  const inGlossary = new URLSearchParams({ search: term.term, language })
  return (
    <li className="stack1">
      <span className={`row2 ${styles.words}`}>
        <a href={`#${projectAddress(slug)}/glossary?${inGlossary}`} aria-label={t('inGlossary', { term: term.term })}>
          <bdi>{term.term}</bdi>
        </a>
        {term.keep && <Badge kind="info">{t('keptAsIs')}</Badge>}
      </span>
      {words.map(word => (
        <span key={word} className={`${styles.apart} ${styles.words}`}>
          <bdi lang={language}>{word}</bdi>
          <UseButton aria-label={t('insertWord', { word })} onPress={() => onUse(word)}>
            {t('editor:use')}
          </UseButton>
        </span>
      ))}
      {avoid.length > 0 && (
        <span className={styles.bad}>
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

/** The source of the open row in the grid, with its terms underlined. @param children the source without them */
export default function SourceTerms({ row, children }: { row: EditorRow; children: ReactNode }) {
  const { t } = useTranslation('glossary')
  const editor = useEditor()
  const { source, targets } = editor.columns
  const find = useTerms()
  const texts = useMemo(() => textsOf(row.source), [row.source])
  const foundIn = useMemo(() => new Map(Object.values(texts).map(text => [text, find?.(text) ?? []])), [texts, find])
  if ([...foundIn.values()].every(found => found.length === 0)) return children
  const mark = (whole: string, start: number, part: string) => {
    let behind = start
    const pieces: ReactNode[] = []
    for (const { term, from, to } of foundIn.get(whole) ?? []) {
      const lines = termLines(term, targets, t)
      if (from < behind || to > start + part.length || lines.length === 0) continue
      pieces.push(
        whole.slice(behind, from),
        <MarkedTerm key={from} lines={lines}>
          {whole.slice(from, to)}
        </MarkedTerm>,
      )
      behind = to
    }
    return [...pieces, <Fragment key="rest">{whole.slice(behind, start + part.length)}</Fragment>]
  }
  return shownTexts(texts, source, editor, mark)
}

/**
 * Hover and focus show the lines. Enter and a click lead to the details, on a touch screen too. No `<button>`: its text
 * could not be selected.
 */
function MarkedTerm({ lines, children }: { lines: readonly string[]; children: string }) {
  const { actions } = useEditor()
  const open = () => actions.command('panel')
  return (
    <Tooltip
      words={lines.map(line => (
        <div key={line} dir="auto">
          {line}
        </div>
      ))}
    >
      <span
        role="button"
        tabIndex={0}
        className={styles.marked}
        aria-label={[children, ...lines].join(' · ')}
        onClick={() => document.getSelection()?.isCollapsed !== false && open()}
        onKeyDown={event => {
          if (event.key !== 'Enter' && event.key !== ' ') return
          event.preventDefault()
          event.stopPropagation()
          open()
        }}
      >
        {children}
      </span>
    </Tooltip>
  )
}

/** None for a term without words in these languages and without a note. @param t of the namespace `glossary` */
function termLines(term: GlossaryTerm, languages: readonly string[], t: TFunction<'glossary'>): string[] {
  const lines = languages.flatMap(language => {
    const { use = [], avoid = [] } = wordsFor(term, language) ?? {}
    const avoided = avoid.length > 0 && t('avoidWords', { words: avoid.join(', ') })
    const words = [use.join(', '), avoided].filter(Boolean).join(' · ')
    if (words === '') return []
    return [languages.length > 1 ? `${language}: ${words}` : words]
  })
  return [...(term.keep ? [t('keptAsIs')] : []), ...lines, ...(term.note === undefined ? [] : [term.note])]
}
