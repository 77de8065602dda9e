/** Forms that send themselves by Enter, and say what came of it. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem } from '../api/answer.ts'
import { problemOf } from '../api/problem-of.ts'
import { useReached } from '../shell/use-reached.ts'
import { Notice } from './notice.tsx'

interface Props {
  onSubmit: () => unknown
  label?: string
  className?: string | undefined
  /** Fields that are `isRequired` are asked for by the browser, in its language, before it is sent. */
  native?: boolean
  children: ReactNode
}

/** Without `native` the caller's own checks tell what is wrong. */
export function Form({ onSubmit, label, className, native = false, children }: Props) {
  const form = useRef<HTMLFormElement>(null)
  const [sent, setSent] = useState(0)
  // To what a caller's own checks found, as to what the browser's do.
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
        // Events of React go through portals: a form in a dialog is not one of the form below it.
        event.stopPropagation()
        setSent(sent + 1)
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** A write under way, and what was wrong with the last one. */
export interface Submission {
  pending: boolean
  /** A sentence; '' when nothing is. */
  problem: string
  /** Does it, unless it is being done already. @returns whether it went well */
  send: (work: () => Promise<unknown>) => Promise<boolean>
  forget: () => void
}

/** @param sentence of an error, by default the server's own */
export function useSubmission(sentence?: (error: unknown) => string): Submission {
  const { t } = useTranslation()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState('')
  const [isLine, setIsLine] = useState(false)
  const reached = useReached()
  useEffect(() => {
    if (!reached || !isLine) return
    // What the line was to blame for is over with it.
    setProblem('')
    setIsLine(false)
  }, [reached, isLine])
  const send = async (work: () => Promise<unknown>) => {
    if (pending) return false
    setPending(true)
    setProblem('')
    try {
      await work()
      return true
    } catch (error) {
      setIsLine(error instanceof ApiProblem && error.status === 0)
      setProblem(sentence ? sentence(error) : problemOf(error, t))
      return false
    } finally {
      setPending(false)
    }
  }
  return { pending, problem, send, forget: () => setProblem('') }
}

/** What was wrong, or nothing. */
export const Wrong = ({ problem }: { problem: string }) => problem !== '' && <Notice kind="bad">{problem}</Notice>
