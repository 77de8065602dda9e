/** The common parts of all pages of a project: its name, its languages, and the tabs. */
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isNotFound, useManifest, useProjectName } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { InterpolationContext } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { DropAnywhere } from './drop-anywhere.tsx'
import { NoProject } from './no-project.tsx'
import styles from './project.module.css'

interface Props {
  slug: string
  /** The title of a page within the project. The project's own page has none. */
  title?: string
  actions?: ReactNode
  /** Its content exists for a deleted project, too. */
  evenDeleted?: boolean
  /** Receives dropped files; see {@link DropAnywhere}. */
  onFiles?: (entries: FileSystemEntry[]) => void
  children: ReactNode
}

/** The project's name and its tabs above a page. */
export function ProjectFrame({ slug, title, actions, evenDeleted, onFiles, children }: Props) {
  const { t } = useTranslation('projects')
  const { who } = useMember()
  const { name } = useProjectName(slug)
  const manifest = useManifest(slug)
  const isGone = isNotFound(manifest.error) && !evenDeleted
  const address = projectAddress(slug)
  const tabs = [
    { to: address, label: t('common:languages') },
    { to: `${address}/history`, label: t('common:history') },
    { to: `${address}/releases`, label: t('common:releases') },
    { to: `${address}/compare`, label: t('common:compare') },
    { to: `${address}/import`, label: t('import') },
    ...(mayManage(who) ? [{ to: `${address}/settings`, label: t('settings') }] : []),
  ]
  const ways = <Tabs tabs={tabs} label={t('pagesOf', { name })} />
  const isProject = title === undefined
  // The place of the heading on the project's own page: the tabs stay in place between pages.
  const above = (
    <>
      <p className={styles.project}>
        <a href={`#${address}`}>{name}</a>
      </p>
      {ways}
    </>
  )
  return (
    <Page title={title ?? name} above={!isProject && above} actions={!isGone && actions} wide>
      {isProject && ways}
      {manifest.data && <DropAnywhere slug={slug} onFiles={onFiles} />}
      <InterpolationContext value={manifest.data?.interpolation}>
        <div className={isProject ? styles.whole : styles.content}>{isGone ? <NoProject slug={slug} /> : children}</div>
      </InterpolationContext>
    </Page>
  )
}
