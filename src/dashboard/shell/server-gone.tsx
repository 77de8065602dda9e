/** A quiet line while the server is unreachable; cached data stays visible. */
import { useQueryClient } from '@tanstack/react-query'
import { CloudOff } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { getLive } from '../api/client.ts'
import { useReached } from '../api/use-reached.ts'
import styles from './frame.module.css'

const AGAIN_MS = 4000

/** Polls until the server answers, then refetches the failed queries. Live events deliver the changes in between. */
export function ServerGone() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const reached = useReached()
  useEffect(() => {
    if (reached) return
    const ask = () => void answer(getLive()).catch(() => {})
    const timer = setInterval(ask, AGAIN_MS)
    addEventListener('online', ask)
    return () => {
      clearInterval(timer)
      removeEventListener('online', ask)
      // Waiting for all queries would never end on a lossy line. The first failure restarts the poll instead.
      void client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
    }
  }, [reached, client])
  if (reached) return null
  return (
    <p className={styles.gone}>
      <CloudOff aria-hidden />
      {t('serverGone')}
    </p>
  )
}
