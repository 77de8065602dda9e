/** What a glossary says about a term, in short lines. */
import type { TFunction } from 'i18next'
import type { GlossaryTerm } from '../../../glossary/glossary.ts'
import { wordsFor } from '../../../glossary/term-checker.ts'

/** None for a term without words in these languages and without a note. @param t of the namespace `glossary` */
export function termLines(term: GlossaryTerm, languages: readonly string[], t: TFunction<'glossary'>): string[] {
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
