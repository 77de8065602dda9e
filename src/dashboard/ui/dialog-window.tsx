/** A dialog, while it is open. */
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'
import styles from './dialog.module.css'
import { focusReturnTo } from './focus.ts'
import { Spoken } from './spoken.tsx'

/** The content of a dialog. */
export interface DialogProps {
  title: ReactNode
  onClose: () => void
  children: ReactNode
  wide?: boolean | undefined
  /** Asks for a decision: screen readers announce it at once, and a click beside it does not close it. */
  alert?: boolean | undefined
  /** Its content is displayed only once: Escape does not close it. */
  once?: boolean | undefined
}

/** Over a veil. */
export default function DialogWindow({ title, onClose, children, wide, alert, once }: DialogProps) {
  const { t } = useTranslation()
  return (
    <Spoken>
      <ModalOverlay
        isOpen
        onOpenChange={onClose}
        isDismissable={!alert}
        isKeyboardDismissDisabled={once === true}
        className={styles.veil!}
      >
        <Modal className={`${styles.modal} ${wide ? styles.wide : ''}`}>
          <AriaDialog className={`stack4 ${styles.dialog}`} role={alert ? 'alertdialog' : 'dialog'}>
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
    </Spoken>
  )
}

/** Reads the focused element during rendering: later, the dialog's own field has the focus. */
function WayBack() {
  const [goBack] = useState(() => focusReturnTo(document.activeElement))
  useEffect(() => goBack, [goBack])
  return null
}
