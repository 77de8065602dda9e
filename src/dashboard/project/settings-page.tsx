/** A project's name, format, interpolation, checks, review and end. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import {
  CHECK_KINDS,
  CHECK_LEVELS,
  type CheckKind,
  type CheckLevel,
  type CheckSettings,
  DEFAULT_LEVEL,
} from '../../bundle/checks/check-settings.ts'
import { MAX_AFFIX } from '../../bundle/names.ts'
import { INTERPOLATION } from '../../bundle/placeholders.ts'
import { answer } from '../api/answer.ts'
import { changeProject, deleteProject, type LanguageReview, type Project } from '../api/client.ts'
import { useManifest, useProjects } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form, TextField, useSubmission } from '../ui/form.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Card, Loaded } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { SettingsSection } from '../ui/settings-section.tsx'
import styles from './project.module.css'
import { FormatChoice } from './project-fields.tsx'
import { NoProject, ProjectFrame } from './project-frame.tsx'

/** For owners and admins. */
export default function SettingsPage() {
  const { t } = useTranslation('projects')
  const { slug = '' } = useParams()
  const { who } = useMember()
  return (
    <ProjectFrame slug={slug} title={t('settings')}>
      <Loaded read={useProjects()}>
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

/** Fields that were not edited follow the project. */
function SettingsForm({ project: { slug, ...stored } }: { project: Project }) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const was = { name: stored.name, defaultFormat: stored.defaultFormat, ...(stored.interpolation ?? INTERPOLATION) }
  const [edited, setEdited] = useState<Partial<typeof was>>({})
  const { name, defaultFormat, prefix, suffix } = { ...was, ...edited }
  const edit = (part: typeof edited) => setEdited(edited => ({ ...edited, ...part }))
  const [checks, setChecks] = useState<CheckSettings>({})
  const projectChange = {
    ...(name !== was.name && { name }),
    ...(defaultFormat !== was.defaultFormat && { defaultFormat }),
    ...((prefix !== was.prefix || suffix !== was.suffix) && { interpolation: { prefix, suffix } }),
    ...(Object.keys(checks).length > 0 && { checks }),
  }
  const { pending, problem, send } = useSubmission()
  const save = () =>
    send(async () => {
      await answer(changeProject({ slug, projectChange }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      await client.invalidateQueries({ queryKey: ['project', slug] })
      setChecks({})
      return t('settingsSaved')
    })
  const affix = { isRequired: true, maxLength: MAX_AFFIX, code: true }
  return (
    <SettingsSection title={t('general')}>
      <Card>
        <Form onSubmit={save} native>
          <div className={styles.fields}>
            <TextField
              label={t('common:name')}
              value={name}
              onChange={name => edit({ name })}
              isRequired
              maxLength={100}
            />
            <TextField label={t('slugForGood')} value={slug} isReadOnly code hint={t('slugStays')} />
            <TextField
              label={t('sourceForGood')}
              value={`${languageName(stored.sourceLanguage, i18n.language)} (${stored.sourceLanguage})`}
              isReadOnly
              hint={t('sourceStays')}
            />
            <FormatChoice
              value={defaultFormat}
              onChange={defaultFormat => edit({ defaultFormat })}
              hint={t('formatRewrites')}
            />
            <TextField
              label={t('placeholderPrefix')}
              value={prefix}
              onChange={prefix => edit({ prefix })}
              hint={t('placeholderWhy')}
              {...affix}
            />
            <TextField label={t('placeholderSuffix')} value={suffix} onChange={suffix => edit({ suffix })} {...affix} />
          </div>
          <CheckLevels stored={stored.checks} changed={checks} onChange={setChecks} />
          <SubmitActions problem={problem} isPending={pending} isDisabled={Object.keys(projectChange).length === 0}>
            {t('common:save')}
          </SubmitActions>
        </Form>
      </Card>
    </SettingsSection>
  )
}

interface LevelsProps {
  stored: CheckSettings | undefined
  changed: CheckSettings
  onChange: (changed: CheckSettings) => void
}

const EXAMPLES: Partial<Record<CheckKind, string>> = { interpolation: '{{name}}', nesting: '$t(key)', tag: '<b>' }

/** How strict each check of the project's translations is. */
function CheckLevels({ stored = {}, changed, onChange }: LevelsProps) {
  const { t } = useTranslation('projects')
  const choose = (kind: CheckKind, level: CheckLevel) => {
    const { [kind]: _, ...others } = changed
    onChange(level === (stored[kind] ?? DEFAULT_LEVEL) ? others : { ...others, [kind]: level })
  }
  return (
    <section className={styles.fields}>
      <h2>{t('checks.title')}</h2>
      <p className="quiet">{t('checks.why')}</p>
      {CHECK_KINDS.map(kind => (
        <Select<CheckLevel>
          key={kind}
          label={t(`checks.${kind}`)}
          hint={<Isolated text={t(`checks.notes.${kind}`, { example: EXAMPLES[kind] })} />}
          choices={CHECK_LEVELS.map(level => ({ id: level, label: t(`checks.levels.${level}`) }))}
          value={changed[kind] ?? stored[kind] ?? DEFAULT_LEVEL}
          onChange={level => choose(kind, level)}
        />
      ))}
    </section>
  )
}

/** Which translations need a review: of each language, and of those that have a review and no text yet. */
function ReviewSettings({ project: { slug, sourceLanguage, review: stored = {} } }: { project: Project }) {
  const { t, i18n } = useTranslation('work')
  const client = useQueryClient()
  /** By language; null ends its review. */
  const [changed, setChanged] = useState<Record<string, LanguageReview | null>>({})
  const { pending, problem, send } = useSubmission()
  const choose = (language: string, review: LanguageReview | null) => {
    const { [language]: _, ...others } = changed
    const isStored = (stored[language]?.fourEyes ?? null) === (review?.fourEyes ?? null)
    setChanged(isStored ? others : { ...others, [language]: review })
  }
  const save = () =>
    send(async () => {
      await answer(changeProject({ slug, projectChange: { review: changed } }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      setChanged({})
      return t('reviewSettings.saved')
    })
  const rowOf = (language: string) => {
    const review = language in changed ? changed[language]! : (stored[language] ?? null)
    const name = languageName(language, i18n.language)
    return (
      <div key={language} role="group" aria-label={`${name} ${language}`} className={styles.language}>
        <span>
          {name} <code className="quiet">{language}</code>
        </span>
        <Checkbox isSelected={review !== null} onChange={isOn => choose(language, isOn ? { fourEyes: false } : null)}>
          {t('reviewSettings.on')}
        </Checkbox>
        <Checkbox
          isSelected={review?.fourEyes === true}
          isDisabled={review === null}
          onChange={fourEyes => choose(language, { fourEyes })}
        >
          {t('reviewSettings.fourEyes')}
        </Checkbox>
      </div>
    )
  }
  return (
    <SettingsSection title={t('reviewSettings.title')} lead={t('reviewSettings.why')}>
      <Card>
        <Loaded read={useManifest(slug)}>
          {({ languages }) => {
            const all = new Set([...languages, ...Object.keys(stored)])
            all.delete(sourceLanguage)
            if (all.size === 0) return <p className="quiet">{t('reviewSettings.noLanguages')}</p>
            return (
              <Form onSubmit={save}>
                <div>{[...all].sort().map(rowOf)}</div>
                <p className="quiet">{t('reviewSettings.fourEyesWhy')}</p>
                <SubmitActions problem={problem} isPending={pending} isDisabled={Object.keys(changed).length === 0}>
                  {t('common:save')}
                </SubmitActions>
              </Form>
            )
          }}
        </Loaded>
      </Card>
    </SettingsSection>
  )
}

/** Its short name has to be typed first. */
function Deletion({ project: { slug, name } }: { project: Project }) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  const remove = async () => {
    await answer(deleteProject({ slug }))
    announce(t('deleted', { name }))
    // Its history stays readable, and offers the way back.
    go(`${projectAddress(slug)}/history`)
    await client.invalidateQueries({ queryKey: ['projects'] })
    client.removeQueries({ queryKey: ['project', slug, 'status'] })
  }
  return (
    <SettingsSection title={t('deletion')} danger>
      <p>{t('deletionWhat')}</p>
      <div>
        <ConfirmButton
          look="danger"
          words={t('deleteProject')}
          title={t('deleteNamed', { name })}
          typed={slug}
          onConfirm={remove}
        >
          <p>{t('deletionBack')}</p>
        </ConfirmButton>
      </div>
    </SettingsSection>
  )
}
