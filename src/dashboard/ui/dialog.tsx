/** Modal dialogs. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import type { DialogProps } from './dialog-window.tsx'
import { Wrong } from './form.tsx'
import { late } from './late.tsx'

const Window = late(() => import('./dialog-window.tsx'))

/** Traps the focus, closes with Escape and returns the focus: near the opener if the opener is gone. */
export const Dialog = ({ isOpen, ...props }: DialogProps & { isOpen: boolean }) => isOpen && <Window {...props} />

/** The buttons at the end of a dialog or form, the main one last. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={`row2 ${styles.actions}`}>{children}</div>
)

interface SubmitProps {
  /** Why the last attempt failed; see `useSubmission`. */
  problem?: string
  isPending?: boolean
  isDisabled?: boolean
  /** Without it, the form cannot be left. */
  onCancel?: (() => void) | undefined
  /** The label of the button that submits. */
  children: ReactNode
}

/** The end of a form: why it failed, and its buttons. */
export function SubmitActions({ problem = '', isPending, isDisabled, onCancel, children }: SubmitProps) {
  const { t } = useTranslation()
  return (
    <>
      <Wrong problem={problem} />
      <Actions>
        {onCancel && <Button onPress={onCancel}>{t('cancel')}</Button>}
        <Button look="primary" type="submit" isPending={isPending} isDisabled={isDisabled}>
          {children}
        </Button>
      </Actions>
    </>
  )
}
