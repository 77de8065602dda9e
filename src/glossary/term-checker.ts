/** Compares a translation with its source by a glossary. */
import type { GlossaryCheck, GlossaryFault } from '../bundle/checks/glossary-check.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import { blankUntranslated } from './blank-untranslated.ts'
import { foldTerm, type Glossary, type GlossaryTerm, type TermWords } from './glossary.ts'
import { type Phrase, TermIndex } from './term-index.ts'
import { SearchedText } from './uses-word.ts'

/** What a checker is for. */
export interface TermCheckerOptions {
  /** The terms of the project, which win, and those of the organization. */
  glossaries: { project: Glossary; organization: Glossary }
  sourceLanguage: string
  language: string
  /** Of the project; i18next's own by default. */
  interpolation?: Interpolation | undefined
}

export class TermChecker implements GlossaryCheck {
  readonly #language: string
  readonly #interpolation: Interpolation | undefined
  readonly #terms: TermIndex<GlossaryTerm>
  readonly #forbidden: TermIndex<GlossaryTerm>

  constructor({ glossaries, sourceLanguage, language, interpolation }: TermCheckerOptions) {
    this.#language = language
    this.#interpolation = interpolation
    const terms = mergeTerms(glossaries.project, glossaries.organization)
    const isChecked = (one: GlossaryTerm) => one.keep || wordsFor(one, language) !== undefined
    this.#terms = new TermIndex(terms.filter(isChecked).map(phraseOf), sourceLanguage)
    const forbidden = terms.flatMap(value =>
      (wordsFor(value, language)?.avoid ?? []).map(text => ({ text, isExact: value.caseSensitive === true, value })),
    )
    this.#forbidden = new TermIndex(forbidden, language)
  }

  /** By place in the source, then by place in the translation. */
  faultsOf(source: string, target: string): GlossaryFault[] {
    const blank = (text: string) => blankUntranslated(text, this.#interpolation)
    const found = new Set(this.#terms.find(blank(source)).map(({ phrase }) => phrase.value))
    const faults: GlossaryFault[] = []
    if (found.size > 0) {
      const searched = new SearchedText(target, this.#language)
      for (const one of found) {
        const use = this.#wordsToUse(one)
        const has = one.keep
          ? searched.has(one.term, one.caseSensitive === true)
          : use.length === 0 || use.some(word => searched.uses(word))
        if (!has) faults.push({ kind: 'term', term: one.term, use })
      }
    }
    for (const { phrase, from, to } of this.#forbidden.find(blank(target))) {
      const { value, text } = phrase
      const use = wordsFor(value, this.#language)?.use ?? []
      // Beside words to use, a word is forbidden for this term alone: another term may be translated so.
      if (use.length > 0 && !found.has(value)) continue
      if (this.#isAllowed([...found], target.slice(from, to), target)) continue
      if (faults.some(fault => fault.kind === 'avoid' && fault.term === value.term && fault.avoid === text)) continue
      faults.push({ kind: 'avoid', term: value.term, use, avoid: text })
    }
    return faults
  }

  /** The words to use for a term; of a term that stays untranslated the term. */
  #wordsToUse(one: GlossaryTerm): readonly string[] {
    return one.keep ? [one.term] : (wordsFor(one, this.#language)?.use ?? [])
  }

  /** Whether a term of the source is translated by this word, alone or in a phrase. */
  #isAllowed(found: readonly GlossaryTerm[], word: string, target: string): boolean {
    const stems = this.#forbidden.stemsOf(word).join(' ')
    const lower = target.toLowerCase()
    return found.some(one =>
      this.#wordsToUse(one).some(
        use =>
          ` ${this.#forbidden.stemsOf(use).join(' ')} `.includes(` ${stems} `) && lower.includes(use.toLowerCase()),
      ),
    )
  }
}

/** A term that stays untranslated is a name: only its own case is it. */
export const phraseOf = (value: GlossaryTerm): Phrase<GlossaryTerm> => ({
  text: value.term,
  isExact: value.caseSensitive === true || value.keep === true,
  value,
})

/** The terms of both glossaries; those of the project win. */
export function mergeTerms(project: Glossary, organization: Glossary): Glossary {
  const own = new Set(project.map(({ term }) => foldTerm(term)))
  return [...project, ...organization.filter(({ term }) => !own.has(foldTerm(term)))]
}

/** A term's words in a language, else in the language without region. The case of a tag does not matter (RFC 5646). */
export function wordsFor({ translations }: GlossaryTerm, language: string): TermWords | undefined {
  if (translations === undefined) return undefined
  for (let tag = language; ; tag = tag.slice(0, tag.lastIndexOf('-'))) {
    if (Object.hasOwn(translations, tag)) return translations[tag]
    const other = Object.keys(translations).find(one => one.toLowerCase() === tag.toLowerCase())
    if (other !== undefined) return translations[other]
    if (!tag.includes('-')) return undefined
  }
}
