/** How strict each check of a project's translations is. */
import { useTranslation } from 'react-i18next'
import {
  CHECK_KINDS,
  CHECK_LEVELS,
  type CheckKind,
  type CheckLevel,
  type CheckSettings,
  DEFAULT_LEVEL,
} from '../../bundle/checks/check-settings.ts'
import { Isolated } from '../ui/isolated.tsx'
import { Select } from '../ui/select.tsx'
import styles from './project.module.css'

/** Stands in the note of a check. */
const EXAMPLES: Partial<Record<CheckKind, string>> = { interpolation: '{{name}}', nesting: '$t(key)', tag: '<b>' }

interface Props {
  stored: CheckSettings | undefined
  /** Levels that are not saved yet. */
  changed: CheckSettings
  onChange: (changed: CheckSettings) => void
}

/** A section with a choice for each check. */
export function CheckLevels({ stored, changed, onChange }: Props) {
  const { t } = useTranslation('projects')
  const choose = (kind: CheckKind, level: CheckLevel) => {
    const { [kind]: _, ...others } = changed
    onChange(level === (stored?.[kind] ?? DEFAULT_LEVEL) ? others : { ...others, [kind]: level })
  }
  return (
    <section className={styles.fields}>
      <h2>{t('checks.title')}</h2>
      <p className="quiet">{t('checks.why')}</p>
      {CHECK_KINDS.map(kind => (
        <Select<CheckLevel>
          key={kind}
          label={t(`checks.${kind}`)}
          hint={<Isolated text={t(`checks.notes.${kind}`, { example: EXAMPLES[kind] })} />}
          choices={CHECK_LEVELS.map(level => ({ id: level, label: t(`checks.levels.${level}`) }))}
          value={changed[kind] ?? stored?.[kind] ?? DEFAULT_LEVEL}
          onChange={level => choose(kind, level)}
        />
      ))}
    </section>
  )
}
