/**
 * Loaded into a server before its own code: at SIGUSR2 says what is alive in its memory, everything that is garbage
 * being collected first.
 */
process.on('SIGUSR2', () => {
  // What the first collection frees may hold buffers that only the second one finds.
  globalThis.gc()
  setImmediate(() => {
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    process.stdout.write(`live bytes: ${heapUsed + external}\n`)
  })
})
