/** Whether the server answers, as a hook. */
import { useSyncExternalStore } from 'react'
import { isReached, onServer } from './connection.ts'

const subscribe = (changed: () => void) => onServer('reached', changed)

/** Whether the last request reached the server. Rerenders when that changes. */
export const useReached = (): boolean => useSyncExternalStore(subscribe, isReached)
