/** The changes of a replacement, each with a checkbox. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useManifest } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Diff } from '../../ui/diff.tsx'
import { useEditor } from '../editor-context.ts'
import { sentenceOf } from '../field/fault-sentence.ts'
import type { TextReplacement } from './changes.ts'
import styles from './replace.module.css'

/** The number of changes that each click adds. */
const PAGE = 100

interface Props {
  changes: readonly TextReplacement[]
  isChosen: (change: TextReplacement) => boolean
  onSelect: (changes: readonly TextReplacement[], isSelected: boolean) => void
}

/** The changes that are not rendered yet are part of the number. */
export function Preview({ changes, isChosen, onSelect }: Props) {
  const { t } = useTranslation('keys')
  const { slug, t: tEditor, columns } = useEditor()
  const manifest = useManifest(slug)
  const hasNamespaces = (manifest.data?.namespaces.length ?? 0) > 1
  const [most, setMost] = useState(PAGE)
  const possible = changes.filter(({ refused }) => !refused)
  const selectedCount = possible.filter(isChosen).length
  return (
    <div className={styles.preview}>
      <Checkbox
        isSelected={selectedCount > 0 && selectedCount === possible.length}
        isIndeterminate={selectedCount > 0 && selectedCount < possible.length}
        isDisabled={possible.length === 0}
        onChange={on => onSelect(possible, on)}
      >
        {t('all')}
      </Checkbox>
      <ul className={styles.changes}>
        {changes.slice(0, most).map(change => (
          <li key={change.id}>
            <Checkbox isSelected={isChosen(change)} isDisabled={change.refused} onChange={on => onSelect([change], on)}>
              <code className={styles.key}>{change.key + change.ending}</code>
              {hasNamespaces && <span className="quiet"> {change.namespace}</span>}
              {columns.targets.length > 1 && <span className="quiet"> {change.language}</span>}
            </Checkbox>
            <Diff before={change.text} after={change.after} language={change.language} />
            {change.after === '' && (
              <p className={styles.warning} data-sign="problems">
                {t('wouldBeEmpty')}
              </p>
            )}
            {change.checks.map(check => (
              <p key={JSON.stringify(check)} className={styles.warning} data-sign="problems">
                {sentenceOf(check, tEditor)}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {changes.length > most && (
        <Button small onPress={() => setMost(most => most + PAGE)}>
          {t('showMore', { count: Math.min(PAGE, changes.length - most) })}
        </Button>
      )}
    </div>
  )
}
