/** My work: what waits for the reader, the reader's own suggestions, and the inbox. */
import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { linesOf, type Message, partsOf } from '../../bundle/message.ts'
import { answer } from '../api/answer.ts'
import { getStatus, type Project, type Status } from '../api/client.ts'
import { listSuggestions } from '../api/late-client.ts'
import { useProjects } from '../api/queries.ts'
import { mayIn } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { Isolated } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Badge } from '../ui/notice.tsx'
import { Failed, Loaded, Loading, Page, Section } from '../ui/page.tsx'
import { When } from '../ui/when.tsx'
import { DecidedSuggestions, FeedSection, InboxSection } from './inbox.tsx'
import styles from './work.module.css'

/** Own suggestions of a project that are listed. */
const PAGE = 100

/** See the file. */
export default function WorkPage() {
  const { t } = useTranslation('work')
  const projects = useProjects()
  return (
    <Page title={t('common:myWork')}>
      <div className={styles.sections}>
        <Section title={t('waitsForYou')}>
          <Loaded read={projects}>{(all: Project[]) => <Waiting projects={all} />}</Loaded>
        </Section>
        <Section title={t('ownSuggestions')}>
          <Loaded read={projects}>{(all: Project[]) => <OwnSuggestions projects={all} />}</Loaded>
          <DecidedSuggestions />
        </Section>
        <InboxSection />
        <FeedSection />
      </div>
    </Page>
  )
}

/** Missing and stale texts, and suggestions to review, by project and language. Each number links to its texts. */
function Waiting({ projects }: { projects: readonly Project[] }) {
  const { t, i18n } = useTranslation('work')
  const { who } = useMember()
  const statuses = useQueries({
    queries: projects.map(({ slug }) => ({
      queryKey: ['project', slug, 'status'],
      queryFn: ({ signal }: { signal: AbortSignal }): Promise<Status> => answer(getStatus({ slug }, { signal })),
    })),
  })
  const work = projects.flatMap((project, at) =>
    (statuses[at]?.data?.languages ?? [])
      .filter(({ language }) => language !== project.sourceLanguage && mayIn(who, 'suggest', project.slug, language))
      .map(({ language, missing, empty, incomplete, stale, suggested }) => {
        const toReview = mayIn(who, 'review', project.slug, language) ? suggested : 0
        const address = projectAddress(project.slug, language)
        const links = [
          [toReview, `${projectAddress(project.slug)}/review/${encodeURIComponent(language)}`, 'toReview'],
          [missing + empty + incomplete, `${address}?is=missing,empty,incomplete`, 'toTranslate'],
          [stale, `${address}?is=stale`, 'toUpdate'],
        ] as const
        return { project, language, links: links.filter(([count]) => count > 0) }
      })
      .filter(({ links }) => links.length > 0),
  )
  return (
    <ProjectRows reads={statuses} none={t('nothingWaits')} isEmpty={work.length === 0}>
      {work.map(({ project, language, links }) => (
        <li key={`${project.slug} ${language}`} className={styles.row}>
          <span>
            <b>{languageName(language, i18n.language)}</b> <code className="quiet">{language}</code>{' '}
            <bdi className="quiet">{project.name}</bdi>
          </span>
          <span className={styles.links}>
            {links.map(([count, to, words]) => (
              <a key={words} href={`#${to}`}>
                {t(words, { count })}
              </a>
            ))}
          </span>
        </li>
      ))}
    </ProjectRows>
  )
}

/** The reader's own suggestions that wait, the newest first. Each links to its key. */
function OwnSuggestions({ projects }: { projects: readonly Project[] }) {
  const { t, i18n } = useTranslation('work')
  const { user } = useMember()
  const reads = useQueries({
    queries: projects.map(({ slug }) => ({
      queryKey: ['project', slug, 'suggestions', 'own', user.id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        answer(listSuggestions({ slug, by: user.id, limit: PAGE }, { signal })),
    })),
  })
  const rows = projects
    .flatMap((project, at) => (reads[at]?.data?.suggestions ?? []).map(row => ({ ...row, project })))
    .sort((one, other) => (one.at < other.at ? 1 : -1))
  return (
    <ProjectRows reads={reads} none={t('noOwnSuggestions')} isEmpty={rows.length === 0}>
      {rows.map(({ project, id, language, namespace, key, message, at }) => (
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
    </ProjectRows>
  )
}

interface RowsProps {
  /** One for each project. */
  reads: readonly UseQueryResult[]
  isEmpty: boolean
  /** The sentence in place of no rows. */
  none: string
  children: ReactNode
}

/** A list of rows from all projects. If the read of a project fails, the error stands above the others' rows. */
function ProjectRows({ reads, isEmpty, none, children }: RowsProps) {
  if (reads.some(({ isPending }) => isPending)) return <Loading lines={2} />
  const failed = reads.find(({ error }) => error !== null)
  return (
    <>
      {failed && <Failed error={failed.error} again={failed.refetch} />}
      {isEmpty ? !failed && <p className="quiet">{none}</p> : <ul className={styles.list}>{children}</ul>}
    </>
  )
}
