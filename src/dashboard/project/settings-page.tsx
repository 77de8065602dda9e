/** A project's name, format, interpolation, review and end. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import type { CheckSettings } from '../../bundle/checks/check-settings.ts'
import { MAX_AFFIX } from '../../bundle/names.ts'
import { INTERPOLATION } from '../../bundle/placeholders.ts'
import { answer } from '../api/answer.ts'
import { changeProject, deleteProject, type Project } from '../api/client.ts'
import { useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { ConfirmButton } from '../ui/confirm.tsx'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Card } from '../ui/page.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import { Loaded } from '../ui/state.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { CheckLevels } from './check-levels.tsx'
import { FormatChoice } from './format-choice.tsx'
import { NoProject } from './no-project.tsx'
import styles from './project.module.css'
import { ProjectFrame } from './project-frame.tsx'
import { ReviewSettings } from './review-settings.tsx'

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
              <ReviewSettings key={`review ${slug}`} project={project} />
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
    <SettingsSection title={t('deletion')} danger>
      <p>{t('deletionWhat')}</p>
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
    </SettingsSection>
  )
}

/** The fields and their sending. */
function SettingsForm({ project: { slug, ...before } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const [name, setName] = useState(before.name)
  const [format, setFormat] = useState(before.defaultFormat)
  const was = before.interpolation ?? INTERPOLATION
  const [prefix, setPrefix] = useState(was.prefix)
  const [suffix, setSuffix] = useState(was.suffix)
  const [levels, setLevels] = useState<CheckSettings>({})
  const interpolates = prefix !== was.prefix || suffix !== was.suffix
  const checks = Object.keys(levels).length > 0
  const { pending, problem, send } = useSubmission()
  const save = () =>
    send(async () => {
      const projectChange = {
        ...(name !== before.name && { name }),
        ...(format !== before.defaultFormat && { defaultFormat: format }),
        ...(interpolates && { interpolation: { prefix, suffix } }),
        ...(checks && { checks: levels }),
      }
      await answer(changeProject({ slug, projectChange }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      await client.invalidateQueries({ queryKey: ['project', slug] })
      setLevels({})
      return t('settingsSaved')
    })
  const changed = name !== before.name || format !== before.defaultFormat || interpolates || checks
  return (
    <SettingsSection title={t('general')}>
      <Card>
        <Form onSubmit={save} native>
          <div className={styles.fields}>
            <TextField label={t('common:name')} value={name} onChange={setName} isRequired maxLength={100} />
            <TextField label={t('slugForGood')} value={slug} isReadOnly code hint={t('slugStays')} />
            <TextField
              label={t('sourceForGood')}
              value={`${languageName(before.sourceLanguage, i18n.language)} (${before.sourceLanguage})`}
              isReadOnly
              hint={t('sourceStays')}
            />
            <FormatChoice value={format} onChange={setFormat} hint={t('formatRewrites')} />
            <TextField
              label={t('placeholderPrefix')}
              value={prefix}
              onChange={setPrefix}
              isRequired
              maxLength={MAX_AFFIX}
              code
              hint={t('placeholderWhy')}
            />
            <TextField
              label={t('placeholderSuffix')}
              value={suffix}
              onChange={setSuffix}
              isRequired
              maxLength={MAX_AFFIX}
              code
            />
          </div>
          <CheckLevels stored={before.checks} changed={levels} onChange={setLevels} />
          <SubmitActions problem={problem} isPending={pending} isDisabled={!changed}>
            {t('common:save')}
          </SubmitActions>
        </Form>
      </Card>
    </SettingsSection>
  )
}
