/** What is unsaved, and the open editor, follow a language or a namespace that anybody renames. */
import type { LiveChange } from '../live/changes.ts'
import { go, projectAddress } from '../ui/location.ts'
import type { Drafts } from './drafts.ts'
import { movePlaceDrafts, type PlaceRename, placeRenameIn } from './move-drafts.ts'

/** @param organization of the commit @returns the rename, if the open editor followed it */
export function followRename(drafts: Drafts, organization: string, change: LiveChange): PlaceRename | undefined {
  const { subject, project, bundles } = change
  const rename = project === null ? undefined : placeRenameIn(subject, project)
  // A caller may write any words above other changes.
  if (!rename || !bundles.some(bundle => bundle[rename.part] === rename.from && bundle.etag === null)) return undefined
  const { part, from, to } = rename
  const moved = movePlaceDrafts(drafts, { organization, project: project!, part, name: from }, to)
  return followHere(project!, rename, moved[0]?.address.key) ? rename : undefined
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
