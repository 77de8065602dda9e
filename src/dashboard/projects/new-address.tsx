/** `/projects/new`: the form for a new project, unless a project has that slug. */
import { lazy } from 'react'
import { useTranslation } from 'react-i18next'
import { useProjects } from '../api/queries.ts'
import { Page } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import ProjectsPage from './projects-page.tsx'

const Project = lazy(() => import('../translate/translated-project.tsx'))

/** Asks for a project of this slug only where the list has it. */
export default function NewAddress() {
  const { t } = useTranslation()
  const projects = useProjects()
  if (!projects.data)
    return (
      <Page title={t('projects')}>
        <Loaded read={projects}>{() => null}</Loaded>
      </Page>
    )
  return projects.data.some(({ slug }) => slug === 'new') ? <Project /> : <ProjectsPage isMaking />
}
