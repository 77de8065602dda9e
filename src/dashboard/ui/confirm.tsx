/** A decision that is asked for before something goes. */
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { problemOf } from '../api/sentence.ts'
import { Button } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Notice } from './notice.tsx'

interface Props {
  title: ReactNode
  /** The words on the button: what it does. */
  doIt: string
  isOpen: boolean
  onClose: () => void
  /** Resolves when it is done; what it throws is shown and the dialog stays. */
  onConfirm: () => Promise<unknown>
  children?: ReactNode
  /** What has to be typed first, for what hurts most. */
  typed?: string
  danger?: boolean
}

/** Closes itself when it is done. */
export function Confirm({ title, doIt, isOpen, onClose, onConfirm, children, typed, danger = true }: Props) {
  const { t } = useTranslation()
  const [word, setWord] = useState('')
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')
  const close = () => {
    setWord('')
    setProblem('')
    onClose()
  }
  const confirm = async () => {
    setPending(true)
    setProblem('')
    try {
      await onConfirm()
      close()
    } catch (error) {
      setProblem(problemOf(error, t))
    } finally {
      setPending(false)
    }
  }
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close} alert>
      {children}
      {typed !== undefined && (
        <TextField label={t('typeToConfirm', { word: typed })} value={word} onChange={setWord} code autoFocus />
      )}
      {problem !== '' && <Notice kind="bad">{problem}</Notice>}
      <Actions>
        <Button onPress={close}>{t('cancel')}</Button>
        <Button
          look={danger ? 'danger' : 'primary'}
          isPending={pending}
          isDisabled={typed !== undefined && word !== typed}
          onPress={confirm}
        >
          {doIt}
        </Button>
      </Actions>
    </Dialog>
  )
}
