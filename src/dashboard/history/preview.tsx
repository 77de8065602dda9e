/** What an undo or a restore would do, before it is done. */
import { useTranslation } from 'react-i18next'
import { Notice } from '../ui/notice.tsx'
import { type Change, ChangeList } from './change-list.tsx'
import styles from './history.module.css'

interface Props {
  slug: string
  changes: readonly Change[]
  /** How many there are beyond those. */
  more?: number
  /** Keys that stay as they are. */
  skipped?: readonly { language: string; namespace: string; key: string; reason: string }[]
}

/** The changes that would be made, and what would stay and why. */
export function Preview({ slug, changes, more = 0, skipped = [] }: Props) {
  const { t } = useTranslation('history')
  return (
    <div className={styles.preview}>
      {changes.length === 0 && <Notice>{t('nothingToDo')}</Notice>}
      <ChangeList slug={slug} changes={changes} />
      {more > 0 && <p>{t('andMore', { count: more })}</p>}
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
