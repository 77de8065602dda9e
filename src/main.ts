#!/usr/bin/env node
/**
 * The process: hands command line, environment and streams to the program, and ends with its exit code. The only file
 * that touches `process`. It imports what Node has, and the rest late: an older Node would fail before it could say why.
 */
import { readFileSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

if (Number.parseInt(process.versions.node, 10) < 24) {
  console.error(`Parlance needs Node 24 or newer; this is ${process.version}.`)
  process.exit(1)
}

/** One Ctrl-C arrives twice under npm, from the terminal and from npm. That much later (ms) it is a second one. */
const ECHO = 200
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

// Beside the program, where only those write who may change it; where this user may not, it is done without.
module.enableCompileCache(join(import.meta.dirname, 'compiled'))
const { runProgram } = await import('./operator/run.ts')

/** The stream is opened by its first write: a server's start needs no standard error. */
function writerTo(open: () => NodeJS.WriteStream): (text: string) => Promise<void> {
  let stream: NodeJS.WriteStream | undefined
  return text => {
    // Whoever read it may have gone (`parlance verify | head`): no reason to fail with a stack.
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

// What was written last may still be on its way into a pipe.
await Promise.all([out(''), err('')])
if (received !== undefined && code !== 0) {
  // A shell ends its loop only when the signal itself ended the command.
  process.removeAllListeners(received.signal)
  process.kill(process.pid, received.signal)
} else process.exit(code)
