/** Languages x namespaces: the progress and the problems of each bundle. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { deleteLanguage, type LanguageStatus, type Status } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Empty } from '../ui/state.tsx'
import table from '../ui/table.module.css'
import { MatrixRow } from './matrix-row.tsx'
import styles from './project.module.css'

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

interface RemoveLanguageProps {
  slug: string
  /** BCP 47; undefined while no language is to go. */
  language: string | undefined
  onClose: () => void
}

/** One commit, which can be undone in the project's history. */
function RemoveLanguage({ slug, language = '', onClose }: RemoveLanguageProps) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const names = { language: languageName(language, i18n.language), tag: language }
  return (
    <Confirm
      title={t('removeLanguageNamed', names)}
      doIt={t('removeLanguage')}
      typed={language}
      isOpen={language !== ''}
      onClose={onClose}
      onConfirm={async () => {
        await answer(deleteLanguage({ slug, language }))
        announce(t('languageRemoved', names))
        await client.invalidateQueries({ queryKey: ['project', slug] })
      }}
    >
      <p>{t('removeLanguageBack')}</p>
    </Confirm>
  )
}
