/**
 * Measures from the start of the server to its first answer, and its memory at rest; exits with 1 when a limit is
 * missed.
 */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { alternate, Running, scratch } from './harness.ts'
import { SERVER, startParlance } from './parlance.ts'
import { bounded, report } from './report.ts'

const MB = 1024 * 1024
const REST_MS = 500

const dataDir = join(scratch(), 'data')
const { running, call } = await startParlance(dataDir)
await call('PUT', '/api/projects/web/bundles/en/common', { title: 'Welcome' })
await running.stop()

const memory: number[] = []
/** @returns milliseconds until the first answer */
async function start(): Promise<number> {
  const from = performance.now()
  // Nothing else runs meanwhile: it starts as it would on a machine of its own.
  const started = await Running.start([process.execPath, SERVER, 'serve'], { PORT: '0', DATA_DIR: dataDir }, false)
  const answer = await fetch(new URL('/api/health', started.url))
  if (!answer.ok) throw new Error(`health: ${answer.status}`)
  const milliseconds = performance.now() - from
  await pause(REST_MS)
  memory.push(started.memory() / MB)
  await started.stop()
  return milliseconds
}

const [answers = []] = await alternate([start])
process.exitCode = report('start', 'From the start to the first answer, and memory half a second later.', [
  bounded('first answer, ms / 300', answers, 300, 'ms'),
  bounded('memory at rest, MB / 105', memory.slice(1), 105, 'MB'),
])
