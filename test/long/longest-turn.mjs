/**
 * Loaded into a server before its own code: at SIGWINCH says the longest that its thread was busy without a turn for
 * others since the last time, in microseconds of processor time.
 */
const spent = since => {
  const { user, system } = process.threadCpuUsage(since)
  return user + system
}
let [longest, last] = [0, process.threadCpuUsage()]
setInterval(() => {
  longest = Math.max(longest, spent(last))
  last = process.threadCpuUsage()
}, 1).unref()

process.on('SIGWINCH', () => {
  process.stdout.write(`longest turn: ${longest}\n`)
  longest = 0
})
