/** The field of a text in one language, and its sending. */
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { putKey } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Actions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'

interface Props {
  slug: string
  language: string
  namespace: string
  /** The key; nothing is sent while it is ''. */
  name: string
  /** The announcement after saving. */
  said: string
  onSaved: () => void
  /** The field of the key, above the text. `fault` is the key's fault to show. */
  children?: (fault: string) => ReactNode
}

/** Written and checked in its language and direction. */
export function TextForm({ slug, language, namespace, name, said, onSaved, children }: Props) {
  const { t, i18n } = useTranslation('signIn')
  const [text, setText] = useState('')
  const { pending, problem, faults, send } = useSubmission({
    faults: { name: name === '' ? t('needsKey') : '', text: text === '' ? t('needsText') : '' },
  })
  const client = useQueryClient()
  const save = () =>
    send(async () => {
      await answer(putKey({ slug, language, $namespace: namespace, key: name, newValue: { value: text } }))
      void client.invalidateQueries({ queryKey: ['project', slug] })
      onSaved()
      return said
    })
  return (
    <Form onSubmit={save}>
      <Wrong problem={problem} />
      {children?.(faults.name)}
      <div lang={language} dir={directionOf(language)}>
        <TextField
          label={t('textIn', { language: languageName(language, i18n.language), tag: language })}
          value={text}
          onChange={setText}
          autoFocus
          lines={3}
          spellCheck="true"
          error={faults.text}
        />
      </div>
      <Actions>
        <Button type="submit" look="primary" isPending={pending}>
          {t('saveAndGoOn')}
        </Button>
      </Actions>
    </Form>
  )
}
