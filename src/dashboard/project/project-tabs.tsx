/** What the editor shares with the pages of a project: the tabs, and files dropped or pasted anywhere. */
import { Upload } from 'lucide-react'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useProjectName } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { go, projectAddress } from '../ui/location.ts'
import { Tabs } from '../ui/tabs.tsx'
import type { MatrixPlace } from './matrix-axes.ts'
import styles from './project-tabs.module.css'

/** Its words are those of every page: the editor does not load the words of a project for them. */
export function ProjectTabs({ slug, isEditor = false }: { slug: string; isEditor?: boolean }) {
  const { t } = useTranslation()
  const { who } = useMember()
  const { name } = useProjectName(slug)
  const address = projectAddress(slug)
  const pages = ['glossary', 'history', 'releases', 'compare', 'import', ...(mayManage(who) ? ['settings'] : [])]
  return (
    <Tabs
      tabs={[
        { to: address, label: t('languages'), ...(isEditor && { isAbove: true }) },
        ...pages.map(page => ({ to: `${address}/${page}`, label: t(page) })),
      ]}
      label={t('pagesOf', { name })}
    />
  )
}

interface DropProps {
  slug: string
  /** For files that name no language or namespace. */
  place?: MatrixPlace
  /** Receives files and folders. Without it they wait for the import, which opens. */
  onFiles?: ((entries: FileSystemEntry[]) => void) | undefined
}

/** Dropped on another page of the project. */
let waiting: FileSystemEntry[] = []

/** Covers the window while files are dragged. A drop beside an open dialog does nothing. */
export function DropAnywhere({ slug, place, onFiles }: DropProps) {
  const [isOver, setOver] = useState(false)
  const send = useEffectEvent((entries: FileSystemEntry[]) => {
    if (entries.length === 0 || document.querySelector('[role$=dialog]')) return
    waiting = onFiles ? [] : entries
    if (onFiles) onFiles(entries)
    else go(`${projectAddress(slug)}/import${place ? `?${new URLSearchParams({ ...place })}` : ''}`)
  })
  useEffect(() => {
    send(waiting)
    const over = new AbortController()
    const { signal } = over
    // During the event: a browser empties the list afterwards.
    const sendAll = (from: DataTransfer | null) =>
      send([...(from?.items ?? [])].flatMap(item => item.webkitGetAsEntry() ?? []))
    const drag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      // Otherwise the browser opens the file in place of the dashboard.
      event.preventDefault()
      setOver(event.type === 'dragover')
      if (event.type === 'drop') sendAll(event.dataTransfer)
    }
    addEventListener('dragover', drag, { signal })
    addEventListener('drop', drag, { signal })
    // It enters and leaves each element; it leaves the window to nowhere.
    addEventListener('dragleave', event => event.relatedTarget === null && setOver(false), { signal })
    const paste = ({ target, clipboardData }: ClipboardEvent) => {
      // A copied cell of a spreadsheet is a text and a picture: the field wants the text.
      const isField = target instanceof Element && target.closest('input, textarea, [contenteditable]')
      if (!isField) sendAll(clipboardData)
    }
    addEventListener('paste', paste, { signal })
    return () => over.abort()
  }, [])
  return <Suspense>{isOver && <DropHint />}</Suspense>
}

/** A component of its own: the editor loads these words when files are dragged. */
function DropHint() {
  const { t } = useTranslation('projects')
  return (
    <p className={styles.dropping}>
      <Upload aria-hidden />
      {t('dropAnywhere')}
    </p>
  )
}
