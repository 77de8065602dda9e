/** Changes of keys, each with a word diff. */
import { useTranslation } from 'react-i18next'
import type { BundleChange } from '../../bundle/diff.ts'
import { Badge } from '../ui/badge.tsx'
import { CHANGES } from '../ui/changes.tsx'
import { projectAddress } from '../ui/location.ts'
import { ChangedTexts } from './changed-texts.tsx'
import styles from './history.module.css'

const kindOf = ({ before, after }: BundleChange) => (before === null ? 'added' : after === null ? 'removed' : 'updated')

interface Props {
  slug: string
  changes: readonly BundleChange[]
  /** The level of the headings: one below the heading above them. */
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
              <Badge {...CHANGES[kindOf(change)]}>{t(kindOf(change))}</Badge>
              <a href={`#${projectAddress(slug, change.language, change.namespace, change.key)}`}>
                <code>{change.key}</code>
              </a>
            </p>
            <ChangedTexts {...change} />
          </li>
        ))}
      </ul>
    </section>
  ))
}
