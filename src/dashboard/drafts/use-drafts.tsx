/** Unsaved texts: stored while the reader types, flushed when the tab closes, visible to other tabs. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { type AddressedDraft, type Draft, type DraftAddress, Drafts, type OtherDraft } from './drafts.ts'
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

/** A text's draft, and what may be done with it. */
export interface DraftHandle {
  draft: Draft | undefined
  /** Stores typed text. `on` is its base; an existing draft stays on its own base. */
  write(text: string, on: Pick<Draft, 'before' | 'etag'>): void
  /** Sets another base: the reader chose their own side of a conflict. */
  rebase(on: Pick<Draft, 'before' | 'etag'>): void
  discard(): void
}

/** The draft at an address. */
export function useDraft(address: DraftAddress): DraftHandle {
  const drafts = useContext(Context)
  const { organization, project, language, namespace, key, form } = address
  const own = useMemo<DraftAddress>(
    () => ({ organization, project, language, namespace, key, ...(form !== undefined && { form }) }),
    [organization, project, language, namespace, key, form],
  )
  const draft = useStore(drafts, () => drafts?.get(own))
  return useMemo(() => {
    const set = (text: string, { before, etag }: Pick<Draft, 'before' | 'etag'>) =>
      drafts?.set(own, { text, before, ...(etag !== undefined && { etag }), time: Date.now() })
    return {
      draft,
      write: (text, on) => set(text, drafts?.get(own) ?? on),
      rebase: on => draft && set(draft.text, on),
      discard: () => drafts?.discard(own),
    }
  }, [drafts, own, draft])
}

const NONE: readonly AddressedDraft[] = []

/** All unsaved texts of this tab, the newest first. */
export function useDrafts(): readonly AddressedDraft[] {
  const drafts = useContext(Context)
  return useStore(drafts, () => drafts?.all ?? NONE)
}

const NO_OTHERS: readonly OtherDraft[] = []

/** Unsaved texts of the user's other tabs, newest first. */
export function useAllOtherDrafts(): readonly OtherDraft[] {
  const drafts = useContext(Context)
  return useStore(drafts, () => drafts?.others ?? NO_OTHERS)
}

/** The same at an address. */
export function useOtherDrafts(address: DraftAddress): readonly OtherDraft[] {
  const others = useAllOtherDrafts()
  const at = JSON.stringify(placeOf(address))
  return useMemo(() => others.filter(other => JSON.stringify(placeOf(other.address)) === at), [others, at])
}

const placeOf = ({ organization, project, language, namespace, key, form }: DraftAddress) => [
  ...[organization, project, language, namespace, key],
  ...(form === undefined ? [] : [form]),
]

/** False while there is no room in the browser for all that was typed. */
export function useDraftsAreStored(): boolean {
  const drafts = useContext(Context)
  return useStore(drafts, () => drafts?.areStored ?? true)
}

function useStore<T>(drafts: Drafts | undefined, read: () => T): T {
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
