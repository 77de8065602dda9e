/** This page among the tabs of its browser. */
import { claimTabId, TAB_ITEM } from './claim-tab-id.ts'
import { attempt } from './drafts.ts'

const LOCK = 'parlance tab '

let own: string | undefined

/** The id of this tab. Its lock shows other tabs that this one is open. */
export function tabId(): string {
  if (own !== undefined) return own
  const storage = attempt(() => sessionStorage)
  const id = claimTabId(storage)
  own = id
  addEventListener('pagehide', () => attempt(() => storage?.setItem(TAB_ITEM, id)))
  addEventListener('pageshow', ({ persisted }) => persisted && storage?.removeItem(TAB_ITEM))
  void navigator.locks?.request(LOCK + id, () => new Promise(() => {}))
  return id
}

/** Ids of the open tabs; undefined on pages of plain HTTP, where browsers have no locks. */
export async function openTabs(): Promise<ReadonlySet<string> | undefined> {
  if (!navigator.locks) return undefined
  const { held = [], pending = [] } = await navigator.locks.query()
  const names = [...held, ...pending].map(({ name = '' }) => name).filter(name => name.startsWith(LOCK))
  return new Set(names.map(name => name.slice(LOCK.length)))
}
