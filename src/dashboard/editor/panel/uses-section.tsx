/** The other texts that nest this key. */
import { useTranslation } from 'react-i18next'
import { useAllRows, useEditor } from '../editor-context.ts'
import styles from './panel.module.css'
import type { PanelSubject } from './panel-subject.ts'
import { Section } from './section.tsx'

/** Maximum number of listed keys. */
const MOST = 20

/** Links to their rows; nothing where no text nests it. */
export function UsesSection({ row, target }: PanelSubject) {
  const { t } = useTranslation('editor')
  const { actions } = useEditor()
  const by = useAllRows().uses(row)
  if (by.length === 0) return null
  return (
    <Section title={t('uses')}>
      <ul>
        {by.slice(0, MOST).map(({ id, key }) => (
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
    </Section>
  )
}
