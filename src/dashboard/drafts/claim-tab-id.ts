/**
 * The id of a tab. It survives a reload in the session storage, where it is stored as the tab closes. A copied tab
 * gets another id: the session storage of an open page has none to copy.
 */
import { attempt } from './drafts.ts'

/** The name of its item. */
export const TAB_ITEM = 'parlance.tab'

/** Moves the id out of the session storage, or creates one. @param storage undefined where the browser has none */
export function claimTabId(storage: Pick<Storage, 'getItem' | 'removeItem'> | undefined): string {
  const stored = attempt(() => {
    const stored = storage?.getItem(TAB_ITEM)
    storage?.removeItem(TAB_ITEM)
    return stored
  })
  if (stored) return stored
  // `randomUUID` is missing on pages of plain HTTP.
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('')
}
