/** The process around a command line: argv, environment, streams and signals in, the exit code out. */
import type { Surroundings } from './surroundings.ts'

/** Under npm one Ctrl-C arrives twice, on a busy machine not at once. After this time (ms) it is a second one. */
const ECHO = 500

/** Runs a program to its end, and ends the process with its exit code. */
export async function runProcess(
  run: (surroundings: Surroundings) => Promise<number>,
  version: () => string,
): Promise<never> {
  const stop = new AbortController()
  let received: { signal: NodeJS.Signals; at: number } | undefined
  // The first signal lets what is in flight finish; the second does not wait.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const at = performance.now()
      if (received && at - received.at > ECHO) endBy(signal)
      received ??= { signal, at }
      stop.abort(new Error('Interrupted.', { cause: signal }))
    })
  }
  const out = writerTo(() => process.stdout)
  const err = writerTo(() => process.stderr)
  const code = await run({
    words: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    version,
    out,
    err,
    input: () => process.stdin,
    // Opened when they are looked at: a server under a supervisor may have none.
    streams: {
      get in() {
        return process.stdin
      },
      get out() {
        return process.stdout
      },
      get err() {
        return process.stderr
      },
    },
    stop: stop.signal,
  })
  // The last writes may still be in a pipe.
  await Promise.all([out(''), err('')])
  if (received !== undefined && code !== 0) {
    endBy(received.signal)
    await new Promise(() => {})
  }
  process.exit(code)
}

/** A shell ends its loop, and tells 130, only when the signal itself ends the command. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/** Opens the stream at its first write. */
function writerTo(open: () => NodeJS.WriteStream): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined
  return text => {
    // Its reader may have gone (`parlance status | head`).
    stream ??= open().on('error', () => {})
    return new Promise(resolve => stream!.write(text, () => resolve()))
  }
}
