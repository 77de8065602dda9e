/** A confirmation before a destructive action. */
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, type ButtonLook } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { TextField, useSubmission, Wrong } from './form.tsx'

interface Props {
  title: ReactNode
  /** The label of the button that confirms. */
  doIt: string
  isOpen: boolean
  onClose: () => void
  /** Resolves when the action is done. The dialog shows an error and stays open. */
  onConfirm: () => Promise<unknown>
  children?: ReactNode
  /** The word to type first, for the most destructive actions. */
  typed?: string
}

/** Closes itself when it is done. */
export function Confirm({ title, doIt, isOpen, onClose, onConfirm, children, typed }: Props) {
  const { t } = useTranslation()
  const [word, setWord] = useState('')
  const { pending, problem, send, forget } = useSubmission()
  const close = () => {
    setWord('')
    forget()
    onClose()
  }
  const confirm = () =>
    send(async () => {
      await onConfirm()
      close()
    })
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} alert>
      {children}
      {typed !== undefined && (
        <TextField label={t('typeToConfirm', { word: typed })} value={word} onChange={setWord} code autoFocus />
      )}
      <Wrong problem={problem} />
      <Actions>
        <Button onPress={close}>{t('cancel')}</Button>
        <Button
          look="danger"
          isPending={pending}
          isDisabled={typed !== undefined && word !== typed}
          onPress={() => void confirm()}
        >
          {doIt}
        </Button>
      </Actions>
    </Dialog>
  )
}

interface ButtonProps extends Omit<Props, 'title' | 'doIt' | 'isOpen' | 'onClose'> {
  /** The label of the button, and of the confirming button unless `doIt` is given. */
  words: string
  doIt?: string
  /** The title of the dialog, too, unless `title` is given. */
  'aria-label'?: string
  title?: string
  look?: ButtonLook
  small?: boolean
  isDisabled?: boolean
}

/** A button that asks before it acts. */
export function ConfirmButton({ words, look, small, isDisabled, 'aria-label': label, ...asked }: ButtonProps) {
  const [isOpen, open] = useState(false)
  return (
    <>
      <Button look={look} small={small} isDisabled={isDisabled} aria-label={label} onPress={() => open(true)}>
        {words}
      </Button>
      <Confirm title={label ?? words} doIt={words} {...asked} isOpen={isOpen} onClose={() => open(false)} />
    </>
  )
}
