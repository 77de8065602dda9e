/** A project's name, format and end. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { answer } from '../api/answer.ts'
import { changeProject, deleteProject, type Project } from '../api/client.ts'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../shell/announce.ts'
import { go, projectAddress } from '../shell/location.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form, useSending, Wrong } from '../ui/form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Card, Section } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import { FormatChoice } from './format-choice.tsx'
import { NoProject } from './no-project.tsx'
import { ProjectFrame } from './project-frame.tsx'

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
              <Fields key={slug} project={project} />
              <Deletion project={project} />
            </>
          )
        }}
      </Loaded>
    </ProjectFrame>
  )
}

function Fields({ project: { slug, ...before } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const [name, setName] = useState(before.name)
  const [format, setFormat] = useState(before.defaultFormat)
  const { pending, problem, send } = useSending()
  const save = () =>
    send(async () => {
      const projectChange = {
        ...(name !== before.name && { name }),
        ...(format !== before.defaultFormat && { defaultFormat: format }),
      }
      await answer(changeProject({ slug, projectChange }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      await client.invalidateQueries({ queryKey: ['project', slug] })
      announce(t('settingsSaved'))
    })
  const changed = name !== before.name || format !== before.defaultFormat
  return (
    <Card narrow>
      <Form onSubmit={save} native>
        <TextField label={t('common:name')} value={name} onChange={setName} isRequired maxLength={100} />
        <TextField label={t('common:slug')} value={slug} isReadOnly code hint={t('slugStays')} />
        <TextField
          label={t('sourceLanguage')}
          value={`${languageName(before.sourceLanguage, i18n.language)} (${before.sourceLanguage})`}
          isReadOnly
          hint={t('sourceStays')}
        />
        <FormatChoice value={format} onChange={setFormat} hint={t('formatRewrites')} />
        <Wrong problem={problem} />
        <Actions>
          <Button look="primary" type="submit" isPending={pending} isDisabled={!changed}>
            {t('common:save')}
          </Button>
        </Actions>
      </Form>
    </Card>
  )
}

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
