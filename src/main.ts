#!/usr/bin/env node
/** The process: hands the command line, the environment and the streams to the program, and ends with its exit code. The only file that touches `process`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from './operator/run.ts'

const stop = new AbortController()
let received: NodeJS.Signals | undefined

// The first signal lets what is in flight finish; the second does not wait.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (received !== undefined) process.exit(1)
    received = signal
    stop.abort(new Error('Interrupted.'))
  })
}

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
  process.removeAllListeners(received)
  process.kill(process.pid, received)
} else process.exit(code)
