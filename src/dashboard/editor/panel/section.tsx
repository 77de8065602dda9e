/** What the sections of the panel share: their frame, links, buttons and forms. */
import type { LucideIcon } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button.tsx'
import { afterFocus } from '../../ui/focus.ts'
import { Form, Wrong } from '../../ui/form.tsx'
import { When } from '../../ui/when.tsx'
import { useEditor } from '../editor-context.ts'
import type { TranslationFieldHandle } from '../field/translation-field.tsx'
import { leafAt } from '../model/leaves.ts'
import type { EditorRow } from '../model/rows.ts'
import { formName } from '../shown-text.tsx'
import styles from './panel.module.css'

/** The props of each section: the text that the panel is about. */
export interface PanelSubject {
  row: EditorRow
  /** The number of the language among the targets. */
  target: number
  language: string
  /** The ending of the form in hand. */
  ending: string
}

export const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={`stack2 ${styles.section}`} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
)

/** @param children gets what hides it again */
export function MoreOfSection({ label, children }: { label: string; children: (close: () => void) => ReactNode }) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button
        type="button"
        className={styles.link}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && <div id={id}>{children(() => setIsOpen(false))}</div>}
    </>
  )
}

/** Maximum number of listed keys. */
const MOST_KEYS = 20

/** The first keys, as links to their rows. @param target the language, by number, that a link opens */
export function KeyLinks({ rows, target }: { rows: readonly EditorRow[]; target: number }) {
  const { t } = useTranslation('editor')
  const { actions } = useEditor()
  return (
    <ul>
      {rows.slice(0, MOST_KEYS).map(({ id, key }) => (
        <li key={id}>
          <button
            type="button"
            className={styles.link}
            onClick={() => actions.go(id, target, { isEditing: true })}
            aria-label={t('goTo', { key })}
          >
            <code>{key}</code>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** The name of a form, before its text. */
export const FormName = ({ ending }: { ending: string }) => (
  <span className={styles.form}>{formName(leafAt(ending), useEditor().t)}</span>
)

/** Who contributed something, and when. */
export const Byline = ({ by, at, children }: { by: string; at: string; children?: ReactNode }) => (
  <p className={styles.by}>
    <bdi>{by}</bdi>
    <span className="quiet">
      <When date={at} />
      {children}
    </span>
  </p>
)

export const IconButton = ({
  icon: Icon,
  ...props
}: Omit<ComponentProps<typeof Button>, 'icon'> & { icon: LucideIcon }) => (
  <Button small look="quiet" icon={<Icon aria-hidden />} {...props} />
)

/** Puts something into the field, which stays focused: its caret stays, and it can undo that. */
export const UseButton = (props: ComponentProps<typeof Button>) => <Button {...props} small preventFocusOnPress />

/** @returns does something in the field of the text; opens its row first */
export function useInField({ row: { id }, target, language, ending }: PanelSubject) {
  const { fields, actions } = useEditor()
  return (act: (field: TranslationFieldHandle) => void) => {
    const field = fields.get(id, language, ending)
    if (field) return act(field)
    actions.go(id, target, { isEditing: true, ending })
    afterFocus(() => {
      const opened = fields.get(id, language, ending)
      if (opened) act(opened)
    })
  }
}

/** Whether the row is in hand for some ms: moving through the grid reads nothing. */
export function useSettled(ms: number): boolean {
  const [isSettled, settle] = useState(false)
  useEffect(() => {
    const timer = setTimeout(settle, ms, true)
    return () => clearTimeout(timer)
  }, [ms])
  return isSettled
}

interface PanelFormProps {
  label: string
  /** The words of the button that sends it. */
  doIt: string
  problem: string
  isPending: boolean
  isDisabled?: boolean
  onSubmit: () => unknown
  onCancel?: (() => void) | undefined
  /** Escape cancels it: nothing of worth is lost. */
  isBrief?: boolean
  children: ReactNode
}

/** A form in the place of what it changes. Ctrl+Enter sends, as in a text. */
export function PanelForm(props: PanelFormProps) {
  const { label, doIt, problem, isPending, isDisabled, onSubmit, onCancel, isBrief, children } = props
  const { t } = useTranslation()
  const keyed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, nativeEvent } = event
    const isSent = key === 'Enter' && (ctrlKey || metaKey) && !nativeEvent.isComposing
    if (!isSent && !(isBrief && key === 'Escape')) return
    event.preventDefault()
    event.stopPropagation()
    if (isSent) onSubmit()
    else onCancel?.()
  }
  const look = onCancel ? 'primary' : 'plain'
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of its fields
    <div onKeyDown={keyed}>
      <Form label={label} className="stack2" onSubmit={onSubmit}>
        {children}
        <Wrong problem={problem} />
        <div className="row1">
          <Button type="submit" small look={look} isPending={isPending} isDisabled={isDisabled}>
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

/**
 * Whether a form is open. A form that a press opened is entered: its first field has the focus. When it is closed, the
 * button with `data-edit` below `own` gets the focus.
 */
export function usePanelForm<Own extends HTMLElement>(isOpenAtFirst: boolean | (() => boolean)) {
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
