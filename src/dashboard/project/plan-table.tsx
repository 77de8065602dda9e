/** The plan of a push, bundle by bundle, and its effects on keys: a list, or a tree for many keys. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManyPushed } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { CHANGES } from '../ui/diff.tsx'
import { Badge } from '../ui/notice.tsx'
import table from '../ui/table.module.css'
import { groupKeys, type KeyGroup } from './placed-files.ts'
import styles from './project.module.css'

const PARTS = ['added', 'updated', 'removed', 'skipped', 'unchanged'] as const

type Bundle = ManyPushed['bundles'][number]
type PlannedKey = NonNullable<Bundle['details']>[number]

/** Counts for each bundle, and its keys when opened. */
export function PlanTable({ bundles }: { bundles: readonly Bundle[] }) {
  const { t } = useTranslation('projects')
  return (
    <div className={`${table.frame} ${styles.plan}`}>
      <table className={table.table} aria-label={t('plan')}>
        <thead>
          <tr>
            <th scope="col">{t('bundle')}</th>
            {PARTS.map(part => (
              <th key={part} scope="col" className={table.number}>
                {t(`planned.${part}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bundles.map(bundle => (
            <PlannedBundle key={`${bundle.language}/${bundle.namespace}`} bundle={bundle} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Its keys have a row of their own: in its heading they would be read out as its name. */
function PlannedBundle({ bundle }: { bundle: Bundle }) {
  const { language, namespace, details = [] } = bundle
  const { t, i18n } = useTranslation('projects')
  const reasonOf = useReasons()
  const [isOpen, setOpen] = useState(false)
  const why = new Set(details.filter(({ result }) => result === 'skipped').map(reasonOf))
  const keys = useId()
  const name = (
    <code>
      {language}/{namespace}
    </code>
  )
  return (
    <>
      <tr>
        <th scope="row">
          {details.length === 0 ? (
            name
          ) : (
            <Button
              small
              look="quiet"
              icon={isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden className={styles.turned} />}
              aria-expanded={isOpen}
              aria-controls={isOpen ? keys : undefined}
              onPress={() => setOpen(!isOpen)}
            >
              {name}
            </Button>
          )}
          {why.size > 0 && (
            <div className="quiet">
              {t('planned.skipped')}: {[...why].join(' · ')}
            </div>
          )}
        </th>
        {PARTS.map(part => (
          <td key={part} className={table.number}>
            {new Intl.NumberFormat(i18n.language).format(bundle[part] ?? 0)}
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr id={keys}>
          <td colSpan={1 + PARTS.length}>
            <PlannedKeys keys={details} />
          </td>
        </tr>
      )}
    </>
  )
}

/** Why a key is skipped, in the reader's language; the server's own sentence where the dashboard has none. */
function useReasons() {
  const { t } = useTranslation('projects')
  return ({ reason = '' }: PlannedKey): string => {
    if (reason === 'a text is stored already') return t('why.stored')
    return reason === 'an empty value never clears a stored text' ? t('why.empty') : reason
  }
}

/** More keys than these are a tree. */
const FEW = 20
/** Most lines in one place; the rest is a number. */
const MOST_LISTED = 200

/** @param said the common prefix of all keys, which is not repeated */
function PlannedKeys({ keys, said = '' }: { keys: readonly PlannedKey[]; said?: string }) {
  const { t } = useTranslation('projects')
  const reasonOf = useReasons()
  const entries = keys.length > FEW ? groupKeys(keys, said) : keys
  return (
    <ul className={styles.planned}>
      {entries.slice(0, MOST_LISTED).map(entry =>
        'prefix' in entry ? (
          <li key={entry.prefix}>
            <Group group={entry} said={said} />
          </li>
        ) : (
          <li key={entry.key}>
            <Badge {...CHANGES[entry.result]}>{t(`planned.${entry.result}`)}</Badge>{' '}
            <code title={entry.key}>{entry.key.slice(said.length)}</code>{' '}
            {entry.reason !== undefined && <bdi className="quiet">{reasonOf(entry)}</bdi>}
          </li>
        ),
      )}
      {entries.length > MOST_LISTED && <li>{t('more', { count: entries.length - MOST_LISTED })}</li>}
    </ul>
  )
}

/** Drawn when it is opened: a plan may have a hundred thousand keys. */
function Group({ group: { prefix, members }, said }: { group: KeyGroup<PlannedKey>; said: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        <code>{prefix.slice(said.length)}</code> <span className="quiet">{members.length}</span>
      </summary>
      {isOpen && <PlannedKeys keys={members} said={prefix} />}
    </details>
  )
}
