/** Files that are dropped or pasted anywhere on a page of a project. */
import { Upload } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { go, projectAddress } from '../ui/location.ts'
import styles from './project.module.css'

interface Props {
  slug: string
  /** Receives files and folders. Without it they wait for the import, which opens. */
  onFiles: ((entries: FileSystemEntry[]) => void) | undefined
}

/** Dropped on another page of the project. */
let waiting: FileSystemEntry[] = []

/** Covers the window while files are dragged. A drop beside an open dialog does nothing. */
export function DropAnywhere({ slug, onFiles }: Props) {
  const { t } = useTranslation('projects')
  const [isOver, setOver] = useState(false)
  const send = useEffectEvent((entries: FileSystemEntry[]) => {
    if (entries.length === 0 || document.querySelector('[role$=dialog]')) return
    waiting = onFiles ? [] : entries
    if (onFiles) onFiles(entries)
    else go(`${projectAddress(slug)}/import`)
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
    addEventListener('paste', event => sendAll(event.clipboardData), { signal })
    return () => over.abort()
  }, [])
  if (!isOver) return null
  return (
    <p className={styles.dropping}>
      <Upload aria-hidden />
      {t('dropAnywhere')}
    </p>
  )
}
