/** Asks a worker for replacements, for so long. */
import type { Query, Subject } from './replacing.ts'
import type { Asked, Told } from './worker.ts'

/** What came of it; `wrong` with what is wrong with the expression. */
export type Answer = { is: 'done'; texts: (string | null)[] } | { is: 'wrong'; why: string } | { is: 'slow' }

/** Ms that the replacing may take from its start. */
const MOST_MS = 2000

/** @param signal ends it; then nothing is answered */
export function ask(query: Query, subjects: readonly Subject[], signal: AbortSignal): Promise<Answer> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  worker.onmessage = ({ data }: MessageEvent<Told>) => {
    if (data.is === 'begun') timer = setTimeout(() => resolve({ is: 'slow' }), MOST_MS)
    else resolve(data)
  }
  worker.onerror = () => reject(new Error('The worker that replaces did not start.'))
  signal.addEventListener('abort', () => worker.terminate())
  worker.postMessage({ query, subjects } satisfies Asked)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
