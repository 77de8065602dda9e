/** Unsaved texts: stored while the reader types, flushed when the tab closes, visible to other tabs. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { useViewer } from '../api/session.ts'
import { onChange } from '../live/live.ts'
import { announce } from '../ui/announce.ts'
import { go } from '../ui/location.ts'
import { type AddressedDraft, attempt, type DraftAddress, Drafts, type NoteAddress, type OtherDraft } from './drafts.ts'
import { openTabs, tabId } from './this-tab.ts'

const Context = createContext<Drafts | undefined>(undefined)

const storage = attempt(() => localStorage)
const opened = new Map<string, Drafts>()

/** One store for each user. The next provider finds text that is not in the storage yet. */
function draftsOf(user: string): Drafts {
  const known = opened.get(user) ?? new Drafts(storage, { user, tab: tabId() })
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
    addEventListener('storage', ({ key, storageArea }) => storageArea === storage && drafts.changed(key), { signal })
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

/** A part of the present organization; an absent member stands for all. */
type UnsavedScope = Partial<Pick<DraftAddress, 'project' | 'language' | 'namespace'>>

/**
 * The number of unsaved texts and notes by place, for pages outside the editor. The user's other tabs count too.
 * Typing into a text that is unsaved already rerenders nothing.
 */
export function useUnsavedCounts() {
  const organization = useViewer().data?.who?.organization.id
  const drafts = useDraftStore()
  // As text, equal places are the same snapshot.
  const places = useDraftState(() => JSON.stringify(placesIn(drafts, organization)))
  return useMemo(() => {
    const addresses: (DraftAddress & Partial<NoteAddress>)[] = JSON.parse(places)
    return {
      /** The text that was typed into longest ago, else a note; undefined without any. */
      first: addresses.at(0),
      /** A note is of a project, and of no language. */
      countIn: ({ project, language, namespace }: UnsavedScope = {}) =>
        addresses.filter(
          at =>
            (project === undefined || at.project === project) &&
            (language === undefined || (at.language === language && !at.isNote)) &&
            (namespace === undefined || at.namespace === namespace),
        ).length,
    }
  }, [places])
}

/** The addresses of texts with a draft, each once, the one typed into longest ago in front, then those of notes. */
function placesIn(drafts: Drafts | undefined, organization: string | undefined): DraftAddress[] {
  const found = new Map<string, DraftAddress & { since: number }>()
  for (const { address, time } of [...(drafts?.all ?? []), ...(drafts?.others ?? [])]) {
    if (address.organization !== organization) continue
    const { project, language, namespace, key, form } = address
    const name = JSON.stringify([project, language, namespace, key, form])
    found.set(name, { ...address, since: Math.min(found.get(name)?.since ?? time, time) })
  }
  const texts = [...found.values()].sort((a, b) => a.since - b.since).map(({ since: _, ...address }) => address)
  return [...texts, ...(drafts?.notes ?? []).filter(address => address.organization === organization)]
}

/** Most commits need no further look. */
const MAY_RENAME = /\brename the (?:language|namespace) to /

/** Moves the texts of renamed languages and namespaces while mounted. The editor itself detects a commit it missed. */
export function useFollowRenames(): void {
  const { t } = useTranslation()
  const drafts = useDraftStore()
  const organization = useViewer().data?.who?.organization.id
  useEffect(() => {
    if (!drafts || organization === undefined) return
    return onChange(heard => {
      if (heard.event !== 'change' || !MAY_RENAME.test(heard.change.subject)) return
      import('./move-drafts.ts').then(
        ({ followRename }) => {
          const followed = followRename(drafts, organization, heard.change, location.hash)
          if (!followed) return
          go(followed.address, { replace: true })
          announce(t('editor:renamed', { ...followed.rename }))
        },
        () => {},
      )
    })
  }, [drafts, organization, t])
}
