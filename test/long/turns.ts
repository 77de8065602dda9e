/**
 * How long a thread is busy without a turn for others, in microseconds of its processor time: a busy machine does not
 * stretch it. Collections of garbage are left out: when they come has to do with all that was done before.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

interface Span {
  /** By `performance.now()`. */
  from: number
  to: number
}

/** Shorter turns (µs) are not recorded. */
const SHORT = 500

/** The longest turn so far of a thread that is watched from now on. */
export function watchTurns(): { longest(): Promise<number>; stop(): void } {
  let turns: (Span & { spent: number })[] = []
  let collections: Span[] = []
  const observer = new PerformanceObserver(list => {
    for (const { startTime, duration } of list.getEntries())
      collections.push({ from: startTime, to: startTime + duration })
  })
  observer.observe({ entryTypes: ['gc'] })
  let [from, last, stopped] = [performance.now(), process.threadCpuUsage(), false]
  const look = () => {
    const { user, system } = process.threadCpuUsage(last)
    const to = performance.now()
    if (user + system > SHORT) turns.push({ from, to, spent: user + system })
    ;[from, last] = [to, process.threadCpuUsage()]
    if (!stopped) setTimeout(look, 1).unref()
  }
  look()
  return {
    /** Resets the measurement. */
    async longest() {
      // The last collections are reported a moment later.
      await pause(50)
      const own = turns.map(turn => turn.spent - 1000 * collections.reduce((sum, one) => sum + shared(turn, one), 0))
      turns = []
      collections = []
      return Math.round(Math.max(0, ...own))
    },
    stop() {
      stopped = true
      observer.disconnect()
    },
  }
}

/** Milliseconds that lie in both. */
function shared(a: Span, b: Span): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
}
