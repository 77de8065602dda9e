/** Unsaved texts and the open editor follow a language or a namespace that anybody renames. */
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useViewer } from '../api/session.ts'
import { onChange } from '../live/live.ts'
import { announce } from '../ui/announce.ts'
import { go, projectAddress } from '../ui/location.ts'
import { moveDrafts } from './move-drafts.ts'
import type { PlaceRename } from './place-rename.ts'
import { useDraftStore } from './use-drafts.tsx'

/** A name and not a rename of its keys: most commits need no further look. */
const MAY_RENAME = /\brename the (?:language|namespace) to /

/** Listens while mounted. The editor finds out about a commit that was missed by itself. */
export function useFollowRenames(): void {
  const { t } = useTranslation()
  const drafts = useDraftStore()
  const organization = useViewer().data?.who?.organization.id
  useEffect(() => {
    if (!drafts || organization === undefined) return
    return onChange(heard => {
      if (heard.event !== 'change' || !MAY_RENAME.test(heard.change.subject)) return
      const { subject, project, bundles } = heard.change
      if (project === null) return
      const follow = async () => {
        const { placeRenameIn } = await import('./place-rename.ts')
        const rename = placeRenameIn(subject, project)
        // A caller may write any words above other changes.
        if (!rename || !bundles.some(bundle => bundle[rename.part] === rename.from && bundle.etag === null)) return
        const { part, from, to } = rename
        const moved = moveDrafts(drafts, ({ address }) =>
          address.organization === organization && address.project === project && address[part] === from
            ? { ...address, [part]: to }
            : undefined,
        )
        if (followHere(project, rename, moved[0]?.address.key)) announce(t('editor:renamed', { from, to }))
      }
      void follow().catch(() => {})
    })
  }, [drafts, organization, t])
}

/** Renames the part in the address of the editor. @param key in hand @returns whether the address had it */
function followHere(slug: string, { part, from, to }: PlaceRename, key: string | undefined): boolean {
  const [path = '', query = ''] = location.hash.slice(1).split('?', 2)
  const [, , project, language, namespace] = path.split('/').map(decodeURIComponent)
  const here = { language, namespace }
  if (project !== slug || here[part] !== from) return false
  const next = { ...here, [part]: to }
  const search = new URLSearchParams(query)
  if (key !== undefined) search.set('key', key)
  const asked = search.size > 0 ? `?${search}` : ''
  go(projectAddress(slug, next.language, next.namespace) + asked, { replace: true })
  return true
}
