/** The form of a comment, new or changed. Typed words are stored until they are sent or discarded. */
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_COMMENT } from '../../../../bundle/comment-limits.ts'
import { TextField } from '../../../ui/text-field.tsx'
import { useSubmission } from '../../../ui/use-submission.ts'
import { PanelForm } from '../panel-form.tsx'
import { commentDrafts } from './comment-drafts.ts'

interface Props {
  label: string
  /** The label of its field. */
  field: string
  hint?: string
  /** The words of the button. */
  doIt: string
  draftName: string
  /** The stored text; '' for a new comment. */
  stored: string
  /** @returns what is announced */
  onSend: (text: string) => Promise<string>
  /** Of a form that stands in the place of its comment. A cancelled one discards what is typed. */
  onClose?: () => void
  /** A press opened it. */
  isEntered?: boolean
}

/** See the file. */
export function CommentForm(props: Props) {
  const { label, field, hint, doIt, draftName, stored, onSend, onClose, isEntered = false } = props
  const { t } = useTranslation('comments')
  const [text, setText] = useState(() => commentDrafts.read(draftName)?.text ?? stored)
  const newest = useRef(text)
  const write = (text: string) => {
    newest.current = text
    setText(text)
    commentDrafts.store(draftName, text === stored || text === '' ? undefined : { text })
  }
  const words = text.trim()
  const isLong = [...words].length > MAX_COMMENT
  const { pending, problem, faults, send } = useSubmission({
    faults: { text: words === '' ? t('empty') : isLong ? t('tooLong', { most: MAX_COMMENT }) : '' },
  })
  const submit = () =>
    send(async () => {
      const sent = newest.current
      const sentence = await onSend(sent)
      // Words that were typed meanwhile stay.
      if (newest.current === sent) write(onClose ? stored : '')
      onClose?.()
      return sentence
    })
  const discard = () => {
    commentDrafts.store(draftName, undefined)
    onClose?.()
  }
  return (
    <PanelForm
      label={label}
      doIt={doIt}
      problem={problem}
      isPending={pending}
      isEntered={isEntered}
      onSubmit={() => void submit()}
      onCancel={onClose && discard}
    >
      <TextField
        label={field}
        lines={2}
        value={text}
        onChange={write}
        error={faults.text}
        {...(hint !== undefined && { hint })}
      />
    </PanelForm>
  )
}
