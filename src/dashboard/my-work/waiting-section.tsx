/** What waits for the reader, by project and language. */
import { useTranslation } from 'react-i18next'
import type { Project } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { projectAddress } from '../ui/location.ts'
import { Failed, Loading } from '../ui/state.tsx'
import { useWaiting, type WaitingWork } from './use-waiting.ts'
import styles from './work.module.css'

/** Each number links to its texts. */
export function WaitingSection({ projects }: { projects: readonly Project[] }) {
  const { t } = useTranslation('work')
  const { work, isPending, error } = useWaiting(projects)
  if (isPending) return <Loading lines={2} />
  return (
    <>
      {error !== null && <Failed error={error} />}
      {work.length === 0 && error === null && <p className="quiet">{t('nothingWaits')}</p>}
      {work.length > 0 && (
        <ul className={styles.list}>
          {work.map(one => (
            <Row key={`${one.project.slug} ${one.language}`} work={one} />
          ))}
        </ul>
      )}
    </>
  )
}

function Row({ work: { project, language, missing, stale, suggested } }: { work: WaitingWork }) {
  const { t, i18n } = useTranslation('work')
  const address = projectAddress(project.slug, language)
  const links = [
    [suggested, `${projectAddress(project.slug)}/review/${encodeURIComponent(language)}`, 'toReview'],
    [missing, `${address}?is=missing,empty,incomplete`, 'toTranslate'],
    [stale, `${address}?is=stale`, 'toUpdate'],
  ] as const
  return (
    <li className={styles.row}>
      <span>
        <b>{languageName(language, i18n.language)}</b> <code className="quiet">{language}</code>{' '}
        <bdi className="quiet">{project.name}</bdi>
      </span>
      <span className={styles.links}>
        {links.map(([count, to, words]) =>
          count === 0 ? null : (
            <a key={words} href={`#${to}`}>
              {t(words, { count })}
            </a>
          ),
        )}
      </span>
    </li>
  )
}
