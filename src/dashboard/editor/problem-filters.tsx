/** Filters by kind of problem, beside the filter of all problems. */
import { useTranslation } from 'react-i18next'
import { Toggle } from '../ui/toggle.tsx'
import type { RowFilter } from './model/filter.ts'
import { problemName } from './model/problem-kinds.ts'
import styles from './toolbar.module.css'

interface Props {
  filter: RowFilter
  ask: (changed: Partial<RowFilter>) => void
  /** Rows by kind. */
  counts: readonly (readonly [kind: string, rows: number])[]
}

/** A button for each kind that a text has, or that the address names. */
export function ProblemFilters({ filter: { problems }, ask, counts }: Props) {
  const { t, i18n } = useTranslation('editor')
  const number = new Intl.NumberFormat(i18n.language)
  const rows = new Map(counts)
  const kinds = [...new Set([...rows.keys(), ...problems])].sort()
  return kinds.map(kind => (
    <Toggle
      key={kind}
      className={styles.filter}
      isOn={problems.includes(kind)}
      onChange={on => ask({ problems: on ? [...problems, kind] : problems.filter(one => one !== kind) })}
    >
      <span aria-hidden data-sign="problems" /> {problemName(kind, t)}{' '}
      <span className={styles.count}>{number.format(rows.get(kind) ?? 0)}</span>
    </Toggle>
  ))
}
