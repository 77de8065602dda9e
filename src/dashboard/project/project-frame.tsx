/** The common parts of all pages of a project: its name, its languages, and the tabs. */
import type { ReactNode } from 'react'
import { isNotFound, useManifest, useProjectName } from '../api/queries.ts'
import { InterpolationContext } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Place } from '../ui/place.tsx'
import { DropAnywhere } from './drop-anywhere.tsx'
import { NoProject } from './no-project.tsx'
import styles from './project.module.css'
import { ProjectTabs } from './project-tabs.tsx'

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
  const { name } = useProjectName(slug)
  const manifest = useManifest(slug)
  const isGone = isNotFound(manifest.error) && !evenDeleted
  const ways = <ProjectTabs slug={slug} />
  const isProject = title === undefined
  // The place of the heading on the project's own page: the tabs stay in place between pages.
  const above = (
    <>
      <Place name={name} to={projectAddress(slug)} />
      {ways}
    </>
  )
  return (
    <Page
      title={title ?? name}
      above={!isProject && above}
      actions={!isGone && actions}
      width={isProject ? undefined : 'page'}
    >
      {isProject && ways}
      {manifest.data && <DropAnywhere slug={slug} onFiles={onFiles} />}
      <InterpolationContext value={manifest.data?.interpolation}>
        <div className={isProject ? styles.whole : styles.content}>{isGone ? <NoProject slug={slug} /> : children}</div>
      </InterpolationContext>
    </Page>
  )
}
