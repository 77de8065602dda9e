/** Languages x namespaces: how much of each bundle is translated, and what is wrong with it. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LanguageStatus, Status } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { MatrixRow } from './matrix-row.tsx'
import styles from './project.module.css'
import { RemoveLanguage } from './remove-language.tsx'

interface Props {
  slug: string
  status: Status
  onAddNamespace: () => void
}

/** A row a language, the source first; each cell leads to its texts in the editor. */
export function Matrix({ slug, status: { sourceLanguage, languages }, onAddNamespace }: Props) {
  const { t } = useTranslation('projects')
  const [removed, remove] = useState<string>()
  const namespaces = [
    ...new Set(languages.flatMap(({ namespaces }) => namespaces.map(({ namespace }) => namespace))),
  ].sort()
  if (namespaces.length === 0)
    return (
      <Empty
        title={t('noTexts')}
        action={
          <Button look="primary" onPress={onAddNamespace}>
            {t('addNamespace')}
          </Button>
        }
      >
        {t('noTextsWhy')}
      </Empty>
    )
  const isSource = ({ language }: LanguageStatus) => language === sourceLanguage
  const rows = [...languages.filter(isSource), ...languages.filter(row => !isSource(row))]
  return (
    <div className={`${table.frame} ${styles.matrix}`}>
      <table className={table.table}>
        <caption className="hidden">{t('matrixOf')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('common:language')}</th>
            <th scope="col">{t('common:all')}</th>
            {namespaces.map(namespace => (
              <th key={namespace} scope="col">
                <code>{namespace}</code>
              </th>
            ))}
            <td className={styles.removal} />
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <MatrixRow
              key={row.language}
              slug={slug}
              row={row}
              namespaces={namespaces}
              source={isSource(row)}
              onRemove={() => remove(row.language)}
            />
          ))}
        </tbody>
      </table>
      <RemoveLanguage slug={slug} language={removed} onClose={() => remove(undefined)} />
    </div>
  )
}
