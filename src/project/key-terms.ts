/** The terms of the glossaries in a source message, with their words in one language. */
import { linesOf, type Message, partsOf } from '../bundle/message.ts'
import type { Interpolation } from '../bundle/placeholders.ts'
import type { GlossaryFiles } from '../bundle/status.ts'
import { blankUntranslated } from '../glossary/blank-untranslated.ts'
import type { GlossaryTerm } from '../glossary/glossary.ts'
import { mergeTerms, phraseOf, wordsFor } from '../glossary/term-checker.ts'
import { TermIndex } from '../glossary/term-index.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { termsIn } from './glossary-file.ts'

/** Maximum terms of an answer. */
export const MOST_KEY_TERMS = 100

/** Characters of a text that are searched. */
const MOST_CHARACTERS = 20_000
/** Bytes of an index for each byte of its files, about. */
const INDEX_WEIGHT = 8
/** Reading a glossary of 1,000 terms costs 20 ms. */
const indexes = byteCache<TermIndex<GlossaryTerm>>(32 * 2 ** 20)

/** A term without the words of other languages. */
export interface KeyTerm extends Omit<GlossaryTerm, 'translations'> {
  use?: readonly string[]
  avoid?: readonly string[]
}

/** What the terms depend on. */
interface KeyTermsTask {
  glossaries: GlossaryFiles
  /** The source message as JSON: bytes count as work. */
  source: Uint8Array
  sourceLanguage: string
  /** Of the words. */
  language: string
  interpolation?: Interpolation | undefined
}

/** Each once, by place in the texts of the message. */
export function keyTerms({ source, sourceLanguage, language, interpolation, glossaries }: KeyTermsTask): KeyTerm[] {
  const index = indexOf(glossaries, sourceLanguage)
  const found = new Set<GlossaryTerm>()
  const message: Message = JSON.parse(Buffer.from(source).toString('utf8'))
  for (const [, text] of linesOf(partsOf(message))) {
    const blank = blankUntranslated(text.slice(0, MOST_CHARACTERS), interpolation)
    for (const { phrase } of index.find(blank)) found.add(phrase.value)
  }
  return [...found].slice(0, MOST_KEY_TERMS).map(term => {
    const { translations: _, ...own } = term
    return { ...own, ...wordsFor(term, language) }
  })
}

function indexOf({ name, project, organization }: GlossaryFiles, sourceLanguage: string): TermIndex<GlossaryTerm> {
  const key = JSON.stringify([name, sourceLanguage])
  let index = indexes.get(key)
  if (index === undefined) {
    const terms = mergeTerms(termsIn(project), termsIn(organization))
    index = new TermIndex(terms.map(phraseOf), sourceLanguage)
    const bytes = (organization?.length ?? 0) + (project?.length ?? 0)
    indexes.set(key, index, { size: bytes * INDEX_WEIGHT + key.length })
  }
  return index
}
