/** The history of a project, of a language or namespace, of a key, or by an author. */
import { useQuery } from '@tanstack/react-query'
import { ArchiveRestore, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { answer } from '../api/answer.ts'
import { getHistory } from '../api/client.ts'
import { isNotFound, useManifest } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { languageName } from '../i18n/languages.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { Button } from '../ui/button.tsx'
import { setSearch } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { Commits } from './commits.tsx'
import styles from './history.module.css'
import { Done, UndoButton } from './revert.tsx'
import type { HistoryFilter } from './use-history.ts'

/** The history that the address names. A new address clears the selection. */
export default function HistoryPage() {
  const { t } = useTranslation('history')
  const { slug = '' } = useParams()
  const search = useSearch()
  const { commit, ...wanted } = Object.fromEntries(new URLSearchParams(search)) as HistoryFilter & { commit?: string }
  return (
    <ProjectFrame slug={slug} title={t('common:history')} evenDeleted>
      <Deleted slug={slug} />
      <Filters slug={slug} wanted={wanted} />
      <Done slug={slug} />
      <Commits key={`${slug}?${search}`} slug={slug} wanted={wanted} opened={commit} />
    </ProjectFrame>
  )
}

/** Says who deleted a project, and offers owners and admins to undo just that; nothing while there is the project. */
function Deleted({ slug }: { slug: string }) {
  const { t } = useTranslation('history')
  const mayRestore = mayManage(useMember().who)
  const isGone = isNotFound(useManifest(slug).error)
  const { data: last } = useQuery({
    queryKey: ['project', slug, 'history', 'last'],
    enabled: isGone,
    // The deletion is the last commit of a missing project.
    queryFn: async ({ signal }) => (await answer(getHistory({ slug, limit: 1 }, { signal }))).revisions[0] ?? null,
  })
  if (!isGone || !last) return null
  const undo = (
    <UndoButton
      slug={slug}
      revisions={[last.revision]}
      subject={last.subject}
      title={t('bringBack')}
      said={t('broughtBack')}
      icon={<ArchiveRestore aria-hidden />}
    />
  )
  return (
    <Notice kind="warn" action={mayRestore && undo}>
      {t('isDeleted', { who: last.author.name })} {!mayRestore && t('whoBringsBack')}
    </Notice>
  )
}

// Deleted languages and namespaces have a history, too.
const withChosen = (ids: readonly string[] = [], chosen = '') =>
  chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen]

/** The reader chooses language and namespace here. A key or an author arrives by a link and can be removed. */
function Filters({ slug, wanted }: { slug: string; wanted: HistoryFilter }) {
  const { t, i18n } = useTranslation('history')
  const { data: manifest } = useManifest(slug)
  const all = { id: '', label: t('common:all') }
  const languages = withChosen(manifest?.languages, wanted.language)
  const namespaces = withChosen(manifest?.namespaces, wanted.namespace)
  return (
    <div className={styles.filters}>
      <Select
        label={t('common:language')}
        choices={[all, ...languages.map(id => ({ id, label: languageName(id, i18n.language), note: id }))]}
        value={wanted.language ?? ''}
        onChange={language => setSearch({ language })}
      />
      <Select
        label={t('common:namespace')}
        choices={[all, ...namespaces.map(id => ({ id, label: id }))]}
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
