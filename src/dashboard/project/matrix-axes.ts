/** The rows and columns of a project's matrix. Pure. */
import type { LanguageStatus, NamespaceStatus, Status } from '../api/client.ts'

/** A heading of the matrix, or a cell: a language, a namespace, both, or the whole of the other axis. */
export interface MatrixPlace {
  language?: string
  namespace?: string
}

/** What the matrix shows, in order. */
export interface MatrixAxes {
  rows: MatrixPlace[]
  columns: MatrixPlace[]
  /** The counts of a cell; undefined where the language lacks the namespace. */
  countsAt: (place: MatrixPlace) => LanguageStatus | NamespaceStatus | undefined
}

/** With more namespaces than these, the namespaces are the rows: a screen has more room for rows than for columns. */
const MOST_COLUMNS = 8

type Counts = Omit<NamespaceStatus, 'namespace'>

/** Texts to write or to check. Extra texts need nothing. */
const workIn = ({ missing, empty, incomplete, stale, problems }: Counts): number =>
  missing + empty + incomplete + stale + problems

/**
 * Languages by namespaces. The source language and the sums come first.
 * @param byWork what needs most work comes first, else by name
 */
export function axesOf({ sourceLanguage, languages }: Status, byWork: boolean): MatrixAxes {
  const found = new Map(languages.map(row => [row.language, row]))
  const cells = new Map(languages.map(row => [row.language, new Map(row.namespaces.map(one => [one.namespace, one]))]))
  const targets = languages.filter(({ language }) => language !== sourceLanguage)
  const work = new Map<string, number>()
  for (const { namespaces } of languages) for (const { namespace } of namespaces) work.set(namespace, 0)
  for (const { namespaces } of targets)
    for (const counts of namespaces) work.set(counts.namespace, work.get(counts.namespace)! + workIn(counts))
  const namespaces = [...work.keys()].sort()
  if (byWork) {
    targets.sort((a, b) => workIn(b) - workIn(a))
    namespaces.sort((a, b) => work.get(b)! - work.get(a)!)
  }
  const source = languages.filter(({ language }) => language === sourceLanguage)
  const byLanguage = [...source, ...targets].map(({ language }): MatrixPlace => ({ language }))
  const byNamespace = [{}, ...namespaces.map((namespace): MatrixPlace => ({ namespace }))]
  const [rows, columns] = namespaces.length > MOST_COLUMNS ? [byNamespace, byLanguage] : [byLanguage, byNamespace]
  return {
    rows,
    columns,
    countsAt: ({ language = '', namespace }) =>
      namespace === undefined ? found.get(language) : cells.get(language)?.get(namespace),
  }
}
