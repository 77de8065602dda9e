/** The reader's own suggestions that wait. The decided ones: decided-suggestions.tsx. */
import { useTranslation } from 'react-i18next'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import type { Project } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { Badge } from '../ui/badge.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Loading } from '../ui/state.tsx'
import { When } from '../ui/when.tsx'
import { useOwnSuggestions } from './use-waiting.ts'
import styles from './work.module.css'

/** Each links to its key. */
export function OwnSuggestions({ projects }: { projects: readonly Project[] }) {
  const { t, i18n } = useTranslation('work')
  const { rows, isPending } = useOwnSuggestions(projects)
  if (isPending) return <Loading lines={2} />
  if (rows.length === 0) return <p className="quiet">{t('noOwnSuggestions')}</p>
  return (
    <ul className={styles.list}>
      {rows.map(({ project, row: { id, language, namespace, key, message, at } }) => (
        <li key={id} className={styles.row}>
          <span>
            <a href={`#${projectAddress(project.slug, language, namespace, key)}`}>
              <code>{key}</code>
            </a>{' '}
            <span lang={language} dir={directionOf(language)}>
              <Isolated text={linesOf(partsOf(message as Message)).at(-1)?.[1] ?? ''} />
            </span>
          </span>
          <span className="quiet">
            <Badge kind="info">{t('waits')}</Badge> {languageName(language, i18n.language)} · {project.name} ·{' '}
            <When date={at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
