#!/usr/bin/env node
/**
 * The process: gives command line, environment and streams to the program, and ends with its exit code. No other file
 * touches `process`. Only Node's modules are imported early: an older Node must live to say why it fails.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`Parlance needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}

/** Under npm one Ctrl-C arrives twice, on a busy machine not at once. After this time (ms) it is a second one. */
const ECHO = 500
const stop = new AbortController()
let received: { signal: NodeJS.Signals; at: number } | undefined

// The first signal lets what is in flight finish; the second does not wait.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    const at = performance.now()
    if (received && at - received.at > ECHO) process.exit(1)
    received ??= { signal, at }
    stop.abort(new Error('Interrupted.'))
  })
}

// Beside the program, where only its owner can write; otherwise skipped.
module.enableCompileCache(join(import.meta.dirname, 'compiled'))
const { runProgram } = await import('./operator/run.ts')

/** Opens the stream at its first write. */
function writerTo(open: () => NodeJS.WriteStream): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined
  return text => {
    // Its reader may have gone (`parlance verify | head`).
    stream ??= open().on('error', () => {})
    return new Promise(resolve => stream!.write(text, () => resolve()))
  }
}

const out = writerTo(() => process.stdout)
const err = writerTo(() => process.stderr)
const code = await runProgram({
  words: process.argv.slice(2),
  env: process.env,
  version: () => JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version,
  out,
  err,
  input: () => process.stdin,
  stop: stop.signal,
})

// The last writes may still be in a pipe.
await Promise.all([out(''), err('')])
if (received !== undefined && code !== 0) {
  // A shell ends its loop only when the signal itself ends the command.
  process.removeAllListeners(received.signal)
  process.kill(process.pid, received.signal)
} else process.exit(code)
