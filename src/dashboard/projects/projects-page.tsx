/** All projects of the organization. */
import { useQuery } from '@tanstack/react-query'
import { FolderPlus, PencilLine, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getHistory, type Project } from '../api/client.ts'
import { useProjects, useStatus } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { useDraftStore, useUnsavedCounts } from '../drafts/use-drafts.tsx'
import { languageName } from '../i18n/languages.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { late } from '../ui/late.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Meter } from '../ui/meter.tsx'
import { Badge } from '../ui/notice.tsx'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import styles from './projects.module.css'

// Few visits have a text of a missing project.
const TypedTexts = lazy(async () => ({ default: (await import('../drafts/typed-texts.tsx')).TypedTexts }))
const NewProject = late(() => import('./new-project.tsx'))
const ProjectAtNew = lazy(() => import('../translate/translated-project.tsx'))

/** `/projects/new`: the form for a new project, unless the list has a project with that slug. */
export function NewAddress() {
  const { t } = useTranslation()
  const projects = useProjects()
  if (!projects.data)
    return (
      <Page title={t('projects')}>
        <Loaded read={projects}>{() => null}</Loaded>
      </Page>
    )
  return projects.data.some(({ slug }) => slug === 'new') ? <ProjectAtNew /> : <ProjectsPage isMaking />
}

/** A card for each project, with its progress. @param isMaking whether the form for a new one is open */
export default function ProjectsPage({ isMaking = false }: { isMaking?: boolean }) {
  const { t } = useTranslation('projects')
  const { who, organizations } = useMember()
  const isManager = mayManage(who)
  const projects = useProjects()
  const drafts = useDraftStore()
  // As it opened: the way back of a discarded text stays.
  const [hasTyped] = useState(() => drafts !== undefined && drafts.all.length + drafts.others.length > 0)
  const [making, make] = useState(isMaking && isManager)
  const close = () => {
    make(false)
    if (isMaking) go('/projects', { replace: true })
  }
  const action = isManager && (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => make(true)}>
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('common:projects')} actions={action}>
      <Loaded read={projects}>
        {projects => (
          <>
            {projects.length === 0 ? (
              <Empty
                icon={<FolderPlus aria-hidden />}
                title={t('none')}
                action={
                  <ButtonLink to={isManager ? '/start' : '/team'}>
                    {isManager ? t('firstSteps') : t('common:team')}
                  </ButtonLink>
                }
              >
                {isManager ? t('common:projectWhy') : t('noneForMembers')}
              </Empty>
            ) : (
              <ul className={styles.cards}>
                {projects.map(project => (
                  <ProjectCard key={project.slug} project={project} />
                ))}
              </ul>
            )}
            {hasTyped && (
              <Suspense fallback={null}>
                <TypedTexts
                  isShown={({ organization, project }) =>
                    organization === who.organization.id
                      ? !projects.some(({ slug }) => slug === project)
                      : !organizations.some(({ id }) => id === organization)
                  }
                />
              </Suspense>
            )}
          </>
        )}
      </Loaded>
      {making && <NewProject onClose={close} onMade={({ slug }) => go(projectAddress(slug))} />}
    </Page>
  )
}

/** Languages of a card; the rest is a number. */
const MOST_LANGUAGES = 4

/** Its name, size, last change, and the languages that lack most. The whole card links to its page. */
function ProjectCard({ project: { slug, name, sourceLanguage } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
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
      <Loaded read={useStatus(slug)} lines={2}>
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
