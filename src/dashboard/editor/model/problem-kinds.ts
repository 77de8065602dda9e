/** The kinds of problems, as the filter and the sentences at a text name them. */
import type { TFunction } from 'i18next'
import type { EditorRow } from './rows.ts'

const PLACEHOLDERS: ReadonlySet<string> = new Set(['interpolation', 'nesting', 'tag'])

/** The kind that readers know: placeholders are one. */
export const problemKind = (kind: string): string => (PLACEHOLDERS.has(kind) ? 'placeholder' : kind)

/** Whether a row's main language has a problem of one of these kinds, or any where there are no kinds. */
export const hasProblem = ({ cells }: EditorRow, kinds: readonly string[]): boolean =>
  kinds.length === 0 || cells[0]!.problems.some(({ kind }) => kinds.includes(problemKind(kind)))

/** How many rows have a problem of each kind, in alphabetical order of the kinds. */
export function countProblems(rows: readonly EditorRow[]): [kind: string, rows: number][] {
  const counts = new Map<string, number>()
  for (const { cells } of rows) {
    for (const kind of new Set(cells[0]!.problems.map(({ kind }) => problemKind(kind)))) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
}

/** The kind in words. @param t of the namespace `editor` */
export const problemName = (kind: string, t: TFunction<'editor'>): string =>
  t(`problemKind.${problemKind(kind)}`, { defaultValue: t('problemKind.other', { kind }) })
