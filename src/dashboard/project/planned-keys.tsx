/** The effects of an import on the keys of a bundle: a list, or a tree for many keys. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ManyPushed } from '../api/client.ts'
import { Badge, CHANGES } from '../ui/badge.tsx'
import { groupKeys, type KeyGroup } from './group-keys.ts'
import styles from './project.module.css'

/** One key of a plan. */
export type PlannedKey = NonNullable<ManyPushed['bundles'][number]['details']>[number]

/** More keys than these are a tree. */
const FEW = 20
/** Most lines in one place; the rest is a number. */
const MOST_LISTED = 200

/** @param said the common prefix of all keys, which is not repeated */
export function PlannedKeys({ keys, said = '' }: { keys: readonly PlannedKey[]; said?: string }) {
  const { t } = useTranslation('projects')
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
            {entry.reason !== undefined && <bdi className="quiet">{entry.reason}</bdi>}
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
