/** Listens for renamed languages and namespaces. The editor finds out about a commit that was missed by itself. */
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useViewer } from '../api/session.ts'
import { onChange } from '../live/live.ts'
import { announce } from '../ui/announce.ts'
import { useDraftStore } from './use-drafts.tsx'

/** Most commits need no further look. */
const MAY_RENAME = /\brename the (?:language|namespace) to /

/** Moves the unsaved texts while mounted. */
export function useFollowRenames(): void {
  const { t } = useTranslation()
  const drafts = useDraftStore()
  const organization = useViewer().data?.who?.organization.id
  useEffect(() => {
    if (!drafts || organization === undefined) return
    return onChange(heard => {
      if (heard.event !== 'change' || !MAY_RENAME.test(heard.change.subject)) return
      import('./follow-rename.ts').then(
        ({ followRename }) => {
          const rename = followRename(drafts, organization, heard.change)
          if (rename) announce(t('editor:renamed', { ...rename }))
        },
        () => {},
      )
    })
  }, [drafts, organization, t])
}
