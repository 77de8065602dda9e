/** A quiet line while the server can be read but not written: its disk is full, or its cluster lacks the database. */
import { PencilOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { getHealth, listProjects } from '../api/client.ts'
import { onServer, STALE } from '../api/connection.ts'
import styles from './frame.module.css'

const AGAIN_MS = 4000

/** Looks whether it is so when an answer lets one think it, and until it is not. */
export function ReadOnly() {
  const { t } = useTranslation()
  const [troubled, setTroubled] = useState<'readOnly' | 'readOnlyOld'>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let [isLooking, isOver] = [false, false]
    const look = async () => {
      if (isLooking) return
      isLooking = true
      clearTimeout(timer)
      const found = await trouble()
      isLooking = false
      if (isOver) return
      setTroubled(found)
      if (found) timer = setTimeout(look, AGAIN_MS)
    }
    const stop = onServer('troubled', () => void look())
    return () => {
      isOver = true
      stop()
      clearTimeout(timer)
    }
  }, [])
  if (!troubled) return null
  return (
    <p className={styles.gone}>
      <PencilOff aria-hidden />
      {t(troubled)}
    </p>
  )
}

/** Not by `answer`, which would report the failure again. Without an answer it shows nothing: `ServerGone` does. */
async function trouble(): Promise<'readOnly' | 'readOnlyOld' | undefined> {
  try {
    const [health, projects] = await Promise.all([getHealth(), listProjects({})])
    if (projects.headers.has(STALE)) return 'readOnlyOld'
    const statuses: number[] = [health.status, projects.status]
    return statuses.includes(503) ? 'readOnly' : undefined
  } catch {
    return undefined
  }
}
