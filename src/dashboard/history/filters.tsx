/** The filters of a history; they are part of the address. */
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useManifest } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { setSearch } from '../ui/location.ts'
import { Select } from '../ui/select.tsx'
import styles from './history.module.css'
import type { HistoryFilter } from './use-history.ts'

/** The reader chooses language and namespace here. A key or an author arrives by a link and can be removed. */
export function Filters({ slug, wanted }: { slug: string; wanted: HistoryFilter }) {
  const { t, i18n } = useTranslation('history')
  const { data: manifest } = useManifest(slug)
  const all = { id: '', label: t('common:all') }
  // Deleted languages and namespaces have a history, too.
  const withChosen = (ids: readonly string[] = [], chosen: string | undefined) =>
    chosen === undefined || ids.includes(chosen) ? ids : [...ids, chosen]
  return (
    <div className={styles.filters}>
      <Select
        label={t('common:language')}
        choices={[
          all,
          ...withChosen(manifest?.languages, wanted.language).map(id => ({
            id,
            label: languageName(id, i18n.language),
            note: id,
          })),
        ]}
        value={wanted.language ?? ''}
        onChange={language => setSearch({ language })}
      />
      <Select
        label={t('common:namespace')}
        choices={[all, ...withChosen(manifest?.namespaces, wanted.namespace).map(id => ({ id, label: id }))]}
        value={wanted.namespace ?? ''}
        onChange={namespace => setSearch({ namespace })}
      />
      {(['key', 'author'] as const).map(
        name =>
          wanted[name] !== undefined && (
            <Button
              key={name}
              icon={<X aria-hidden />}
              aria-label={t('withoutFilter', { what: wanted[name] })}
              onPress={() => setSearch({ [name]: null })}
            >
              {wanted[name]}
            </Button>
          ),
      )}
    </div>
  )
}
