/** What a comparison of a project's texts depends on, with its glossaries. */
import { type GlossaryFiles, type RulesOfBoth, rulesOf, type TextRules } from '../bundle/status.ts'
import { TermChecker } from '../glossary/term-checker.ts'
import { byteCache } from '../scheduling/byte-cache.ts'
import { glossaryAt, termsIn } from './glossary-file.ts'
import type { Project } from './project.ts'
import type { State } from './state.ts'

/** Of a project in a state; its glossaries only where a check needs them. */
export function textRulesIn(state: State, { slug, interpolation, checks }: Project): TextRules {
  const isOff = checks?.term === 'off' && checks.avoid === 'off'
  return { interpolation, checks, ...(!isOff && { glossaries: glossariesOf(state, slug) }) }
}

/** The rules without the bytes of the glossaries: equal texts have equal rules. */
export const nameOfRules = ({ interpolation, checks, glossaries }: TextRules): string =>
  interpolation || checks || glossaries ? JSON.stringify([interpolation, checks, glossaries?.name]) : ''

/** The files of the glossaries that hold for a project; undefined without any. */
export function glossariesOf(state: State, slug: string): GlossaryFiles | undefined {
  const [organization, project] = [undefined, slug].map(of => glossaryAt(state, of))
  if (!organization!.exists && !project!.exists) return undefined
  const name = `${state.organization} ${organization!.id} ${project!.id}`
  return { name, organization: organization!.bytes, project: project!.bytes }
}

/** Bytes of a checker for each byte of its files, about. */
const CHECKER_WEIGHT = 8
/** Reading a glossary of 1,000 terms costs 20 ms, and each bundle of a project needs it. */
const checkers = byteCache<TermChecker>(64 * 2 ** 20)

/** The rules of a source language and another one. */
export function rulesOfBoth(sourceLanguage: string, language: string, rules: TextRules = {}): RulesOfBoth {
  return rulesOf(sourceLanguage, language, rules, glossaryCheck(sourceLanguage, language, rules))
}

/** The check of a project's glossaries in one language; undefined without any, and of the source language itself. */
export function glossaryCheck(
  sourceLanguage: string,
  language: string,
  { glossaries, interpolation }: TextRules,
): TermChecker | undefined {
  if (glossaries === undefined || language === sourceLanguage) return undefined
  const { name, organization, project } = glossaries
  const key = JSON.stringify([name, sourceLanguage, language, interpolation])
  let checker = checkers.get(key)
  if (checker === undefined) {
    const terms = { project: termsIn(project), organization: termsIn(organization) }
    checker = new TermChecker({ glossaries: terms, sourceLanguage, language, interpolation })
    const bytes = (organization?.length ?? 0) + (project?.length ?? 0)
    checkers.set(key, checker, { size: bytes * CHECKER_WEIGHT + key.length })
  }
  return checker
}
