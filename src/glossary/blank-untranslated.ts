/** Blanks the parts of a text that stay untranslated. */
import { type Interpolation, placedIn } from '../bundle/placeholders.ts'

/** A run of ASCII without spaces. */
const RUN = /[!-~]+/g
/** Addresses, files, names of the code: a dot, underscore or backslash inside a word, an at sign, an absolute path. */
const UNTRANSLATED = /[a-z0-9][._\\][a-z0-9]|:[\\/]|.@.|^["'(`]*\/[a-z]/i

/** The text with a control character for each character of a placeholder or an address: all places stay. */
export function blankUntranslated(text: string, interpolation?: Interpolation): string {
  const parts: { from: number; to: number }[] = placedIn(text, interpolation)
  if (/[.@_:\\/]/.test(text)) {
    for (const { 0: run, index } of text.matchAll(RUN)) {
      if (UNTRANSLATED.test(run)) parts.push({ from: index, to: index + run.length })
    }
  }
  if (parts.length === 0) return text
  let blanked = ''
  let behind = 0
  for (const { from, to } of parts.sort((a, b) => a.from - b.from)) {
    if (to <= behind) continue
    const start = Math.max(from, behind)
    blanked += text.slice(behind, start) + '\u0001'.repeat(to - start)
    behind = to
  }
  return blanked + text.slice(behind)
}
