/**
 * This page among the tabs of its browser. The id of a tab survives a reload in the session storage, where it is stored
 * as the tab closes. A copied tab gets another id: the session storage of an open page has none to copy.
 */

/** The name of its item. */
const TAB_ITEM = 'parlance.tab'

const LOCK = 'parlance tab '

let own: string | undefined

/** The id of this tab. Its lock shows other tabs that this one is open. */
export function tabId(): string {
  if (own !== undefined) return own
  const storage = sessionStorageHere()
  const id = claimTabId(storage)
  own = id
  const leave = () => {
    try {
      storage?.setItem(TAB_ITEM, id)
    } catch {
      // As above.
    }
  }
  addEventListener('pagehide', leave)
  addEventListener('pageshow', ({ persisted }) => persisted && storage?.removeItem(TAB_ITEM))
  void navigator.locks?.request(LOCK + id, () => new Promise(() => {}))
  return id
}

/** Moves the id out of the session storage, or creates one. @param storage undefined where the browser has none */
export function claimTabId(storage: Pick<Storage, 'getItem' | 'removeItem'> | undefined): string {
  try {
    const stored = storage?.getItem(TAB_ITEM)
    storage?.removeItem(TAB_ITEM)
    if (stored) return stored
  } catch {
    // The browser forbids it: the id lives until the tab closes.
  }
  // `randomUUID` is missing on pages of plain HTTP.
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Ids of the open tabs; undefined on pages of plain HTTP, where browsers have no locks. */
export async function openTabs(): Promise<ReadonlySet<string> | undefined> {
  if (!navigator.locks) return undefined
  const { held = [], pending = [] } = await navigator.locks.query()
  const names = [...held, ...pending].map(({ name = '' }) => name).filter(name => name.startsWith(LOCK))
  return new Set(names.map(name => name.slice(LOCK.length)))
}

function sessionStorageHere(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}
