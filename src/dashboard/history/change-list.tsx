/** Changes of keys, each with a word diff. */
import { useTranslation } from 'react-i18next'
import type { Message } from '../api/client.ts'
import { projectAddress } from '../shell/location.ts'
import { Badge } from '../ui/badge.tsx'
import { Diff } from '../ui/diff.tsx'
import styles from './history.module.css'
import { changedParts } from './message.ts'

/** One key's change, as the API tells it. */
export interface Change {
  language: string
  namespace: string
  key: string
  before: Message | null
  after: Message | null
}

const KINDS = { added: 'good', updated: 'info', removed: 'bad' } as const
const MARKS = { added: '+', updated: '~', removed: '−' } as const

const kindOf = ({ before, after }: Change) => (before === null ? 'added' : after === null ? 'removed' : 'updated')

interface Props {
  slug: string
  changes: readonly Change[]
  /** Of the headings: one below that of what stands above. */
  level?: 2 | 3
}

/** By language and namespace, in the order given; each key leads to the editor. */
export function ChangeList({ slug, changes, level = 3 }: Props) {
  const Heading = `h${level}` as const
  const { t } = useTranslation('history')
  const groups = Map.groupBy(changes, ({ language, namespace }) => `${language}/${namespace}`)
  return [...groups].map(([place, changes]) => (
    <section key={place} className={styles.group}>
      <Heading className={styles.place}>
        <code>{place}</code>
      </Heading>
      <ul className={styles.changes}>
        {changes.map(change => (
          <li key={change.key}>
            <p className={styles.key}>
              <Badge kind={KINDS[kindOf(change)]} mark={MARKS[kindOf(change)]}>
                {t(kindOf(change))}
              </Badge>
              <a href={`#${projectAddress(slug, change.language, change.namespace, change.key)}`}>
                <code>{change.key}</code>
              </a>
            </p>
            {changedParts(change.before, change.after).map(({ form, before, after }) => (
              <p key={form ?? ''} className={styles.part}>
                {form !== undefined && <code className={styles.form}>{form}</code>}
                <Diff before={before ?? ''} after={after ?? ''} language={change.language} />
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  ))
}
