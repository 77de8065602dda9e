/** Forms that Enter submits: native fields with a label above, a hint and the fault below, and what a write reports. */
import {
  type ChangeEvent,
  type FormEvent,
  type InputHTMLAttributes,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, problemOf } from '../api/answer.ts'
import { useReached } from '../api/queries.ts'
import { announce } from './announce.ts'
import styles from './field.module.css'
import { Notice } from './notice.tsx'

interface FormProps {
  onSubmit: () => unknown
  label?: string
  className?: string | undefined
  /** The browser checks fields that are `isRequired`, and reports empty ones in its own language. */
  native?: boolean
  children: ReactNode
}

/** Without `native`, the caller reports faults at their fields; see {@link useSubmission}. */
export function Form({ onSubmit, label, className, native = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [sent, setSent] = useState(0)
  // The browser focuses the first field that fails its checks. This does the same for the caller's checks.
  useEffect(() => {
    if (sent > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [sent])
  return (
    <form
      ref={form}
      noValidate={!native}
      className={className}
      aria-label={label}
      onSubmit={event => {
        event.preventDefault()
        // React events bubble through portals: a form in a dialog must not submit the form below the dialog.
        event.stopPropagation()
        setSent(sent + 1)
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** The problem of a submission; nothing for ''. */
export const Wrong = ({ problem }: { problem: string }) => problem !== '' && <Notice kind="bad">{problem}</Notice>

interface SubmissionOptions<Field extends string> {
  /** The current fault of each field; '' is none. A write with a fault is not sent. */
  faults?: Record<Field, string>
  /** The sentence for an error; by default the server's own. */
  sentence?: (error: unknown) => string
}

/** A write that a form or a button sends: its faults, its progress, its problem, its announcement. */
export function useSubmission<Field extends string = never>({ faults, sentence }: SubmissionOptions<Field> = {}) {
  const { t } = useTranslation()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')
  const [isTried, setIsTried] = useState(false)
  const [isOffline, setIsOffline] = useState(false)
  const reached = useReached()
  useEffect(() => {
    if (!reached || !isOffline) return
    // The connection is back, so the problem is over.
    setProblem('')
    setIsOffline(false)
  }, [reached, isOffline])
  const all = Object.entries<string>(faults ?? {})
  const shown = Object.fromEntries(all.map(([field, fault]) => [field, isTried ? fault : '']))
  return {
    pending,
    /** Why the last write failed; '' when it did not. */
    problem,
    /** The faults to show: none before the first attempt to send. */
    faults: shown as Record<Field, string>,
    /**
     * Sends the write, unless a field has a fault or a write is pending. Announces the sentence that `work` returns.
     * @returns whether it succeeded
     */
    send: async (work: () => Promise<unknown>): Promise<boolean> => {
      setIsTried(true)
      if (pending || all.some(([, fault]) => fault !== '')) return false
      setPending(true)
      setProblem('')
      try {
        const said = await work()
        if (typeof said === 'string') announce(said)
        setIsTried(false)
        return true
      } catch (error) {
        setIsOffline(error instanceof ApiProblem && error.status === 0)
        setProblem(sentence ? sentence(error) : problemOf(error, t))
        return false
      } finally {
        setPending(false)
      }
    },
    forget: () => setProblem(''),
  }
}

type Control = HTMLInputElement | HTMLTextAreaElement

interface FieldProps extends Omit<InputHTMLAttributes<Control>, 'onChange' | 'className' | 'value'> {
  /** Without one it needs an `aria-label`. */
  label?: ReactNode
  hint?: ReactNode
  /** The fault, from a check or the server; '' is none. */
  error?: string
  lines?: number
  /** In the font of code: slugs, keys, tags. */
  code?: boolean
  value: string
  onChange?: (value: string) => void
  isRequired?: boolean
  isReadOnly?: boolean
  isDisabled?: boolean
}

/** A text field; a textarea with `lines`. */
export function TextField(props: FieldProps) {
  const { label, hint, error, lines, code, onChange, isRequired, isReadOnly, isDisabled, ...attributes } = props
  const id = useId()
  // The browser's words on why it does not send the form.
  const [refusal, setRefusal] = useState('')
  const wrong = error || refusal
  const shared = {
    ...attributes,
    id,
    className: `${styles.input} ${code ? styles.code : ''}`,
    dir: 'auto',
    required: isRequired,
    readOnly: isReadOnly,
    disabled: isDisabled,
    'aria-invalid': wrong ? true : undefined,
    'aria-describedby': describedBy({ id, hint, error: wrong }),
    onChange: ({ currentTarget }: ChangeEvent<Control>) => {
      setRefusal('')
      onChange?.(currentTarget.value)
    },
    onInvalid: (event: FormEvent<Control>) => {
      // Shown below the field instead of the browser's bubble, which disappears.
      event.preventDefault()
      const field = event.currentTarget
      setRefusal(field.validationMessage)
      if (field.form?.querySelector('input:invalid, textarea:invalid') === field) field.focus()
    },
  }
  return (
    <FieldFrame id={id} label={label} hint={hint} error={wrong}>
      {lines === undefined ? <input type="text" {...shared} /> : <textarea rows={lines} {...shared} />}
    </FieldFrame>
  )
}

interface FrameProps {
  /** Of the control. */
  id: string
  label: ReactNode
  hint: ReactNode
  error: string | undefined
  /** Of a control that a press of its label would press, too. */
  onLabel?: () => void
  children: ReactNode
}

/** The ids of what explains a control. */
export const describedBy = ({ id, hint, error }: Pick<FrameProps, 'id' | 'hint' | 'error'>): string | undefined =>
  [hint !== undefined && `${id}hint`, error && `${id}wrong`].filter(Boolean).join(' ') || undefined

/** A control with the label above it, the hint and the fault below. */
export function FieldFrame({ id, label, hint, error, onLabel, children }: FrameProps) {
  const pressed = (event: MouseEvent) => {
    if (!onLabel) return
    event.preventDefault()
    onLabel()
  }
  return (
    <div className={styles.field}>
      {label !== undefined && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a label has no focus
        <label id={`${id}label`} htmlFor={id} className={styles.label} onClick={pressed}>
          {label}
        </label>
      )}
      {children}
      {hint !== undefined && (
        <span id={`${id}hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {error && (
        <span id={`${id}wrong`} className={styles.error}>
          {error}
        </span>
      )}
    </div>
  )
}
