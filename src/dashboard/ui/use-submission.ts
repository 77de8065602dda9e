/** A write that a form or a button sends: its faults, its progress, its problem, its announcement. */
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem } from '../api/answer.ts'
import { problemOf } from '../api/problem-of.ts'
import { useReached } from '../api/use-reached.ts'
import { announce } from './announce.ts'

interface Options<Field extends string> {
  /** The current fault of each field; '' is none. A write with a fault is not sent. */
  faults?: Record<Field, string>
  /** The sentence for an error; by default the server's own. */
  sentence?: (error: unknown) => string
}

interface Submission<Field extends string> {
  pending: boolean
  /** Why the last write failed; '' when it did not. */
  problem: string
  /** The faults to show: none before the first attempt to send. */
  faults: Record<Field, string>
  /**
   * Sends the write, unless a field has a fault or a write is pending. Announces the sentence that `work` returns.
   * @returns whether it succeeded
   */
  send: (work: () => Promise<unknown>) => Promise<boolean>
  /** Clears the problem. */
  forget: () => void
}

/** See the file. */
export function useSubmission<Field extends string = never>(options: Options<Field> = {}): Submission<Field> {
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
  const faults = options.faults ?? ({} as Record<Field, string>)
  const send = async (work: () => Promise<unknown>) => {
    setIsTried(true)
    if (pending || Object.values(faults).some(fault => fault !== '')) return false
    setPending(true)
    setProblem('')
    try {
      const said = await work()
      if (typeof said === 'string') announce(said)
      setIsTried(false)
      return true
    } catch (error) {
      setIsOffline(error instanceof ApiProblem && error.status === 0)
      setProblem(options.sentence ? options.sentence(error) : problemOf(error, t))
      return false
    } finally {
      setPending(false)
    }
  }
  const none = Object.fromEntries(Object.keys(faults).map(field => [field, ''])) as Record<Field, string>
  return { pending, problem, faults: isTried ? faults : none, send, forget: () => setProblem('') }
}
