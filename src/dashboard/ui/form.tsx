/** Forms that Enter submits. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Notice } from './notice.tsx'

interface Props {
  onSubmit: () => unknown
  label?: string
  className?: string | undefined
  /** The browser checks fields that are `isRequired`, and reports empty ones in its own language. */
  native?: boolean
  children: ReactNode
}

/** Without `native`, the caller reports faults at their fields; see `useSubmission`. */
export function Form({ onSubmit, label, className, native = false, children }: Props) {
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
