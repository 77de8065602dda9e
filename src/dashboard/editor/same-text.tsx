/** The other keys whose source says the same, with what their translation is. */
import { useTranslation } from 'react-i18next'
import { useAllRows, useEditor } from './context.ts'
import styles from './details.module.css'
import { textsOf } from './model/leaves.ts'
import type { Row } from './model/rows.ts'
import { ShownText } from './shown-text.tsx'

/** So many are listed. */
const MOST = 5

/** Part of a list of details; nothing where there is none. */
export function SameText({ row }: { row: Row }) {
  const { t } = useTranslation('editor')
  const { columns, actions } = useEditor()
  const { alike } = useAllRows()
  const others = alike(row)
  if (others.length === 0) return null
  const language = columns.targets[0]!
  return (
    <div>
      <dt>{t('sameText', { count: others.length })}</dt>
      {others.slice(0, MOST).map(other => (
        <dd key={other.id}>
          <button
            type="button"
            className={styles.link}
            onClick={() => actions.go(other.id, 0, { isEditing: true })}
            aria-label={t('goTo', { key: other.key })}
          >
            <code>{other.key}</code>
          </button>{' '}
          {Object.values(textsOf(other.cells[0]!.message))
            .slice(0, 1)
            .map(text => (
              <ShownText key="text" text={text} language={language} />
            ))}
        </dd>
      ))}
    </div>
  )
}
