/** The form of a comment, new or changed. Typed words are stored until they are sent or discarded. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MAX_COMMENT } from '../../../../bundle/comment-limits.ts'
import { Button } from '../../../ui/button.tsx'
import { Form, Wrong } from '../../../ui/form.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { useSubmission } from '../../../ui/use-submission.ts'
import styles from '../contributions.module.css'
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
  /** A press opened it: the field gets the focus, and `onClose` discards what is typed. */
  onClose?: () => void
}

/** Ctrl+Enter sends, as in a text. */
export function CommentForm({ label, field, hint, doIt, draftName, stored, onSend, onClose }: Props) {
  const { t } = useTranslation('comments')
  const [text, setText] = useState(() => commentDrafts.read(draftName)?.text ?? stored)
  const newest = useRef(text)
  const own = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens
  useEffect(() => {
    if (onClose) own.current?.querySelector('textarea')?.focus()
  }, [])
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
  const keyed = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    void submit()
  }
  const discard = () => {
    commentDrafts.store(draftName, undefined)
    onClose?.()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its field
    <div ref={own} onKeyDown={keyed}>
      <Form label={label} className={styles.form} onSubmit={submit}>
        <TextField
          label={field}
          lines={2}
          value={text}
          onChange={write}
          error={faults.text}
          {...(hint !== undefined && { hint })}
        />
        <Wrong problem={problem} />
        <div className={styles.actions}>
          <Button type="submit" small look={onClose ? 'primary' : 'plain'} isPending={pending}>
            {doIt}
          </Button>
          {onClose && (
            <Button small onPress={discard}>
              {t('common:cancel')}
            </Button>
          )}
        </div>
      </Form>
    </div>
  )
}
