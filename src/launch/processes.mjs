/** Programs that the launcher starts, and how it ends with them and with its npm. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP']
/** Read at once: it may be gone once the packages are there. */
const parent = process.ppid

/** Runs a program in the clone to its end, passes on signals, and ends like it when it failed. */
export async function run(command, args) {
  endLike(await end(command, args))
}

/**
 * Runs a program and passes on signals.
 * @param options those of `spawn`; the clone is the folder by default
 * @returns its exit code, the signal that ended it, and what a piped standard error had
 */
export async function end(command, args, options) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  const release = endWithParent(signal => child.kill(signal))
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', text => (errors += text))
  const [code, signal] = await new Promise(resolve => {
    child.on('error', error => stop(`${command} could not be started: ${error.message}`))
    child.on('close', (...ended) => resolve(ended))
  })
  release()
  return [code, signal, errors]
}

/** Ends this process like one that failed; returns after one that did not. */
export function endLike([code, signal] = [0, null]) {
  if (signal) process.kill(process.pid, signal)
  if (code !== 0) process.exit(code ?? 1)
}

/**
 * Ends this process with its npm, which passes on only SIGTERM and SIGINT, and nothing when killed.
 * @param onSignal what a signal does, beside its other listeners
 */
export function endWithParent(onSignal = () => {}) {
  const look = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM')
  const looking = process.env.npm_lifecycle_event ? setInterval(look, 500).unref() : undefined
  const told = signal => {
    clearInterval(looking)
    onSignal(signal)
  }
  for (const signal of SIGNALS) process.on(signal, told)
  return () => {
    clearInterval(looking)
    for (const signal of SIGNALS) process.removeListener(signal, told)
  }
}

/** Prints a message and exits with 1. */
export function stop(message) {
  console.error(message)
  process.exit(1)
}
