/** How much of a bundle, or of a whole language, is translated. */
import { type MouseEvent, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LanguageStatus, NamespaceStatus } from '../api/client.ts'
import { late } from '../ui/late.tsx'
import bar from '../ui/meter.module.css'
import { Bands, percentOf, useNumbersOf } from '../ui/meter.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import styles from './matrix.module.css'
import '../ui/sign.css'
import '../ui/sign-marks.css'

/** The exceptions, the most urgent first. */
export const EXCEPTIONS = [
  { is: 'problems', look: styles.bad },
  { is: 'stale', look: styles.warn },
  { is: 'missing', look: undefined },
  { is: 'empty', look: undefined },
  { is: 'incomplete', look: undefined },
  { is: 'suggested', look: undefined },
  { is: 'extra', look: undefined },
] as const

const Rows = late(() => import('../ui/menu-rows.tsx'))

/** Room of a narrow cell. The first exception is shown in any case. */
const MOST_CHARACTERS = 10

interface Props {
  counts: LanguageStatus | NamespaceStatus
  /** The names of its row and column. */
  label: string
  /** The address of its texts. */
  to: string
  isSource: boolean
  /** The user's unsaved texts in it. */
  unsaved: number
}

/**
 * One line: percent, exceptions, and a bar. Each links to its texts. Hover and focus show all in words; a tap shows
 * them as a menu of the same links.
 */
export function MatrixCell({ counts, label, to, isSource, unsaved }: Props) {
  const { t, i18n } = useTranslation('projects')
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percentOf(counts) / 100)
  const ofTranslation = useNumbersOf(counts)
  const numbers = isSource ? t('texts', { count: counts.keys }) : ofTranslation
  const number = new Intl.NumberFormat(i18n.language)
  const found = EXCEPTIONS.filter(({ is }) => counts[is] > 0 && !(isSource && is === 'missing')).map(one => ({
    ...one,
    count: number.format(counts[one.is]),
    words: t(`wants.${one.is}`, { count: counts[one.is] }),
  }))
  const own = {
    is: 'unsaved' as const,
    look: styles.own,
    count: number.format(unsaved),
    words: t('common:unsaved', { count: unsaved }),
  }
  const exceptions = unsaved > 0 ? [own, ...found] : found
  /** How long the exceptions are up to each, with their icons. */
  const lengths = exceptions.map((_, at) =>
    exceptions.slice(0, at + 1).reduce((sum, { count }) => sum + 3 + count.length, 0),
  )
  const first = `${to}${!isSource && counts.translated < counts.keys ? '?is=missing,empty,incomplete' : ''}`
  const cell = useRef<HTMLDivElement>(null)
  const menu = useId()
  const [isTapped, setIsTapped] = useState(false)
  const tap = (event: MouseEvent) => {
    if ((event.nativeEvent as PointerEvent).pointerType !== 'touch') return
    event.preventDefault()
    setIsTapped(true)
  }
  return (
    <>
      <Tooltip
        words={
          <div className={styles.details}>
            <strong>{label}</strong>
            <span>{numbers}</span>
            {exceptions.map(({ is, words }) => (
              <span key={is}>
                <span aria-hidden data-sign={is} /> {words}
              </span>
            ))}
          </div>
        }
      >
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys follow the links within */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it only hears of what its links get */}
        <div ref={cell} className={styles.cell} onClick={tap}>
          <div className={styles.line}>
            <a className={styles.percent} href={`#${first}`}>
              <span className="hidden">{label}: </span>
              {isSource ? (
                numbers
              ) : (
                <>
                  {percent}
                  <span className="hidden">, {numbers}</span>
                </>
              )}
            </a>
            <span className={styles.exceptions}>
              {exceptions.map(({ is, look, count, words }, at) => (
                <a
                  key={is}
                  data-late={at > 0 && lengths[at]! > MOST_CHARACTERS ? true : undefined}
                  className={`${styles.exception} ${look ?? ''}`}
                  href={`#${to}?is=${is}`}
                >
                  <span aria-hidden data-sign={is} />
                  <span className={styles.count} aria-hidden>
                    {count}
                  </span>
                  <span className={styles.words}>{words}</span>
                </a>
              ))}
            </span>
            {!isSource && (
              <span className={`${bar.bar} ${styles.bar}`} aria-hidden>
                <Bands of={counts} />
              </span>
            )}
          </div>
        </div>
      </Tooltip>
      {isTapped && (
        <Rows
          trigger={cell}
          id={menu}
          autoFocus="first"
          label={label}
          onClose={() => setIsTapped(false)}
          rows={[
            { id: 'all', label: `${label}: ${numbers}`, to: first },
            ...exceptions.map(({ is, words }) => ({
              id: is,
              label: words,
              icon: <span aria-hidden data-sign={is} />,
              to: `${to}?is=${is}`,
            })),
          ]}
        />
      )}
    </>
  )
}
