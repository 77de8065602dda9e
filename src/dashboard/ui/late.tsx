/**
 * Parts that only an action needs, such as the rows of a menu. They load on demand, or earlier when the browser is
 * idle.
 */
import { RotateCw, X } from 'lucide-react'
import { type ComponentType, type RefCallback, useId, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, problemOf } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { Button } from './button.tsx'
import { afterFocus } from './focus.ts'
import styles from './late.module.css'
import { Notice } from './notice.tsx'

/** Parts to load; each opened page may add some. */
const waiting: (() => Promise<unknown>)[] = []

interface Closable {
  onClose: () => void
}

/** Styles that did not come: Vite asks for each once. Firefox reports some scripts that Vite preloads, too. */
const broken = new Set<HTMLLinkElement>()
const isStyle = (target: EventTarget | null) => target instanceof HTMLLinkElement && target.rel === 'stylesheet'
addEventListener('error', ({ target }) => isStyle(target) && broken.add(target as HTMLLinkElement), true)

/** Requests the failed parts again. @throws when one fails again */
const restyle = () =>
  Promise.all(
    [...broken].map(link => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const fresh = Object.assign(link.cloneNode(), { onload: resolve, onerror: reject })
      broken.delete(link)
      link.replaceWith(fresh)
      return promise
    }),
  )

/**
 * What the reader gets of a part: a focused one holds the keys while it loads; a shown one leaves them to
 * the focused element; of a silent one neither the loading nor a failure is shown.
 */
type Arrival = 'focused' | 'shown' | 'silent'

/** A component that is loaded when it is first drawn. @param load a dynamic import */
export function late<Props extends Closable>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  arrival: Arrival = 'focused',
) {
  let Part: ComponentType<Props> | undefined
  const loaded = async () => {
    await restyle()
    Part = (await load()).default
  }
  waiting.push(loaded)
  return function Late(props: Props) {
    /** Its last attempt, and why that failed. */
    const [{ wrong }, attempt] = useState<{ wrong?: unknown }>({})
    const isComing = !Part && wrong === undefined
    useLayoutEffect(() => {
      if (!isComing) return
      const giveKeys = arrival === 'focused' ? holdKeys() : () => {}
      let isHere = true
      const end = (isThere: boolean, wrong?: unknown) => {
        giveKeys(isThere && isHere)
        if (isHere) attempt({ wrong })
      }
      loaded().then(
        () => end(true),
        // An answer, or its absence, gives the reason.
        cause =>
          answer(getLive()).then(
            () => end(false, cause),
            gone => end(false, gone),
          ),
      )
      return () => {
        isHere = false
        giveKeys(false)
      }
    }, [isComing])
    if (Part) return <Part {...props} />
    if (arrival === 'silent') return null
    if (isComing) return <Coming />
    return <NotLoaded why={wrong} again={() => attempt({})} onClose={props.onClose} />
  }
}

/** A progress line above the current page. It appears after a moment, since most parts load faster. */
function Coming() {
  const { t } = useTranslation()
  return (
    <div ref={showOver} popover="manual" className={`${styles.bar} coming`} role="status" aria-label={t('loading')} />
  )
}

/** As a `ref` of an element with `popover`: above all else, including an open dialog. */
const showOver: RefCallback<HTMLElement> = element => {
  element?.showPopover()
  element?.querySelector('button')?.focus()
}

/** In place of a part that failed to load. It has the focus until it is closed, by Escape too. */
function NotLoaded({ why, again, onClose }: { why: unknown; again: () => void; onClose: () => void }) {
  const { t } = useTranslation()
  const id = useId()
  const [from] = useState(document.activeElement)
  // Before it unmounts: a dialog around it would move the focus elsewhere.
  const leave = (act: () => void) => () => {
    if (from instanceof HTMLElement) from.focus()
    act()
  }
  return (
    <div
      ref={showOver}
      popover="manual"
      className={styles.failed}
      role="alertdialog"
      aria-labelledby={id}
      onKeyDown={event => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        leave(onClose)()
      }}
    >
      <Notice
        kind="bad"
        announced
        action={
          <>
            <Button small icon={<RotateCw aria-hidden />} onPress={leave(again)}>
              {t('tryAgain')}
            </Button>
            <Button look="quiet" small icon={<X aria-hidden />} aria-label={t('close')} onPress={leave(onClose)} />
          </>
        }
      >
        <span id={id}>{problemOf(why, t)}</span>
      </Notice>
    </div>
  )
}

/** Ms to wait for the late part to get the focus; then the keys are dropped. */
const PATIENCE_MS = 1000

/** Whether a key is for the part. Shortcuts are the browser's; AltGr writes, and is Ctrl and Alt on Windows. */
const isHeld = (event: KeyboardEvent) =>
  event.getModifierState('AltGraph') || !(event.ctrlKey || event.altKey || event.metaKey || /^F\d/.test(event.key))

/**
 * Holds all keys until the late part exists, or the user clicks elsewhere.
 * @returns replays the keys at the next focused element; with `false`, drops them. Call it once
 */
function holdKeys(): (isThere: boolean) => void {
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
  // Only in a field: Enter would otherwise press a button before the reader sees it.
  else if (goesOn && event.key === 'Enter' && activeElement instanceof HTMLInputElement) sendForm(activeElement)
  // As typing, so the browser can undo it and the field's handlers receive it.
  else if (goesOn && [...event.key].length === 1) document.execCommand('insertText', false, event.key)
  document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', event))
  return true
}

/** What browsers do for Enter in a field: they click the form's first submit button. */
const sendForm = ({ form }: HTMLInputElement) => form?.querySelector<HTMLElement>('[type=submit]')?.click()

const idle: (act: () => void) => unknown = globalThis.requestIdleCallback ?? setTimeout

/** One after the other: after a lost connection, a failed part loads on demand. */
async function loadAll(): Promise<void> {
  for (let load = waiting.shift(); load; load = waiting.shift()) await load()
}

/**
 * Loads all of them, so that they work offline.
 * @param isBusy whether the current page itself is loading @returns stops it
 */
export function loadWhenIdle(isBusy: () => boolean): () => void {
  const look = () => isBusy() || loadAll().catch(() => {})
  const timer = setInterval(() => waiting.length > 0 && idle(look), 1000)
  return () => clearInterval(timer)
}
