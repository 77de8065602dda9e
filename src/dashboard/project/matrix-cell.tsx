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
export const EXCEPTIONS = ['problems', 'stale', 'missing', 'empty', 'incomplete', 'suggested', 'extra'] as const

const Rows = late(() => import('../ui/menu-rows.tsx'))

/** Room of a narrow cell. The first exception is shown in any case. */
const MOST_CHARACTERS = 10

interface Props {
  counts: LanguageStatus | NamespaceStatus
  /** The names of its row and column. */
  label: string
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
  const { format } = new Intl.NumberFormat(i18n.language)
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percentOf(counts) / 100)
  const ofTranslation = useNumbersOf(counts)
  const numbers = isSource ? t('texts', { count: counts.keys }) : ofTranslation
  const found = EXCEPTIONS.filter(is => counts[is] > 0 && !(isSource && is === 'missing'))
  const exceptions = [
    ...(unsaved > 0 ? [{ is: 'unsaved', count: format(unsaved), words: t('common:unsaved', { count: unsaved }) }] : []),
    ...found.map(is => ({ is, count: format(counts[is]), words: t(`wants.${is}`, { count: counts[is] }) })),
  ]
  /** Whether a narrow cell has no room for an exception, after those before it with their icons. */
  const isLate = (at: number) =>
    at > 0 && exceptions.slice(0, at + 1).reduce((sum, { count }) => sum + 3 + count.length, 0) > MOST_CHARACTERS
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
              {isSource ? numbers : percent}
              {!isSource && <span className="hidden">, {numbers}</span>}
            </a>
            <span className={styles.exceptions}>
              {exceptions.map(({ is, count, words }, at) => (
                <a key={is} data-late={isLate(at) || undefined} className={styles.exception} href={`#${to}?is=${is}`}>
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
