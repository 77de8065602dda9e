/** The rows and columns of a project's matrix. Pure. */
import type { LanguageStatus, NamespaceStatus, Status } from '../api/client.ts'

/** A heading of the matrix, or a cell: a language, a namespace, both, or the whole of the other axis. */
export interface MatrixPlace {
  language?: string
  namespace?: string
}

/** The dialogs of a place; the first two begin another language or namespace. */
export type PlaceDialog = 'language' | 'namespace' | 'export' | 'translate' | 'rename' | 'remove'

/** With more namespaces than these, the namespaces are the rows: a screen has more room for rows than for columns. */
const MOST_COLUMNS = 8

/** Texts to write or to check. Extra texts need nothing. */
const workIn = ({ missing, empty, incomplete, stale, problems }: Omit<NamespaceStatus, 'namespace'>): number =>
  missing + empty + incomplete + stale + problems

/**
 * Languages by namespaces. The source language and the sums come first.
 * @param byWork what needs most work comes first, else by name
 * @returns the headings in order, and the counts of a cell: undefined where the language lacks the namespace
 */
export function axesOf({ sourceLanguage, languages }: Status, byWork: boolean) {
  const found = new Map(languages.map(row => [row.language, row]))
  const cells = new Map(languages.map(row => [row.language, new Map(row.namespaces.map(one => [one.namespace, one]))]))
  const targets = languages.filter(({ language }) => language !== sourceLanguage)
  const source = languages.filter(row => !targets.includes(row))
  const namespaces = [...new Set(languages.flatMap(row => row.namespaces.map(({ namespace }) => namespace)))].sort()
  const workOf = (namespace: string) =>
    targets.reduce((sum, { language }) => {
      const counts = cells.get(language)!.get(namespace)
      return sum + (counts ? workIn(counts) : 0)
    }, 0)
  if (byWork) {
    targets.sort((a, b) => workIn(b) - workIn(a))
    namespaces.sort((a, b) => workOf(b) - workOf(a))
  }
  const byLanguage = [...source, ...targets].map(({ language }): MatrixPlace => ({ language }))
  const byNamespace = [{}, ...namespaces.map((namespace): MatrixPlace => ({ namespace }))]
  const [rows, columns] = namespaces.length > MOST_COLUMNS ? [byNamespace, byLanguage] : [byLanguage, byNamespace]
  const countsAt = ({ language = '', namespace }: MatrixPlace): LanguageStatus | NamespaceStatus | undefined =>
    namespace === undefined ? found.get(language) : cells.get(language)?.get(namespace)
  return { rows, columns, countsAt }
}
