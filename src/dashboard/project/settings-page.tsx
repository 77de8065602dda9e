/** A project's name, format and end. */
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { Notice } from '../ui/notice.tsx'
import { Loaded } from '../ui/state.tsx'
import { Deletion } from './deletion.tsx'
import { NoProject } from './no-project.tsx'
import { ProjectFrame } from './project-frame.tsx'
import { SettingsForm } from './settings-form.tsx'

/** For owners and admins. */
export default function SettingsPage() {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const { who } = useMember()
  const projects = useProjects()
  return (
    <ProjectFrame slug={slug} title={t('settings')}>
      <Loaded read={projects}>
        {projects => {
          const project = projects.find(project => project.slug === slug)
          if (!project) return <NoProject slug={slug} />
          if (!mayManage(who)) return <Notice>{t('settingsForManagers')}</Notice>
          return (
            <>
              <SettingsForm key={slug} project={project} />
              <Deletion project={project} />
            </>
          )
        }}
      </Loaded>
    </ProjectFrame>
  )
}
