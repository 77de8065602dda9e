/** Connects a program with its process: arguments, environment, streams, signals and the exit code. */
import type { Surroundings } from './surroundings.ts'

/** Minimum milliseconds between two separate Ctrl-C: npm sends each one twice. */
const MIN_INTERVAL = 500

/** Runs a program, and ends the process with its exit code. */
export async function runProcess(
  run: (surroundings: Surroundings) => Promise<number>,
  version: () => string,
): Promise<never> {
  const stop = new AbortController()
  let received: { signal: NodeJS.Signals; at: number } | undefined
  // The first signal lets running requests finish; the second ends the process.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const at = performance.now()
      if (received && at - received.at > MIN_INTERVAL) endBy(signal)
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
    within,
    version,
    out,
    err,
    input: () => process.stdin,
    // Opened at first use: a server under a supervisor may have no streams.
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

/** See `Surroundings.within`. */
export async function within<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const before = process.cwd()
  process.chdir(folder)
  try {
    return await run()
  } finally {
    process.chdir(before)
  }
}

/** A shell stops a loop, and reports 130, only if the signal itself ends the process. */
function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}

/** Opens the stream at its first write. */
function writerTo(open: () => NodeJS.WriteStream): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined
  return text => {
    // The reader may end first (`parlance status | head`).
    stream ??= open().on('error', () => {})
    return new Promise(resolve => stream!.write(text, () => resolve()))
  }
}
