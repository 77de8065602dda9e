/**
 * The address of a page: path and query behind `#`, so that one file serves all pages below any path of any host
 * (`https://host/parlance/#/projects/web/de/common?key=nav.home`).
 */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
// One listener for all. With several, React would render between them, and parts of the screen would lag behind the
// address.
addEventListener('hashchange', () => {
  for (const listener of listeners) listener()
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const current = () => location.hash.slice(1) || '/'
const path = () => current().split('?', 1)[0]!
// Of a query written by hand its own question marks are part.
const search = () => current().slice(path().length + 1)

/** Goes to an address (`/projects/web?key=x`), or shows it in place of this one. */
export function go(to: string, { replace = false } = {}): void {
  const href = `#${to.startsWith('/') ? to : `/${to}`}`
  if (!replace) location.hash = href
  else {
    history.replaceState(history.state, '', href)
    dispatchEvent(new HashChangeEvent('hashchange'))
  }
}

/** For wouter's Router: the path and how to change it. */
export const useHashPath = (): [string, typeof go] => [useSyncExternalStore(subscribe, path), go]
useHashPath.hrefs = (href: string) => `#${href}`

/**
 * The query for wouter's Router, without `?`. Its per cent signs are encoded twice, as the Router decodes before
 * `URLSearchParams` does.
 */
export const useHashSearch = (): string => useSyncExternalStore(subscribe, search).replaceAll('%25', '%2525')

/** Changes parts of the query, in place or as a new history entry. null and '' remove a part. */
export function setSearch(changes: Record<string, string | null>, { replace = true } = {}): void {
  const query = new URLSearchParams(search())
  for (const [name, value] of Object.entries(changes)) value ? query.set(name, value) : query.delete(name)
  const text = query.toString()
  go(text === '' ? path() : `${path()}?${text}`, { replace })
}

/** The address of a project's page or of one text in the editor; each part is encoded. */
export function projectAddress(slug: string, language?: string, namespace?: string, key?: string): string {
  const parts = ['projects', slug, ...(language ? [language] : []), ...(language && namespace ? [namespace] : [])]
  return `/${parts.map(encodeURIComponent).join('/')}${key === undefined ? '' : `?key=${encodeURIComponent(key)}`}`
}
