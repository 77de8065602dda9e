/**
 * The id of a tab. A reload retains it: the page stores it in the session storage as it goes. A copy of the tab gets
 * another one: the session storage of an open page, which is copied, has none.
 */

/** The name of its item. */
export const TAB_ITEM = 'parlance.tab'

/** A `Storage`, as far as it is needed. */
interface SessionStorage {
  getItem(name: string): string | null
  removeItem(name: string): void
}

/** Takes the id out of the session storage, or chooses one. @param storage undefined where the browser has none */
export function claimTabId(storage: SessionStorage | undefined): string {
  try {
    const kept = storage?.getItem(TAB_ITEM)
    storage?.removeItem(TAB_ITEM)
    if (kept) return kept
  } catch {
    // Forbidden: then the id lives as long as the page.
  }
  // `randomUUID` is missing on pages of plain HTTP.
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('')
}
