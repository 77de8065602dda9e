/** One project of the list. */
import { useTranslation } from 'react-i18next'
import type { Project } from '../api/client.ts'
import { useStatus } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { projectAddress } from '../ui/location.ts'
import { Meter } from '../ui/meter.tsx'
import { Loaded } from '../ui/state.tsx'
import styles from './projects.module.css'

/** Its name, languages and completeness. The whole card links to its page. */
export function ProjectCard({ project: { slug, name, sourceLanguage } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
  const status = useStatus(slug)
  return (
    <li className={styles.card}>
      <h2>
        <a href={`#${projectAddress(slug)}`}>{name}</a>
      </h2>
      <p className="quiet">
        <code>{slug}</code> ·{' '}
        {t('from', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })}
      </p>
      <Loaded read={status} lines={2}>
        {({ languages }) => {
          const targets = languages.filter(({ language }) => language !== sourceLanguage)
          if (targets.length === 0) return <p className="quiet">{t('noTargets')}</p>
          return (
            <dl className={styles.languages}>
              {targets.map(counts => (
                <div key={counts.language}>
                  <dt>
                    <span>{languageName(counts.language, i18n.language)}</span> <code>{counts.language}</code>
                  </dt>
                  <dd>
                    <Meter of={counts} label={languageName(counts.language, i18n.language)} />
                  </dd>
                </div>
              ))}
            </dl>
          )
        }}
      </Loaded>
    </li>
  )
}
