/** Runs something again where its failure says that this may help. */
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../bundle/errors.ts'

/** Attempts where the failure says after which time, and the longest pause between two in seconds. */
const MOST = { attempts: 8, seconds: 600 }

/** @param stop ends the pauses @throws as `run`, at the latest after the last attempt */
export async function patiently<T>(run: () => Promise<T>, stop: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const seconds = pauseAfter(error, attempt)
      if (seconds === undefined) throw error
      await pause(1000 * seconds, undefined, { signal: stop }).catch(() => {})
    }
  }
}

/** Seconds before the next attempt: as long as the failure says, and each time longer. Undefined after the last one. */
function pauseAfter(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof Failure)) return undefined
  const { code, data } = error
  const least = Number(data.retryAfter ?? 0)
  const attempts = data.attempts ?? (code === 'unavailable' && data.retryAfter !== undefined ? MOST.attempts : 1)
  return attempt < Number(attempts) && least <= MOST.seconds ? Math.max(least, 2 ** (attempt - 1)) : undefined
}
