/** The changes of a replacement in rows, and their faults. */
import type { Message } from '../../../bundle/message.ts'
import { faultsOf, isRefused, type TextFault } from '../field/faults-of.ts'
import { textsOf } from '../model/leaves.ts'
import type { Columns, EditorRow, LeafPlace } from '../model/rows.ts'

/** A text that is looked in. */
export interface ReplaceCandidate extends LeafPlace {
  /** Unlike that of any other. */
  id: string
  text: string
  source: Message | undefined
}

/** A text that would become another one. */
export interface TextReplacement extends ReplaceCandidate {
  after: string
  /** Faults that the replacement introduces. */
  checks: readonly TextFault[]
  /** It cannot be written: the server refuses it, or it would be empty, and a push never empties a text. */
  refused: boolean
}

/** The texts of rows in some of their columns' languages (by number). */
export function candidatesIn(
  rows: readonly EditorRow[],
  targets: readonly string[],
  chosen: ReadonlySet<string>,
): ReplaceCandidate[] {
  return rows.flatMap(({ id, namespace, key, source, cells }) =>
    [...targets.entries()].flatMap(([at, language]) => {
      const texts = chosen.has(language) ? Object.entries(textsOf(cells[at]!.message)) : []
      return texts
        .filter(([, text]) => text !== '')
        .map(([ending, text]) => ({
          id: `${language}\n${id}\n${ending}`,
          language,
          namespace,
          key,
          ending,
          text,
          source,
        }))
    }),
  )
}

/** @param texts by candidate the new text, null for an unchanged one */
export function changesOf(
  candidates: readonly ReplaceCandidate[],
  texts: readonly (string | null)[],
  columns: Omit<Columns, 'targets'>,
): TextReplacement[] {
  return candidates.flatMap((candidate, at): TextReplacement[] => {
    const after = texts[at]
    if (after == null) return []
    const { language, ending } = candidate
    const source = language === columns.source ? undefined : candidate.source
    const checksOfText = (text: string) => faultsOf({ source, text, language, ending }, columns)
    const known = new Set(checksOfText(candidate.text).map(check => JSON.stringify(check)))
    const checks = checksOfText(after).filter(check => !known.has(JSON.stringify(check)))
    return [{ ...candidate, after, checks, refused: after === '' || checks.some(isRefused) }]
  })
}

/** The resources of a push with these changes, by language and namespace. */
export function bundlesOf(changes: readonly TextReplacement[]) {
  const bundles: Record<string, Record<string, Record<string, string>>> = {}
  for (const { language, namespace, key, ending, after } of changes) {
    bundles[language] ??= {}
    bundles[language][namespace] ??= {}
    bundles[language][namespace][key + ending] = after
  }
  return bundles
}
