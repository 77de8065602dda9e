/** The common parts of all pages of a project, and what a missing project shows. */
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type Organization, setActiveOrganization } from '../api/client.ts'
import { isNotFound, useManifest, useProjectName } from '../api/queries.ts'
import { resetQueries, useMember } from '../api/session.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { useSubmission, Wrong } from '../ui/form.tsx'
import { InterpolationContext } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Empty, Page } from '../ui/page.tsx'
import { Place } from '../ui/tabs.tsx'
import styles from './project.module.css'
import { DropAnywhere, ProjectTabs } from './project-tabs.tsx'

interface Props {
  slug: string
  /** The title of a page within the project. The project's own page has none. */
  title?: string
  actions?: ReactNode
  /** Its content exists for a deleted project, too. */
  evenDeleted?: boolean
  /** Receives dropped files; see {@link DropAnywhere}. */
  onFiles?: (entries: FileSystemEntry[]) => void
  children: ReactNode
}

/** The project's name and its tabs above a page. */
export function ProjectFrame({ slug, title, actions, evenDeleted, onFiles, children }: Props) {
  const { name } = useProjectName(slug)
  const manifest = useManifest(slug)
  const isGone = isNotFound(manifest.error) && !evenDeleted
  const tabs = <ProjectTabs slug={slug} />
  const isProject = title === undefined
  // The place of the heading on the project's own page: the tabs stay in place between pages.
  const above = (
    <>
      <Place name={name} to={projectAddress(slug)} />
      {tabs}
    </>
  )
  return (
    <Page
      title={title ?? name}
      above={!isProject && above}
      actions={!isGone && actions}
      width={isProject ? undefined : 'page'}
    >
      {isProject && tabs}
      {manifest.data && <DropAnywhere slug={slug} onFiles={onFiles} />}
      <InterpolationContext value={manifest.data?.interpolation}>
        <div className={isProject ? styles.whole : styles.content}>{isGone ? <NoProject slug={slug} /> : children}</div>
      </InterpolationContext>
    </Page>
  )
}

/** Leads to the history, which a deleted project still has, and to the reader's other projects and organizations. */
export function NoProject({ slug }: { slug: string }) {
  const { t } = useTranslation('projects')
  const { who, organizations } = useMember()
  const client = useQueryClient()
  const { pending, problem, send } = useSubmission()
  const others = organizations.filter(({ id }) => id !== who.organization.id)
  // A shared address names no organization, so it stays the same.
  const lookIn = ({ id, name }: Organization) =>
    send(async () => {
      await answer(setActiveOrganization({ body: { organizationId: id } }))
      await resetQueries(client)
      return t('common:organizationNow', { name })
    })
  return (
    <>
      <Empty
        title={t('unknownProject', { slug })}
        action={
          <>
            {others.length > 0 && (
              <>
                <p>{t('otherOrganizations', { name: who.organization.name })}</p>
                <Actions>
                  {others.map(other => (
                    <Button key={other.id} isPending={pending} onPress={() => void lookIn(other)}>
                      {t('lookIn', { name: other.name })}
                    </Button>
                  ))}
                </Actions>
                <Wrong problem={problem} />
              </>
            )}
            <Actions>
              <ButtonLink to={`${projectAddress(slug)}/history`}>{t('common:history')}</ButtonLink>
              <ButtonLink to="/projects">{t('common:toProjects')}</ButtonLink>
            </Actions>
          </>
        }
      >
        {t('unknownProjectWhy')}
      </Empty>
      <TypedTexts isShown={({ organization, project }) => organization === who.organization.id && project === slug} />
    </>
  )
}
