/** The address of an item's key in the dashboard. */
import type { InboxItem } from './inbox-items.ts'

/**
 * @param base the address of the server, without a trailing slash
 * @param otherwise the language for an item without one: the source language, undefined when the project is gone
 */
export function itemLink(
  base: string,
  { project, language, namespace, key }: Pick<InboxItem, 'project' | 'language' | 'namespace' | 'key'>,
  otherwise: string | undefined,
): string {
  const shown = language ?? otherwise
  const path = [project, ...(shown === undefined ? [] : [shown, namespace])].map(encodeURIComponent).join('/')
  const query = shown === undefined ? '' : `?key=${encodeURIComponent(key)}`
  return `${base}/#/projects/${path}${query}`
}
