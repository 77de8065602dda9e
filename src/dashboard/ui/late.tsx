/** What only an act needs, such as the rows of a menu: loaded by then, or before, once the browser is idle. */
import { type ComponentType, lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './late.module.css'

/** Not loaded yet; each page that is looked at may add some. */
const waiting: (() => Promise<unknown>)[] = []

/** A component that is loaded when it is first drawn. @param load a dynamic import */
export function late<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const Part = lazy<ComponentType<Props>>(load)
  waiting.push(load)
  return (props: Props) => (
    <Suspense fallback={<Coming />}>
      <Part {...props} />
    </Suspense>
  )
}

/** A line above the page, after the first moment, in which most are there. */
function Coming() {
  const { t } = useTranslation()
  return <div className={styles.coming} role="status" aria-label={t('loading')} />
}

const idle: (act: () => void) => unknown = globalThis.requestIdleCallback ?? setTimeout

/** One after the other: browsers keep that a part failed, so a line that went is tried with one alone. */
async function loadAll(): Promise<void> {
  for (const load of waiting.splice(0)) await load()
}

/**
 * Loads all of them, so that they are there when the line is not.
 * @param isBusy whether the page itself is still loading @returns stops it
 */
export function loadWhenIdle(isBusy: () => boolean): () => void {
  const look = () => isBusy() || loadAll().catch(() => {})
  const timer = setInterval(() => waiting.length > 0 && idle(look), 1000)
  return () => clearInterval(timer)
}
