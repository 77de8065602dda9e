/** Says to screen readers what others see appear beside what they are doing. */
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from './announce.ts'

/** Ms without a key press after which typing counts as finished. */
const TYPING_ENDS = 1000

/**
 * Announces a sentence when it changes, but not the initial one; '' announces nothing.
 * @param typed a text under which it changes: it waits until typing is finished
 */
export function useAnnouncement(sentence: string, typed?: string): void {
  const { language } = useTranslation().i18n
  const said = useRef({ sentence, language })
  useEffect(() => {
    if (sentence === said.current.sentence) return
    // The same in another language.
    if (language !== said.current.language) {
      said.current = { sentence, language }
      return
    }
    const say = () => {
      said.current = { sentence, language }
      if (sentence !== '') announce(sentence)
    }
    if (typed === undefined) return say()
    // Each letter restarts the wait.
    const timer = setTimeout(say, TYPING_ENDS)
    return () => clearTimeout(timer)
  }, [sentence, language, typed])
}
