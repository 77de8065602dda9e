/**
 * Parts that only an action needs, such as the rows of a menu. They load on demand, or earlier when the browser is
 * idle.
 */
import { type ComponentType, useLayoutEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { holdKeys } from './hold-keys.ts'
import styles from './late.module.css'
import { NotLoaded, showOver } from './not-loaded.tsx'

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
  return <div ref={showOver} popover="manual" className={styles.coming} role="status" aria-label={t('loading')} />
}

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
