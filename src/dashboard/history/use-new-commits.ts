/** Commits that arrive while a history is open. */
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LiveChange } from '../live/changes.ts'
import { onChange } from '../live/live.ts'
import { announce } from '../ui/announce.ts'
import type { HistoryFilter } from './use-history.ts'

/** Whether a commit may belong to a history. Events do not name the changed keys. */
export function mayBelong(change: LiveChange, slug: string, { language, namespace, author }: HistoryFilter): boolean {
  if (author !== undefined && change.author.email !== author) return false
  const own = change.bundles.filter(({ project }) => (project ?? change.project) === slug)
  if (language === undefined && namespace === undefined) return change.project === slug || own.length > 0
  return own.some(bundle => (language ?? bundle.language) === language && (namespace ?? bundle.namespace) === namespace)
}

/**
 * Counts new commits and announces them to screen readers.
 * @param known revisions that are shown @returns their number, and what to call when they are read
 */
export function useNewCommits(slug: string, wanted: HistoryFilter, known: ReadonlySet<string>): [number, () => void] {
  const { t } = useTranslation('history')
  const { language, namespace, author } = wanted
  const [heard, setHeard] = useState<readonly string[]>([])
  useEffect(() => {
    setHeard([])
    const part = {
      ...(language !== undefined && { language }),
      ...(namespace !== undefined && { namespace }),
      ...(author !== undefined && { author }),
    }
    return onChange(event => {
      if (event.event === 'change' && mayBelong(event.change, slug, part)) {
        setHeard(heard => [...heard, event.change.revision])
      }
    })
  }, [slug, language, namespace, author])
  const count = new Set(heard.filter(revision => !known.has(revision))).size
  useEffect(() => {
    if (count > 0) announce(t('newCommits', { count }))
  }, [count, t])
  return [count, () => setHeard([])]
}
