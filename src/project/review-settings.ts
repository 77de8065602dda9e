/** The languages of a project with a review: apps read no other text of them. */
import { isObject } from '../bundle/body.ts'
import { quoteSome } from '../bundle/complaints.ts'
import { Failure } from '../bundle/errors.ts'
import { checkLanguage } from '../bundle/names.ts'

/** How texts of a language are reviewed. */
interface LanguageReview {
  /** Whether no one accepts or approves their own text. */
  fourEyes: boolean
}

/** By language, in code-unit order; a language that is not there needs no review. */
export type ReviewSettings = { readonly [language: string]: LanguageReview }

/** Maximum of languages with a review. */
const MOST_LANGUAGES = 500

/**
 * The settings with some languages changed, null to remove one; undefined without any.
 * @throws Failure `invalid` for the source language, for a bad value, or for too many
 */
export function withReviews(
  settings: ReviewSettings | undefined,
  changes: unknown,
  sourceLanguage: string,
): ReviewSettings | undefined {
  if (!isObject(changes)) throw invalid('"review" must be an object such as { "de": { "fourEyes": false } }')
  const reviews = new Map(Object.entries(settings ?? {}))
  for (const [name, value] of Object.entries(changes)) {
    const language = checkLanguage(name)
    if (value === null) reviews.delete(language)
    else if (language === sourceLanguage)
      throw invalid(`"review.${language}" is of the source language: only translations are reviewed`)
    else reviews.set(language, checkReview(language, value))
  }
  if (reviews.size > MOST_LANGUAGES) throw invalid(`"review" has more than ${MOST_LANGUAGES} languages`)
  if (reviews.size === 0) return undefined
  return Object.fromEntries([...reviews].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function checkReview(language: string, value: unknown): LanguageReview {
  if (!isObject(value)) throw invalid(`"review.${language}" must be an object such as { "fourEyes": false }, or null`)
  const { fourEyes = false, ...others } = value
  const unknown = Object.keys(others)
  if (unknown.length > 0) throw invalid(`"review.${language}" has unknown members ${quoteSome(unknown)}`)
  if (typeof fourEyes !== 'boolean') throw invalid(`"review.${language}.fourEyes" must be true or false`)
  return { fourEyes }
}

const invalid = (problem: string) => new Failure('invalid', `${problem}.`)

/** The settings after a language was renamed; the given ones where that concerns none. Those of the new name stay. */
export function renamedReviews(
  settings: ReviewSettings | undefined,
  { from, to }: { from: string; to: string },
): ReviewSettings | undefined {
  if (settings === undefined || (settings[from] === undefined && settings[to] === undefined)) return settings
  const others = Object.entries(settings).filter(([language]) => language !== from && language !== to)
  const all = [...others, [to, settings[to] ?? settings[from]!] as const]
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
}
