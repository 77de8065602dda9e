/** Runs something again where its failure says after how many seconds. */
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'

/** Attempts, and the longest pause between two in seconds. */
const MOST = { attempts: 8, seconds: 600 }

/** @param stop ends the pauses @throws as `run`, at the latest after the last attempt */
export async function patiently<T>(run: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const seconds =
        error instanceof Failure && error.code === 'unavailable' ? Number(error.data.retryAfter) : Number.NaN
      if (attempt === MOST.attempts || !(seconds <= MOST.seconds)) throw error
      await pause(1000 * Math.max(1, seconds), undefined, { signal: stop }).catch(() => {})
    }
  }
}
