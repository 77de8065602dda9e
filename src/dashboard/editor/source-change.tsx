/** What changed in the source since a translation of it was made. */
import { useTranslation } from 'react-i18next'
import { Diff } from '../ui/diff.tsx'
import styles from './cell.module.css'
import { useEditor } from './context.ts'
import { leafAt, textsOf } from './model/leaves.ts'
import type { Row } from './model/rows.ts'
import { formName } from './shown-text.tsx'

/** A word diff for each target that is stale; where they are of the same source once. */
export function SourceChange({ row }: { row: Row }) {
  const { t } = useTranslation('editor')
  const { columns } = useEditor()
  const seen = new Set<string>()
  return row.cells.map(({ sourceThen }, at) => {
    const said = JSON.stringify(sourceThen)
    if (sourceThen === undefined || seen.has(said)) return null
    seen.add(said)
    const [then, now] = [textsOf(sourceThen), textsOf(row.source)]
    const endings = [...new Set([...Object.keys(then), ...Object.keys(now)])].filter(one => then[one] !== now[one])
    return (
      <section key={columns.targets[at]} className={styles.change} aria-label={t('sourceChanged')}>
        <h3>{t('sourceChanged')}</h3>
        {endings.map(ending => (
          <p key={ending}>
            {endings.length > 1 && <span className={styles.form}>{formName(leafAt(ending), t)}</span>}
            <Diff before={then[ending] ?? ''} after={now[ending] ?? ''} language={columns.source} />
          </p>
        ))}
      </section>
    )
  })
}
