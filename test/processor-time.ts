/** Processor time that this process has used so far, in milliseconds: what grows with the work, however busy the machine is. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * Processor time of this thread for what is done again and again, in milliseconds: the median, so that no single
 * collection of garbage counts.
 */
export function cost(act: () => unknown): number {
  const costs = Array.from({ length: 7 }, () => {
    const begun = process.threadCpuUsage()
    act()
    const { user, system } = process.threadCpuUsage(begun)
    return (user + system) / 1000
  })
  return costs.sort((a, b) => a - b)[3]!
}
