/** Live events of the dashboard: outdated queries are fetched again, and subscribers get each event. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { type LiveChange, type LiveEvent, OutdatedQueries, OwnWrites } from './changes.ts'
import type { LiveState } from './listen.ts'
import { SharedStream } from './shared-stream.ts'
import { sharing } from './sharing.ts'

/** Commits that come so shortly after each other, in ms, are one look at the cache. */
const TOGETHER = 100
/**
 * The same for own writes. The cache has their texts already. A user who writes many texts needs fresh counts now and
 * then, not after each save.
 */
const OWN_TOGETHER = 3000

const ownWrites = new OwnWrites()
const listeners = new Set<(heard: LiveEvent) => void>()
const watchers = new Set<() => void>()
let state: LiveState = 'reconnecting'

/**
 * Runs a write. Its answer holds the bundle, so its event fetches nothing.
 * @param write is given `note`, for the revision or the `ETag` of its answer: call it once the answer is in the cache
 */
export const ownWrite: OwnWrites['write'] = write => ownWrites.write(write)

/** Whether a change is this tab's own write. */
export const isOwn = (change: LiveChange): boolean =>
  change.bundles.length > 0 && change.bundles.every(bundle => ownWrites.has(change, bundle))

/** Subscribes to each commit of the organization, including own ones, to `reset` and to runs. @returns unsubscribes */
export function onChange(listener: (heard: LiveEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How live the dashboard is; see {@link LiveState}. */
export function useLive(): LiveState {
  return useSyncExternalStore(
    watcher => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => state,
  )
}

/**
 * Listens while mounted and invalidates the queries that an event outdates (see `OutdatedQueries`). The dashboard
 * mounts it once.
 * @param organization its id; undefined without a session
 * @param url of the events, relative to the dashboard
 */
export function useLiveUpdates(organization: string | undefined, url = './api/events'): void {
  const client = useQueryClient()
  useEffect(() => {
    if (organization === undefined) return
    const updates = new Updates(client)
    const stream = new SharedStream(sharing(organization, url), {
      heard: heard => updates.receive(heard),
      state: setState,
    })
    // A tab from the back-forward cache has missed events, so all queries count as outdated.
    const shown = ({ persisted }: PageTransitionEvent) => persisted && updates.receive({ event: 'reset', id: '' })
    addEventListener('pageshow', shown)
    return () => {
      removeEventListener('pageshow', shown)
      stream.close()
      updates.close()
      setState('reconnecting')
    }
  }, [organization, url, client])
}

function setState(now: LiveState): void {
  if (now === state) return
  state = now
  for (const watcher of watchers) watcher()
}

/** Turns events into invalidations, and batches events of a short interval. */
class Updates {
  readonly #client: QueryClient
  #outdated: OutdatedQueries | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #later: ReturnType<typeof setTimeout> | undefined

  constructor(client: QueryClient) {
    this.#client = client
  }

  receive(heard: LiveEvent): void {
    const settled = ownWrites.settled()
    if (settled) void settled.then(() => this.#add(heard))
    else this.#add(heard)
  }

  #add(heard: LiveEvent): void {
    for (const listener of listeners) listener(heard)
    if (heard.event === 'job') return
    if (heard.event === 'reset') {
      this.#invalidate()
      return
    }
    this.#outdated ??= new OutdatedQueries()
    this.#outdated.add(heard.change, ownWrites)
    if (isOwn(heard.change)) {
      // A page that opens meanwhile reads fresh data immediately.
      this.#invalidate(this.#outdated, 'none')
      this.#later ??= setTimeout(() => this.#flush(), OWN_TOGETHER)
    } else this.#timer ??= setTimeout(() => this.#flush(), TOGETHER)
  }

  #flush(): void {
    const outdated = this.#outdated!
    this.close()
    this.#timer = this.#later = this.#outdated = undefined
    this.#invalidate(outdated)
  }

  #invalidate(outdated?: OutdatedQueries, refetchType: 'active' | 'none' = 'active'): void {
    const predicate = outdated && {
      predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => outdated.concerns(queryKey),
    }
    // A failed query shows its error in its own place.
    this.#client.invalidateQueries({ ...predicate, refetchType }).catch(() => {})
  }

  close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#later)
  }
}
