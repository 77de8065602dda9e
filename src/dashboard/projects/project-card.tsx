/** One project of the list. */
import { useQuery } from '@tanstack/react-query'
import { PencilLine } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory, type Project } from '../api/client.ts'
import { useStatus } from '../api/queries.ts'
import { useUnsavedCounts } from '../drafts/use-unsaved-counts.ts'
import { languageName } from '../i18n/languages.ts'
import { Badge } from '../ui/badge.tsx'
import { projectAddress } from '../ui/location.ts'
import { Meter } from '../ui/meter.tsx'
import { Loaded } from '../ui/state.tsx'
import styles from './projects.module.css'

/** Languages of a card; the rest is a number. */
const MOST_LANGUAGES = 4

/** Its name, size, last change, and the languages that lack most. The whole card links to its page. */
export function ProjectCard({ project: { slug, name, sourceLanguage } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
  const status = useStatus(slug)
  const unsaved = useUnsavedCounts().countIn({ project: slug })
  return (
    <li className={styles.card}>
      <h2>
        <a href={`#${projectAddress(slug)}`} dir="auto">
          {name}
        </a>
      </h2>
      <LastChange slug={slug} />
      {unsaved > 0 && (
        <p>
          <Badge kind="info" mark={<PencilLine aria-hidden />}>
            {t('common:unsaved', { count: unsaved })}
          </Badge>
        </p>
      )}
      <Loaded read={status} lines={2}>
        {({ languages }) => {
          const targets = languages
            .filter(({ language }) => language !== sourceLanguage)
            .sort((a, b) => a.translated / a.keys - b.translated / b.keys)
          const more = targets.length - MOST_LANGUAGES
          const keys = languages.find(({ language }) => language === sourceLanguage)?.keys ?? 0
          return (
            <>
              <p className="quiet">
                {t('texts', { count: keys })} ·{' '}
                {t('from', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })}
              </p>
              {targets.length === 0 ? (
                <p className="quiet">{t(keys === 0 ? 'noTexts' : 'noTargets')}</p>
              ) : (
                <dl className={styles.languages}>
                  {targets.slice(0, MOST_LANGUAGES).map(counts => (
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
              )}
              {more > 0 && <p className="quiet">{t('others', { count: more })}</p>}
            </>
          )
        }}
      </Loaded>
    </li>
  )
}

/** Not those of `ui/relative-time.ts`: a chunk that pages share costs the first visit of the editor 200 bytes. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Who changed a project last. The line is there before its words are: nothing moves as they come. */
function LastChange({ slug }: { slug: string }) {
  const { t, i18n } = useTranslation('projects')
  const { data } = useQuery({
    // Live events do not invalidate it: git reads the history.
    queryKey: ['last-change', slug],
    queryFn: ({ signal }) =>
      answer(getHistory({ slug, limit: 1 }, { signal })).then(({ revisions }) => revisions[0] ?? null),
    staleTime: 60_000,
    retry: false,
  })
  const away = data ? Math.max(0, Date.now() - Date.parse(data.date)) / 1000 : 0
  const [unit, length] = UNITS.find(([, length]) => away >= length) ?? (['second', 1] as const)
  const when = new Intl.RelativeTimeFormat(i18n.language, { style: 'short' }).format(-Math.floor(away / length), unit)
  return (
    <p className={`quiet ${styles.changed}`}>
      {data && <time dateTime={data.date}>{t('changedBy', { when, name: data.author.name })}</time>}
    </p>
  )
}
