/** The tool that says what texts of a project need: languages, plural categories, checks, words. */
import { z } from 'zod'
import { FORMS, KINDS } from '../bundle/message.ts'
import { isLanguage } from '../bundle/names.ts'
import { pluralRules } from '../bundle/plural-rules.ts'
import { slices } from '../scheduling/slices.ts'
import { type ApiCall, manifestOf, pathOf } from './api-call.ts'
import { pageOf } from './fit-answer.ts'
import { cursor, language, project, tool } from './tool.ts'

/** Example numbers of a category. */
const MOST_EXAMPLES = 3
/** Whole numbers first: a fraction is for categories without any, such as Polish `other`. */
const NUMBERS = [...Array.from({ length: 201 }, (_, number) => number), 1_000_000, 1.5]
/** Languages with plurals in an answer. More would not fit. */
const MOST_LANGUAGES = 100

const input = z.strictObject({
  project,
  languages: z
    .array(language.refine(isLanguage, 'must be a language tag such as de or pt-BR'))
    .min(1)
    .max(20)
    .optional(),
  cursor,
})

export const GUIDE_TOOL = tool(
  'guide',
  'reads',
  'Read this before you write: languages, plural forms with example numbers (no `ordinal`: all are other), checks, glossary. Example: {"project":"web","languages":["pl"]}',
  input,
  async (call, { project, languages, cursor }) => {
    const { languages: all, ...fields } = await manifestOf(call, project)
    const wanted = languages ?? all
    const pause = slices()
    const plurals: Record<string, unknown> = {}
    for (const one of wanted.slice(0, MOST_LANGUAGES)) {
      plurals[one] = pluralsOf(one)
      await pause()
    }
    const terms = await termsOf(call, project, wanted)
    const head = cursor === undefined ? { ...fields, languages: all, plurals } : {}
    const { rows: glossary, next } = pageOf(terms, head, cursor)
    return {
      says: `${wanted.length} languages, ${glossary.length} of ${terms.length} terms.`,
      data: { ...head, glossary, next },
    }
  },
)

/** By kind and category, numbers that have it. Ordinals that are all `other` are left out. */
function pluralsOf(language: string): Record<string, Record<string, number[]>> {
  const rules = pluralRules(language)
  const kinds = KINDS.map(kind => {
    const numbers = Map.groupBy(NUMBERS, number => rules.formOf(kind, number))
    const forms = FORMS.flatMap((form): [string, number[]][] => {
      const examples = numbers.get(form)?.slice(0, MOST_EXAMPLES)
      return examples ? [[form, examples]] : []
    })
    return [kind, Object.fromEntries(forms)] as const
  })
  return Object.fromEntries(kinds.filter(([kind, forms]) => kind === 'cardinal' || Object.keys(forms).length > 1))
}

/** The terms of both glossaries: those of the project win. */
async function termsOf(call: ApiCall, project: string, languages: readonly string[]): Promise<unknown[]> {
  const found = new Map<string, unknown>()
  // The checks of `de-AT` use the words of `de`, too.
  const isUsed = (tag: string) => languages.some(one => `${one}-`.toLowerCase().startsWith(`${tag}-`.toLowerCase()))
  for (const path of ['/api/glossary', pathOf('projects', project, 'glossary')]) {
    const { terms } = await call<{ terms: GlossaryRow[] }>({ method: 'GET', path })
    for (const { translations = {}, ...term } of terms) {
      const own = Object.entries(translations).filter(([language]) => isUsed(language))
      found.set(term.term, { ...term, ...(own.length > 0 && { translations: Object.fromEntries(own) }) })
    }
  }
  return [...found.values()]
}

interface GlossaryRow {
  term: string
  translations?: Record<string, unknown>
}
