/** The source of the open row, with the terms of the glossaries underlined. */
import type { TFunction } from 'i18next'
import { Fragment, type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { GlossaryTerm } from '../../../glossary/glossary.ts'
import { wordsFor } from '../../../glossary/term-checker.ts'
import { Tooltip } from '../../ui/tooltip.tsx'
import { useEditor } from '../editor-context.ts'
import { textsOf } from '../model/leaves.ts'
import type { EditorRow } from '../model/rows.ts'
import { shownTexts } from '../shown-text.tsx'
import styles from './terms.module.css'
import { type PlacedTerm, useTerms } from './use-terms.ts'

/** @param children the source without them */
export default function SourceTerms({ row, children }: { row: EditorRow; children: ReactNode }) {
  const { t } = useTranslation('glossary')
  const editor = useEditor()
  const { source, targets } = editor.columns
  const find = useTerms()
  const texts = useMemo(() => textsOf(row.source), [row.source])
  const foundIn = useMemo(() => {
    const all = Object.values(texts).map(text => [text, find?.(text) ?? []] as const)
    return new Map<string, readonly PlacedTerm[]>(all)
  }, [texts, find])
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
    const words = [
      ...(use.length > 0 ? [use.join(', ')] : []),
      ...(avoid.length > 0 ? [t('avoidWords', { words: avoid.join(', ') })] : []),
    ]
    if (words.length === 0) return []
    return [`${languages.length > 1 ? `${language}: ` : ''}${words.join(' · ')}`]
  })
  return [...(term.keep ? [t('keptAsIs')] : []), ...lines, ...(term.note === undefined ? [] : [term.note])]
}
