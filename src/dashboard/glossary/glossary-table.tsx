/** The table of terms. Only visible rows are rendered. */
import { SquarePen, Trash2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { mergeTerms } from '../../glossary/term-checker.ts'
import { directionOf } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Badge } from '../ui/notice.tsx'
import { useDrawn } from '../ui/use-drawn.ts'
import styles from './glossary.module.css'

/** All terms by name, each with its text in lower case. @param above terms of the organization, for a project */
export function rowsOf(own: readonly GlossaryTerm[], above: readonly GlossaryTerm[], reader: string) {
  const { compare } = new Intl.Collator(reader)
  return mergeTerms(own, above)
    .map((term, at) => {
      const isInherited = at >= own.length
      return { id: `${isInherited ? '^' : ''}${term.term}`, term, isInherited, text: textOf(term).toLowerCase() }
    })
    .sort((one, other) => compare(one.term.term, other.term.term))
}

const textOf = ({ term, note = '', translations = {} }: GlossaryTerm): string =>
  [term, note, ...Object.values(translations).flatMap(({ use = [], avoid = [] }) => [...use, ...avoid])].join('\n')

interface Props {
  rows: ReturnType<typeof rowsOf>
  /** The only language to show; undefined for all. */
  language: string | undefined
  label: string
  /** Undefined for readers who may not edit. Terms of the organization are read-only in a project. */
  onEdit: ((term: GlossaryTerm) => void) | undefined
  onDelete: (term: GlossaryTerm) => void
}

/** Px of most rows before they are rendered. */
const usualHeight = () => 45

export function GlossaryTable({ rows, language, label, onEdit, onDelete }: Props) {
  const { t } = useTranslation('glossary')
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const [focusedId, setFocusedId] = useState<string>()
  const focused = useMemo(() => rows.findIndex(({ id }) => id === focusedId), [rows, focusedId])
  const { lines, after } = useDrawn(scroller, body, rows, focused, usualHeight)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a reader without the right to edit scrolls it by keys
    <section ref={scroller} className={styles.scroller} aria-label={label} tabIndex={0}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1}>
        <div role="rowgroup">
          {/* biome-ignore lint/a11y/useFocusableInteractive: rows of a table have no focus */}
          <div role="row" aria-rowindex={1} className={`${styles.row} ${styles.headings}`}>
            {[t('field.term'), t('words'), t('field.note'), ...(onEdit ? [t('common:actions')] : [])].map(name => (
              // biome-ignore lint/a11y/useFocusableInteractive: as above
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
          </div>
        </div>
        <div ref={body} role="rowgroup" style={{ paddingBlock: `${lines[0]?.gap ?? 0}px ${after}px` }}>
          {lines.map(({ index, gap }, at) => {
            const { id, term, isInherited } = rows[index]!
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: rows of a table have no focus
              <div
                key={id}
                role="row"
                aria-rowindex={index + 2}
                className={styles.row}
                style={at > 0 && gap > 0 ? { marginBlockStart: gap } : undefined}
                onFocus={() => setFocusedId(id)}
              >
                {/* biome-ignore lint/a11y/useFocusableInteractive: as above */}
                <span role="rowheader" className={styles.term}>
                  <bdi>{term.term}</bdi>
                  {term.keep && <Badge kind="info">{t('keptAsIs')}</Badge>}
                  {term.caseSensitive && <Badge>{t('exactCase')}</Badge>}
                  {isInherited && <Badge>{t('ofOrganization')}</Badge>}
                </span>
                <span role="cell">
                  <TermWordsList term={term} language={language} />
                </span>
                <span role="cell" className="quiet" dir="auto">
                  {term.note}
                </span>
                {onEdit && (
                  <span role="cell" className={styles.actions}>
                    {!isInherited && (
                      <>
                        <Button
                          small
                          look="quiet"
                          icon={<SquarePen aria-hidden />}
                          aria-label={t('editNamed', { term: term.term })}
                          onPress={() => onEdit(term)}
                        />
                        <Button
                          small
                          look="quiet"
                          icon={<Trash2 aria-hidden />}
                          aria-label={t('deleteNamed', { term: term.term })}
                          onPress={() => onDelete(term)}
                        />
                      </>
                    )}
                  </span>
                )}
              </div>
            )
          })}
        </div>
      </div>
    </section>
  )
}

/** Words to avoid are struck through. @param language the only one to show; undefined for all */
function TermWordsList({ term, language }: { term: GlossaryTerm; language: string | undefined }) {
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
