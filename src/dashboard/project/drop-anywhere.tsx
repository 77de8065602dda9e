/** Files that are dropped or pasted anywhere on a page of a project. */
import { Upload } from 'lucide-react'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { go, projectAddress } from '../ui/location.ts'
import styles from './drop-anywhere.module.css'
import type { MatrixPlace } from './matrix-axes.ts'

interface Props {
  slug: string
  /** For files that name no language or namespace. */
  place?: MatrixPlace
  /** Receives files and folders. Without it they wait for the import, which opens. */
  onFiles?: ((entries: FileSystemEntry[]) => void) | undefined
}

/** Dropped on another page of the project. */
let waiting: FileSystemEntry[] = []

/** Covers the window while files are dragged. A drop beside an open dialog does nothing. */
export function DropAnywhere({ slug, place, onFiles }: Props) {
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
  if (!isOver) return null
  return (
    <Suspense>
      <DropHint />
    </Suspense>
  )
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
