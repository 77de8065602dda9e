/** Forms of the panel, which stand in the place of what they change. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { afterFocus } from '../../ui/focus.ts'
import { Form, Wrong } from '../../ui/form.tsx'
import styles from './contributions.module.css'

interface Props {
  label: string
  /** The words of the button that sends it. */
  doIt: string
  problem: string
  isPending: boolean
  isDisabled?: boolean
  /** A press opened it: its first field gets the focus. */
  isEntered: boolean
  onSubmit: () => unknown
  onCancel?: (() => void) | undefined
  /** Escape cancels it: nothing of worth is lost. */
  isBrief?: boolean
  children: ReactNode
}

/** Ctrl+Enter sends, as in a text. */
export function PanelForm(props: Props) {
  const { label, doIt, problem, isPending, isDisabled, isEntered, onSubmit, onCancel, isBrief, children } = props
  const { t } = useTranslation()
  const own = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it opens
  useEffect(() => {
    if (isEntered) own.current?.querySelector<HTMLElement>('textarea, input')?.focus()
  }, [])
  const keyed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, nativeEvent } = event
    const isSent = key === 'Enter' && (ctrlKey || metaKey) && !nativeEvent.isComposing
    const isLeft = isBrief && key === 'Escape'
    if (!isSent && !isLeft) return
    event.preventDefault()
    event.stopPropagation()
    if (isSent) onSubmit()
    else onCancel?.()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its fields
    <div ref={own} onKeyDown={keyed}>
      <Form label={label} className={styles.form} onSubmit={onSubmit}>
        {children}
        <Wrong problem={problem} />
        <div className={styles.actions}>
          <Button
            type="submit"
            small
            look={onCancel ? 'primary' : 'plain'}
            isPending={isPending}
            isDisabled={isDisabled}
          >
            {doIt}
          </Button>
          {onCancel && (
            <Button small onPress={onCancel}>
              {t('cancel')}
            </Button>
          )}
        </div>
      </Form>
    </div>
  )
}

/** Whether a form is open. When it is closed, the button with `data-edit` below `own` gets the focus. */
export function usePanelForm<Own extends HTMLElement>(isOpenAtFirst: () => boolean) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  const own = useRef<Own>(null)
  /** Whether it was opened or closed by a press. */
  const isPressed = useRef(false)
  useEffect(() => {
    if (isOpen || !isPressed.current) return
    afterFocus(() => own.current?.querySelector<HTMLElement>('[data-edit]')?.focus())
  }, [isOpen])
  const set = (isOpen: boolean) => () => {
    isPressed.current = true
    setIsOpen(isOpen)
  }
  return { own, isOpen, isEntered: isPressed.current, open: set(true), close: set(false) }
}
