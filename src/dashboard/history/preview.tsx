/** The preview of an undo or a restore. */
import { useTranslation } from 'react-i18next'
import type { BundleChange } from '../../bundle/diff.ts'
import { Notice } from '../ui/notice.tsx'
import { ChangeList } from './change-list.tsx'
import styles from './history.module.css'
import { type ChangedProject, ProjectChange } from './project-change.tsx'

/** The answer to the dry run of an undo or a restore. */
export interface RevertPreview {
  changes?: readonly BundleChange[]
  /** How many there are beyond those. */
  more?: number
  /** The number of translations that become stale, and that stop being stale. */
  stale?: { added: number; removed: number }
  /** Keys that stay as they are. */
  skipped?: readonly { language: string; namespace: string; key: string; reason: string }[]
  /** The project's own fields, where they change. */
  project?: ChangedProject
}

interface Props {
  slug: string
  plan: RevertPreview
  /** Closes the dialog, should this part not load. */
  onClose: () => void
}

/** The planned changes, and the keys that stay with their reason. */
export default function Preview({ slug, plan }: Props) {
  const { changes = [], more = 0, stale, skipped = [], project } = plan
  const { t } = useTranslation('history')
  return (
    <div className={styles.preview}>
      {changes.length === 0 && !stale && !project && <Notice>{t('nothingToDo')}</Notice>}
      {project && <ProjectChange of={project} />}
      <ChangeList slug={slug} changes={changes} />
      {more > 0 && <p>{t('andMore', { count: more })}</p>}
      {stale && stale.added > 0 && <p>{t('staleAgain', { count: stale.added })}</p>}
      {stale && stale.removed > 0 && <p>{t('staleNoMore', { count: stale.removed })}</p>}
      {skipped.length > 0 && (
        <Notice kind="warn">
          {t('skipped', { count: skipped.length })}
          <ul>
            {skipped.slice(0, 20).map(({ language, namespace, key, reason }) => (
              <li key={`${language}/${namespace}/${key}`}>
                <code>
                  {language}/{namespace} {key}
                </code>{' '}
                {reason}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  )
}
