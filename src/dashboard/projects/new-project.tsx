/** The form and the dialog that create a project. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { createProject, type Project } from '../api/client.ts'
import { FormatChoice, LanguageField, useLanguage } from '../project/project-fields.tsx'
import { slugOf } from '../project/slug-of.ts'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form, TextField, useSubmission } from '../ui/form.tsx'

/** The fields and their submission. @param onMade receives the created project */
export function NewProjectForm({ onMade, onCancel }: { onMade: (project: Project) => void; onCancel?: () => void }) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [ownSlug, setSlug] = useState<string>()
  const source = useLanguage('en')
  const [defaultFormat, setFormat] = useState<Project['defaultFormat']>('i18next-json')
  const { pending, problem, send } = useSubmission()
  const slug = ownSlug ?? slugOf(name)
  const make = () => {
    const sourceLanguage = source.resolve()
    if (sourceLanguage === undefined) return
    void send(async () => {
      const project = await answer(createProject({ newProject: { name, slug, sourceLanguage, defaultFormat } }))
      await client.invalidateQueries({ queryKey: ['projects'] })
      onMade(project)
      return t('made', { name: project.name })
    })
  }
  return (
    <Form onSubmit={make} native>
      <TextField label={t('common:name')} value={name} onChange={setName} isRequired maxLength={100} autoFocus />
      <TextField label={t('slugForGood')} value={slug} onChange={setSlug} isRequired code hint={t('slugHint')} />
      <LanguageField label={t('sourceLanguage')} hint={t('sourceHint')} {...source.field} />
      <FormatChoice value={defaultFormat} onChange={setFormat} />
      <SubmitActions problem={problem} isPending={pending} onCancel={onCancel}>
        {t('make')}
      </SubmitActions>
    </Form>
  )
}

/** {@link NewProjectForm} in a dialog. */
export default function NewProject({ onClose, onMade }: { onClose: () => void; onMade: (project: Project) => void }) {
  const { t } = useTranslation('projects')
  return (
    <Dialog title={t('new')} isOpen onClose={onClose}>
      <NewProjectForm
        onCancel={onClose}
        onMade={project => {
          onClose()
          onMade(project)
        }}
      />
    </Dialog>
  )
}
