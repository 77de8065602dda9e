/** A project's name, format and end. */
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { answer } from '../api/answer.ts'
import { deleteProject, type Project } from '../api/client.ts'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { announce } from '../ui/announce.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
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

/** Its short name has to be typed first. */
function Deletion({ project: { slug, name } }: { project: Project }) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  return (
    <Section title={t('deletion')}>
      <p className="quiet">{t('deletionWhat')}</p>
      <div>
        <ConfirmButton
          look="danger"
          words={t('deleteProject')}
          title={t('deleteNamed', { name })}
          typed={slug}
          onConfirm={async () => {
            await answer(deleteProject({ slug }))
            announce(t('deleted', { name }))
            // Its history stays readable, and offers the way back.
            go(`${projectAddress(slug)}/history`)
            await client.invalidateQueries({ queryKey: ['projects'] })
            client.removeQueries({ queryKey: ['project', slug, 'status'] })
          }}
        >
          <p>{t('deletionBack')}</p>
        </ConfirmButton>
      </div>
    </Section>
  )
}
