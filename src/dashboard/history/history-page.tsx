/** What happened to a project: to all of it, to a language or namespace, to a key, by a person. */
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Button } from '../ui/button.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { Commit } from './commit.tsx'
import { Filters } from './filters.tsx'
import styles from './history.module.css'
import { useHistory, type Wanted } from './use-history.ts'

/** Commits by day, the newest first; each opens to what it changed. */
export default function HistoryPage() {
  const { t, i18n } = useTranslation('history')
  const { slug = '' } = useParams()
  const wanted = Object.fromEntries(new URLSearchParams(useSearch())) as Wanted
  const history = useHistory(slug, wanted)
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full' })
  return (
    <ProjectFrame slug={slug} title={t('title')}>
      <Filters slug={slug} wanted={wanted} />
      <Loaded read={history} lines={8}>
        {({ pages }) => {
          const commits = pages.flatMap(({ revisions }) => revisions)
          if (commits.length === 0) return <Empty title={t('none')}>{t('noneWhy')}</Empty>
          const days = Map.groupBy(commits, ({ date }) => day.format(new Date(date)))
          return (
            <div className={styles.days}>
              {[...days].map(([name, commits]) => (
                <section key={name}>
                  <h2>{name}</h2>
                  <ul className={styles.commits}>
                    {commits.map(commit => (
                      <Commit
                        key={`${commit.revision}${commit.language ?? ''}`}
                        slug={slug}
                        commit={commit}
                        wanted={wanted}
                      />
                    ))}
                  </ul>
                </section>
              ))}
              {history.hasNextPage && (
                <Button isPending={history.isFetchingNextPage} onPress={() => void history.fetchNextPage()}>
                  {t('showMore')}
                </Button>
              )}
            </div>
          )
        }}
      </Loaded>
    </ProjectFrame>
  )
}
