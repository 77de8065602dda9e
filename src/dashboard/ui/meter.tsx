/** How much is translated, as a bar and in numbers. */
import { useTranslation } from 'react-i18next'
import styles from './meter.module.css'

/** Counts of keys, as the API's status has them. */
export interface KeyCounts {
  keys: number
  translated: number
  incomplete: number
  empty: number
  missing: number
}

/** Whole percent of keys translated, 100 only when all are (99.6 is 99). */
export const percentOf = ({ keys, translated }: Pick<KeyCounts, 'keys' | 'translated'>): number =>
  keys === 0 ? 100 : Math.floor((translated / keys) * 100)

/** A bar of translated, incomplete and the rest, and the numbers. `decorates`: words beside it say them already. */
export function Meter({ of, label, decorates = false }: { of: KeyCounts; label?: string; decorates?: boolean }) {
  const { t, i18n } = useTranslation()
  const percent = percentOf(of)
  const numbers = t('meter', { translated: of.translated, count: of.keys })
  const width = (count: number) => ({ inlineSize: of.keys === 0 ? '0' : `${(count / of.keys) * 100}%` })
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
        <span className={styles.translated} style={of.keys === 0 ? { inlineSize: '100%' } : width(of.translated)} />
        <span className={styles.incomplete} style={width(of.incomplete + of.empty)} />
      </div>
      <span className={styles.percent} aria-hidden>
        {new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percent / 100)}
      </span>
    </div>
  )
}
