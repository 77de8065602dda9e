/** All projects of the organization. */
import { useTranslation } from 'react-i18next'
import { useProjects } from '../api/queries.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { ProjectCard } from './project-card.tsx'
import styles from './projects.module.css'

/** A card each, with how much of it is translated. */
export default function ProjectsPage() {
  const { t } = useTranslation('projects')
  const projects = useProjects()
  return (
    <Page title={t('common:projects')}>
      <Loaded read={projects}>
        {projects =>
          projects.length === 0 ? (
            <Empty title={t('none')}>{t('noneWhy')}</Empty>
          ) : (
            <ul className={styles.cards}>
              {projects.map(project => (
                <ProjectCard key={project.slug} project={project} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  )
}
