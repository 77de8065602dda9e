/** Commits to look at, and to undo. */
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isNotFound, useManifest } from '../api/queries.ts'
import { NoProject } from '../project/no-project.tsx'
import { Button } from '../ui/button.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { Commit } from './commit.tsx'
import styles from './history.module.css'
import { Since } from './since.tsx'
import { Undo } from './undo.tsx'
import { type HistoryFilter, MOST_TOGETHER, useHistory } from './use-history.ts'
import { useNewCommits } from './use-new-commits.ts'

interface Shown {
  slug: string
  wanted: HistoryFilter
  /** The revision of the commit that is open from the beginning. */
  opened: string | undefined
}

/** Commits by day, newest first. Each opens to its changes, and several can be undone as one. */
export function Commits({ slug, wanted, opened }: Shown) {
  const { t, i18n } = useTranslation('history')
  const history = useHistory(slug, wanted)
  const manifest = useManifest(slug)
  const commits = history.data?.pages.flatMap(({ revisions }) => revisions) ?? []
  const [fresh, seen] = useNewCommits(slug, wanted, new Set(commits.map(({ revision }) => revision)))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [undoing, undo] = useState(false)
  const choose = (revision: string, isChosen: boolean) =>
    setChosen(chosen => new Set([...chosen, revision].filter(one => isChosen || one !== revision)))
  // The server reports a language that the project never had.
  if (isNotFound(history.error) && isNotFound(manifest.error)) return <NoProject slug={slug} />
  const day = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'full' })
  const days = Map.groupBy(commits, ({ date }) => day.format(new Date(date)))
  return (
    <>
      {wanted.author !== undefined && (
        <Since slug={slug} wanted={wanted} onChoose={revisions => setChosen(new Set(revisions))} />
      )}
      <Loaded read={history} lines={8}>
        {() =>
          commits.length === 0 ? (
            <Empty title={t('none')}>{t('noneWhy')}</Empty>
          ) : (
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
                        isOpened={commit.revision === opened}
                        isChosen={chosen.has(commit.revision)}
                        onChoose={isChosen => choose(commit.revision, isChosen)}
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
        }
      </Loaded>
      {(fresh > 0 || chosen.size > 0) && (
        <div className={styles.bar}>
          {fresh > 0 && (
            <Button
              small
              isPending={history.isFetching}
              onPress={() => {
                seen()
                void history.refetch()
                scrollTo({ top: 0 })
              }}
            >
              {t('showNew', { count: fresh })}
            </Button>
          )}
          {chosen.size > 0 && (
            <>
              <span>{t('chosen', { count: chosen.size })}</span>
              <Button
                small
                look="primary"
                icon={<Undo2 aria-hidden />}
                isDisabled={chosen.size > MOST_TOGETHER}
                onPress={() => undo(true)}
              >
                {t('undoChosen')}
              </Button>
              <Button small look="quiet" onPress={() => setChosen(new Set())}>
                {t('chooseNone')}
              </Button>
            </>
          )}
        </div>
      )}
      {undoing && (
        <Undo
          slug={slug}
          revisions={[...chosen]}
          subject={t('commits', { count: chosen.size })}
          title={t('undoCommits', { count: chosen.size })}
          onClose={() => undo(false)}
          onDone={() => setChosen(new Set())}
        />
      )}
    </>
  )
}
