/** Begins a namespace, by its first text. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type Manifest, putKey } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

interface Props {
  slug: string
  manifest: Manifest
  isOpen: boolean
  onClose: () => void
}

/** Writes namespace, key and source text in one request, then opens the editor. */
export function AddNamespace({ slug, manifest: { sourceLanguage }, isOpen, onClose }: Props) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const [text, setText] = useState({ namespace: '', key: '', value: '' })
  const { pending, problem, send } = useSubmission()
  const change = (part: keyof typeof text) => (value: string) => setText(now => ({ ...now, [part]: value }))
  const add = () =>
    send(async () => {
      const { namespace, key, value } = text
      await answer(
        putKey({ slug, language: sourceLanguage, $namespace: namespace, key, ifMatch: undefined, newValue: { value } }),
      )
      await client.invalidateQueries({ queryKey: ['project', slug] })
      onClose()
      go(projectAddress(slug, sourceLanguage, namespace, key))
      return t('namespaceAdded', { name: namespace })
    })
  return (
    <Dialog title={t('addNamespace')} isOpen={isOpen} onClose={onClose}>
      <p>{t('namespaceWhy')}</p>
      <Form onSubmit={add} native>
        <TextField
          label={t('common:namespace')}
          value={text.namespace}
          onChange={change('namespace')}
          code
          isRequired
          autoFocus
        />
        <TextField label={t('firstKey')} value={text.key} onChange={change('key')} code isRequired />
        <TextField
          label={t('textIn', { language: languageName(sourceLanguage, i18n.language) })}
          value={text.value}
          onChange={change('value')}
          lines={2}
          isRequired
        />
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('add')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}
