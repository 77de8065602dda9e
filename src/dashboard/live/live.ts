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

/** Runs a write. Its answer holds the bundle, so its event fetches nothing. See {@link OwnWrites.write}. */
export const ownWrite: OwnWrites['write'] = write => ownWrites.write(write)

export const isOwn = (change: LiveChange): boolean =>
  change.bundles.length > 0 && change.bundles.every(bundle => ownWrites.has(change, bundle))

/** Subscribes to each commit of the organization, including own ones, to `reset` and to runs. @returns unsubscribes */
export function onChange(listener: (heard: LiveEvent) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useLive = (): LiveState => useSyncExternalStore(watch, () => state)

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/**
 * Listens while mounted and invalidates the queries that an event outdates (see `OutdatedQueries`). The dashboard
 * mounts it once.
 * @param organization its id; undefined without a session
 */
export function useLiveUpdates(organization: string | undefined): void {
  const client = useQueryClient()
  useEffect(() => {
    if (organization === undefined) return
    const updates = updatesOf(client)
    const stream = new SharedStream(sharing(organization), { heard: updates.receive, state: setState })
    // A tab from the back-forward cache has missed events, so all queries count as outdated.
    const shown = ({ persisted }: PageTransitionEvent) => persisted && updates.receive({ event: 'reset', id: '' })
    addEventListener('pageshow', shown)
    return () => {
      removeEventListener('pageshow', shown)
      stream.close()
      updates.close()
      setState('reconnecting')
    }
  }, [organization, client])
}

function setState(now: LiveState): void {
  if (now === state) return
  state = now
  for (const watcher of watchers) watcher()
}

/** Turns events into invalidations, and batches events of a short interval. */
function updatesOf(client: QueryClient) {
  let outdated: OutdatedQueries | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let later: ReturnType<typeof setTimeout> | undefined
  const close = () => {
    clearTimeout(timer)
    clearTimeout(later)
    timer = later = undefined
  }
  const invalidate = (queries?: OutdatedQueries, refetchType: 'active' | 'none' = 'active') => {
    const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => queries?.concerns(queryKey) ?? true
    // A failed query shows its error in its own place.
    client.invalidateQueries({ predicate, refetchType }).catch(() => {})
  }
  const flush = () => {
    close()
    invalidate(outdated)
    outdated = undefined
  }
  const add = (heard: LiveEvent) => {
    for (const listener of listeners) listener(heard)
    if (heard.event === 'reset') invalidate()
    if (heard.event !== 'change') return
    outdated ??= new OutdatedQueries()
    outdated.add(heard.change, ownWrites)
    if (isOwn(heard.change)) {
      // A page that opens meanwhile reads fresh data immediately.
      invalidate(outdated, 'none')
      later ??= setTimeout(flush, OWN_TOGETHER)
    } else timer ??= setTimeout(flush, TOGETHER)
  }
  const receive = (heard: LiveEvent) => {
    const settled = ownWrites.settled()
    if (settled) void settled.then(() => add(heard))
    else add(heard)
  }
  return { receive, close }
}
