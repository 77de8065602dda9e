/** How much is translated, as a bar and in numbers. */
import { useTranslation } from 'react-i18next'
import type { NamespaceStatus } from '../api/client.ts'
import styles from './meter.module.css'

type KeyCounts = Pick<NamespaceStatus, 'keys' | 'translated' | 'incomplete' | 'empty' | 'missing' | 'approved'>

/** Whole percent of keys translated, 100 only when all are (99.6 is 99). */
export const percentOf = ({ keys, translated }: Pick<KeyCounts, 'keys' | 'translated'>): number =>
  keys === 0 ? 100 : Math.floor((translated / keys) * 100)

/** The bands of a bar: approved, otherwise translated, and incomplete texts. The rest is missing. */
export function Bands({ of: { keys, translated, incomplete, empty, approved } }: { of: KeyCounts }) {
  const width = (count: number) => ({ inlineSize: keys === 0 ? '0' : `${(count / keys) * 100}%` })
  // Incomplete texts may be approved, too.
  const banded = Math.min(approved, translated)
  return (
    <>
      <span className={styles.approved} style={width(banded)} />
      <span className={styles.translated} style={keys === 0 ? { inlineSize: '100%' } : width(translated - banded)} />
      <span className={styles.incomplete} style={width(incomplete + empty)} />
    </>
  )
}

/** How many texts are translated and, where there are some, approved. */
export function useNumbersOf({ keys, translated, approved }: KeyCounts): string {
  const { t } = useTranslation('projects')
  const numbers = t('common:meter', { translated, count: keys })
  return approved === 0 ? numbers : `${numbers}, ${t('approvedCount', { count: approved })}`
}

/** A bar of {@link Bands}, and the numbers. `decorates`: words beside it say them already. */
export function Meter({ of, label, decorates = false }: { of: KeyCounts; label?: string; decorates?: boolean }) {
  const { t, i18n } = useTranslation()
  const percent = percentOf(of)
  const numbers = useNumbersOf(of)
  return (
    <div className={styles.meter} aria-hidden={decorates || undefined}>
      <div
        className={styles.bar}
        role="meter"
        aria-label={label ?? t('translated')}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={numbers}
        title={numbers}
      >
        <Bands of={of} />
      </div>
      <span className={styles.percent} aria-hidden>
        {new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percent / 100)}
      </span>
    </div>
  )
}
