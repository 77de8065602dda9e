/** Unsaved texts: stored while the reader types, flushed when the tab closes, visible to other tabs. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { type AddressedDraft, type DraftAddress, Drafts, type OtherDraft } from './drafts.ts'
import { openTabs, tabId } from './this-tab.ts'

const Context = createContext<Drafts | undefined>(undefined)

const opened = new Map<string, Drafts>()

/** One store for each user. The next provider finds text that is not in the storage yet. */
function draftsOf(user: string): Drafts {
  const known = opened.get(user) ?? new Drafts(storage(), { user, tab: tabId() })
  opened.set(user, known)
  return known
}

/** Gives the drafts of a user to the pages below. `user` is the id; without one there are none. */
export function DraftsProvider({ user, children }: { user: string | undefined; children: ReactNode }) {
  const drafts = useMemo(() => (user === undefined ? undefined : draftsOf(user)), [user])
  useEffect(() => {
    if (!drafts) return
    const over = new AbortController()
    const { signal } = over
    const flush = () => drafts.flush()
    const sweep = async (adopts: boolean) => {
      const open = await openTabs()
      if (!signal.aborted) drafts.sweep(tab => open?.has(tab) ?? true, adopts)
    }
    void sweep(true)
    addEventListener('pagehide', flush, { signal })
    // A phone kills a page that is out of sight without a word.
    document.addEventListener('visibilitychange', flush, { signal })
    document.addEventListener('visibilitychange', () => document.hidden || void sweep(false), { signal })
    addEventListener('storage', ({ key, storageArea }) => storageArea === storage() && drafts.changed(key), { signal })
    return () => {
      over.abort()
      flush()
    }
  }, [drafts])
  return <Context value={drafts}>{children}</Context>
}

/** The drafts for event handlers; undefined without a session. */
export const useDraftStore = (): Drafts | undefined => useContext(Context)

/** The draft at an address, and what may be done with it. */
export function useDraft(address: DraftAddress) {
  const drafts = useContext(Context)
  const { organization, project, language, namespace, key, form } = address
  const own = useMemo<DraftAddress>(
    () => ({ organization, project, language, namespace, key, ...(form !== undefined && { form }) }),
    [organization, project, language, namespace, key, form],
  )
  const draft = useDraftState(() => drafts?.get(own))
  return useMemo(() => {
    const set = (text: string, before: string | null) => drafts?.set(own, { text, before, time: Date.now() })
    return {
      draft,
      /** Stores typed text. An existing draft stays on its own base. */
      write: (text: string, before: string | null) => set(text, (drafts?.get(own) ?? { before }).before),
      /** Sets another base: the reader chose their own side of a conflict. */
      rebase: (before: string | null) => draft && set(draft.text, before),
      discard: () => drafts?.discard(own),
    }
  }, [drafts, own, draft])
}

const NONE: readonly never[] = []

/** All unsaved texts of this tab, the newest first. */
export function useDrafts(): readonly AddressedDraft[] {
  const drafts = useContext(Context)
  return useDraftState(() => drafts?.all ?? NONE)
}

/** Unsaved texts of the user's other tabs, newest first. */
export function useAllOtherDrafts(): readonly OtherDraft[] {
  const drafts = useContext(Context)
  return useDraftState(() => drafts?.others ?? NONE)
}

const PARTS = ['organization', 'project', 'language', 'namespace', 'key', 'form'] as const

/** The same at an address. */
export const useOtherDrafts = (address: DraftAddress): OtherDraft[] =>
  useAllOtherDrafts().filter(other => PARTS.every(part => other.address[part] === address[part]))

/** False while there is no room in the browser for all that was typed. */
export function useDraftsAreStored(): boolean {
  const drafts = useContext(Context)
  return useDraftState(() => drafts?.areStored ?? true)
}

/** Something that is known of the drafts. @param read gives the same value until it is another one */
export function useDraftState<T>(read: () => T): T {
  const drafts = useContext(Context)
  const subscribe = useCallback((listener: () => void) => drafts?.subscribe(listener) ?? (() => {}), [drafts])
  return useSyncExternalStore(subscribe, read)
}

/** Local storage, where the browser lets us. */
function storage(): Storage | undefined {
  try {
    return localStorage
  } catch {
    return undefined
  }
}
