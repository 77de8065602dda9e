/** Keys of a section that lead to their rows. */
import { useTranslation } from 'react-i18next'
import { useEditor } from '../editor-context.ts'
import type { EditorRow } from '../model/rows.ts'
import styles from './panel.module.css'

/** Maximum number of listed keys. */
const MOST = 20

/** A list of the first keys. @param target the language, by number, that a link opens */
export function KeyLinks({ rows, target }: { rows: readonly EditorRow[]; target: number }) {
  const { t } = useTranslation('editor')
  const { actions } = useEditor()
  return (
    <ul>
      {rows.slice(0, MOST).map(({ id, key }) => (
        <li key={id}>
          <button
            type="button"
            className={styles.link}
            onClick={() => actions.go(id, target, { isEditing: true })}
            aria-label={t('goTo', { key })}
          >
            <code>{key}</code>
          </button>
        </li>
      ))}
    </ul>
  )
}
