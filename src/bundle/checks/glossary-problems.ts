/** What the glossary finds in a text, as problems of the text. */
import type { TextProblem } from '../status.ts'
import type { CheckSettings } from './check-settings.ts'
import type { GlossaryFault } from './glossary-check.ts'

/** One problem for each kind. @param form absent of a text */
export function glossaryProblems(
  faults: readonly GlossaryFault[],
  checks: CheckSettings | undefined,
  form: string | undefined,
): TextProblem[] {
  return (['term', 'avoid'] as const).flatMap(kind => {
    const these = checks?.[kind] === 'off' ? [] : faults.filter(fault => fault.kind === kind)
    if (these.length === 0) return []
    const words = these.map(({ use, avoid }) => (kind === 'term' ? (use[0] ?? '') : (avoid ?? '')))
    const terms = these.map(({ term, use }) => ({ term, use: [...use] }))
    const [missing, extra] = kind === 'term' ? [words, []] : [[], words]
    return [{ ...(form !== undefined && { form }), kind, missing, extra, terms }]
  })
}
