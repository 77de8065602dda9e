/** Dialogs over the page. */
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { wayBackTo } from './focus.ts'

interface Props {
  title: ReactNode
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  wide?: boolean
  /** Asks for a decision: told to screen readers at once, and not closed by a click beside it. */
  alert?: boolean
}

/** Keeps the focus inside, closes with Escape and gives the focus back: near what opened it, where that is gone. */
export function Dialog({ title, isOpen, onClose, children, wide, alert }: Props) {
  const { t } = useTranslation()
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={open => !open && onClose()}
      isDismissable={!alert}
      className={styles.veil!}
    >
      <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
        <AriaDialog className={styles.dialog!} role={alert ? 'alertdialog' : 'dialog'}>
          <header className={styles.header}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <Button look="quiet" small icon={<X aria-hidden />} aria-label={t('close')} onPress={onClose} />
          </header>
          <WayBack />
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** What had the focus is asked as this is drawn: afterwards the dialog's own fields have it. */
function WayBack() {
  const [goBack] = useState(() => wayBackTo(document.activeElement))
  useEffect(() => goBack, [goBack])
  return null
}

/** The row of buttons at a dialog's or form's end; the main one comes last. */
export const Actions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>
