/**
 * The rules of prose that a program can check: avoided words, the length of a sentence, the length of a line. They hold
 * for comments, titles of tests, sentences in strings, and documents.
 */

/** The most words that a sentence may have. */
export const MAX_WORDS = 25
/** The most columns that a line may have. */
export const MAX_COLUMNS = 120

/** A piece of prose in a file. */
export interface Passage {
  /** Counted from 1. */
  line: number
  text: string
}

/** A rule that a passage breaks. */
export interface ProseFault {
  line: number
  message: string
}

/** What to avoid, and what to write in its place. */
const AVOIDED: readonly [RegExp, string][] = [
  [/\b(tells?|told|telling)\b/i, 'report, return, log, notify, answer'],
  [/\b(takes?|taken|took|taking)\b/i, 'accept, read, import, merge, acquire, need, last'],
  [/\b(keeps?|kept|keeping)\b/i, 'store, cache, retain, hold, stay'],
  [/\b(makes?|made|making)\b/i, 'create, build, render, cause'],
  [/\b(comes? to|comes? of|came to|came of)\b/i, 'result in, equal, reach'],
  [/\banew\b|\bonce more\b/i, 'again, or the name of it: retry, rebuild, revalidate'],
  [/\b(nobody|whoever|somebody|whatever)\b/i, 'the caller, another user, the operator, a client'],
  [/\baside\b|\bbehind (\w+ )?backs?\b/i, 'in a worker, in the background'],
  [/\bso (many|often|much)\b/i, 'the number, the maximum, the interval'],
  [/\b(of|by|in|from|to|with) which\b|\bwhose\b/i, 'two sentences'],
  [/\bwhat there is not\b/i, 'missing, unknown, not found'],
  [/\bthe page\b/i, 'the dashboard'],
  [/\bthe command\b(?! line)/i, 'the CLI, or its name'],
  [/\bseveral servers\b|\bnodes? of several\b/i, 'cluster, node'],
  [/\b(outside|hand) edits?\b|\b(edit|edits|edited|editing) (\w+ )?by hand\b/i, 'external edit'],
  [/\bworks? no more\b/i, 'expired, revoked'],
]

/**
 * Checks one passage.
 * @param passage code in backticks, quotations and addresses in it are not prose
 * @returns the faults, with the line where the passage begins
 */
export function checkPassage({ line, text }: Passage): ProseFault[] {
  const prose = text
    .replace(/`[^`]*`/g, 'X')
    .replace(/"[^"\n]*"|“[^”]*”/g, 'X')
    .replace(/https?:\/\/\S+/g, 'X')
  const faults: ProseFault[] = []
  for (const [pattern, instead] of AVOIDED) {
    const found = pattern.exec(prose)
    if (found) faults.push({ line, message: `"${found[0]}": write ${instead}` })
  }
  for (const sentence of prose.split(/(?<=[.:;?!])\s+|\s+[-–•]\s+|\n\s*\n/)) {
    const words = sentence.split(/\s+/).filter(word => /\w/.test(word)).length
    if (words > MAX_WORDS) faults.push({ line, message: `a sentence of ${words} words: ${sentence.slice(0, 50)}…` })
  }
  return faults
}
