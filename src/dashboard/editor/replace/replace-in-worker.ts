/** Asks a worker for replacements, for so long. */
import type { ReplaceQuery, ReplaceSubject } from './replacer.ts'
import type { ReplaceReply, ReplaceRequest } from './worker.ts'

/** The result; `wrong` with the fault of the regular expression. */
export type ReplaceResult = { is: 'done'; texts: (string | null)[] } | { is: 'wrong'; why: string } | { is: 'slow' }

/** Maximum ms of the replacement from its start. */
const MOST_MS = 2000

/** @param signal ends it; then nothing is answered */
export function replaceInWorker(
  query: ReplaceQuery,
  subjects: readonly ReplaceSubject[],
  signal: AbortSignal,
): Promise<ReplaceResult> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const { promise, resolve, reject } = Promise.withResolvers<ReplaceResult>()
  worker.onmessage = ({ data }: MessageEvent<ReplaceReply>) => {
    if (data.is === 'begun') timer = setTimeout(() => resolve({ is: 'slow' }), MOST_MS)
    else resolve(data)
  }
  worker.onerror = () => reject(new Error('The worker that replaces did not start.'))
  signal.addEventListener('abort', () => worker.terminate())
  worker.postMessage({ query, subjects } satisfies ReplaceRequest)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
