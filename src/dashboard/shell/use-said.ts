/** Says to screen readers what others see appear beside what they are doing. */
import { useEffect, useRef } from 'react'
import { announce } from './announce.ts'

/** So many ms after the last key nobody types any more. */
const TYPING_ENDS = 1000

/**
 * Announces a sentence when it changes, and not the one that was there from the start; '' says nothing.
 * @param typed a text under which it changes: it waits until nobody types any more
 */
export function useSaid(sentence: string, typed?: string): void {
  const said = useRef(sentence)
  useEffect(() => {
    if (sentence === said.current) return
    const say = () => {
      said.current = sentence
      if (sentence !== '') announce(sentence)
    }
    if (typed === undefined) return say()
    // Each letter begins the waiting anew.
    const timer = setTimeout(say, TYPING_ENDS)
    return () => clearTimeout(timer)
  }, [sentence, typed])
}
