/** All projects of the organization. */
import { FolderPlus, Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { useDraftStore } from '../drafts/use-drafts.tsx'
import { Button, ButtonLink } from '../ui/button.tsx'
import { late } from '../ui/late.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { ProjectCard } from './project-card.tsx'
import styles from './projects.module.css'

// Few visits have a text of a missing project.
const TypedTexts = lazy(async () => ({ default: (await import('../drafts/typed-texts.tsx')).TypedTexts }))
const NewProject = late(() => import('./new-project.tsx'))

/** A card for each project, with its progress. @param isMaking whether the form for a new one is open */
export default function ProjectsPage({ isMaking = false }: { isMaking?: boolean }) {
  const { t } = useTranslation('projects')
  const { who, organizations } = useMember()
  const projects = useProjects()
  const drafts = useDraftStore()
  // As it opened: the way back of a discarded text stays.
  const [hasTyped] = useState(() => drafts !== undefined && drafts.all.length + drafts.others.length > 0)
  const [making, make] = useState(isMaking && mayManage(who))
  const close = () => {
    make(false)
    if (isMaking) go('/projects', { replace: true })
  }
  const action = mayManage(who) && (
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
                  <ButtonLink to={mayManage(who) ? '/start' : '/team'}>
                    {mayManage(who) ? t('firstSteps') : t('common:team')}
                  </ButtonLink>
                }
              >
                {mayManage(who) ? t('common:projectWhy') : t('noneForMembers')}
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
