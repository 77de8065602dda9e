/** Keys that are typed while what they are for is on its way. */
import { afterFocus } from './focus.ts'

/** Ms to wait for the late part to get the focus; then the keys are dropped. */
const PATIENCE_MS = 1000

/** Whether a key is for the part. Shortcuts are the browser's; AltGr writes, and is Ctrl and Alt on Windows. */
const isHeld = (event: KeyboardEvent) =>
  event.getModifierState('AltGraph') || !(event.ctrlKey || event.altKey || event.metaKey || /^F\d/.test(event.key))

/**
 * Holds all keys until the late part exists, or the user clicks elsewhere.
 * @returns replays the keys at the next focused element; with `false`, drops them. Call it once
 */
export function holdKeys(): (isThere: boolean) => void {
  const held: KeyboardEvent[] = []
  const done = new AbortController()
  const { signal } = done
  const hold = (event: KeyboardEvent) => {
    if (!isHeld(event)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!event.repeat) held.push(event)
  }
  const end = () => done.abort()
  addEventListener('keydown', hold, { capture: true, signal })
  addEventListener('pointerdown', end, { capture: true, signal })
  const give = () => {
    if (signal.aborted) return
    end()
    for (const event of held) if (!press(event)) return
  }
  let isGiven = false
  return isThere => {
    if (isGiven) return
    isGiven = true
    if (!isThere) return end()
    addEventListener('focusin', () => afterFocus(give), { capture: true, once: true, signal })
    setTimeout(end, PATIENCE_MS)
  }
}

/** As if it were pressed now. @returns whether it could be: where the Tab key leads only the browser knows */
function press(event: KeyboardEvent): boolean {
  if (event.key === 'Tab') return false
  const { activeElement } = document
  const goesOn = activeElement?.dispatchEvent(new KeyboardEvent('keydown', event))
  if (goesOn && event.key === 'Backspace') document.execCommand('delete')
  // As typing, so the browser can undo it and the field's handlers receive it.
  else if (goesOn && [...event.key].length === 1) document.execCommand('insertText', false, event.key)
  document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', event))
  return true
}
