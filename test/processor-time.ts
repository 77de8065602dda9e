/** Processor time that this process has used so far, in milliseconds: what grows with the work, however busy the machine is. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
