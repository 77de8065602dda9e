/**
 * Processor time that this process has used so far, in milliseconds: what grows with the work, however busy the machine
 * is.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds that every system can measure: some count the processor time of a thread in ticks of 4 or 10. */
const MEASURABLE = 20

/**
 * Processor time of this thread for what is done again and again, in milliseconds: the median, so that no single
 * collection of garbage counts.
 */
export function cost(act: () => unknown): number {
  const costs = Array.from({ length: 5 }, () => {
    const begun = process.threadCpuUsage()
    for (let runs = 1; ; runs++) {
      act()
      const { user, system } = process.threadCpuUsage(begun)
      const used = (user + system) / 1000
      if (used >= MEASURABLE) return used / runs
    }
  })
  return costs.sort((a, b) => a - b)[2]!
}
