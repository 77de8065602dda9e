/** Reads of the inbox. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { answer } from '../api/answer.ts'
import { getInbox, getInboxFeed, getInboxSettings } from '../api/late-client.ts'

/** Keys of the queries, for writes that outdate them. */
export const INBOX = ['inbox'] as const
export const FEED = ['inbox-feed'] as const
export const DIGEST = ['inbox-settings'] as const

/** Milliseconds between reads of the inbox. No event reports a new item. */
const INTERVAL_MS = 60_000

/** The unread items, the newest first, by page. */
export const useInbox = () =>
  useInfiniteQuery({
    queryKey: INBOX,
    queryFn: ({ pageParam, signal }) => answer(getInbox(pageParam === null ? {} : { cursor: pageParam }, { signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    staleTime: INTERVAL_MS / 2,
    refetchInterval: INTERVAL_MS,
  })

/** What became of the reader's own suggestions, the newest first, by page. */
export const useDecided = () =>
  useInfiniteQuery({
    queryKey: [...INBOX, 'decided'],
    queryFn: ({ pageParam, signal }) =>
      answer(getInbox({ decided: 'true', ...(pageParam !== null && { cursor: pageParam }) }, { signal })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })

/** The secret address of the own feed. */
export const useFeed = () => useQuery({ queryKey: FEED, queryFn: () => answer(getInboxFeed()), staleTime: 0 })

/** Whether the member gets a mail a day, and whether the server sends mail. */
export const useDigest = () => useQuery({ queryKey: DIGEST, queryFn: () => answer(getInboxSettings()) })
