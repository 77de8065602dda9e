/** Measures from the start of the server to its first answer, and its memory at rest, with few and with many organizations; exits with 1 when a limit is missed. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { multiply } from './filled.ts'
import { alternate, median, QUICK, Running, scratch } from './harness.ts'
import { SERVER, startParlance } from './parlance.ts'
import { bounded, compared, type Row, report } from './report.ts'

const MANY = QUICK ? 100 : 1_000
const MB = 1024 * 1024
const folder = scratch()

/** A data folder with so many organizations, each with a project. */
async function dataFolder(organizations: number): Promise<string> {
  const dataDir = join(folder, `data-${organizations}`)
  const { running, call } = await startParlance(dataDir)
  await call('PUT', '/api/projects/web/bundles/en/common', { title: 'Welcome' })
  await running.stop()
  multiply(dataDir, organizations)
  return dataDir
}

interface Start {
  seconds: number
  bytes: number
}

async function start(dataDir: string): Promise<Start> {
  const from = performance.now()
  // Nothing else runs meanwhile: it starts as it would on a machine of its own.
  const running = await Running.start([process.execPath, SERVER, 'serve'], { PORT: '0', DATA_DIR: dataDir }, false)
  const answer = await fetch(new URL('/api/health', running.url))
  if (!answer.ok) throw new Error(`health: ${answer.status}`)
  const seconds = (performance.now() - from) / 1000
  await pause(500)
  const bytes = running.memory()
  await running.stop()
  return { seconds, bytes }
}

/** What it takes to start Node at all. */
async function hello(): Promise<number> {
  const from = performance.now()
  await new Promise(resolve => spawn(process.execPath, ['-e', 'console.log("hello")']).on('close', resolve))
  return (performance.now() - from) / 1000
}

const few = await dataFolder(1)
const many = await dataFolder(MANY)
const memory: Record<string, number[]> = { [few]: [], [many]: [] }
const timed = async (dataDir: string) => {
  const { seconds, bytes } = await start(dataDir)
  memory[dataDir]!.push(bytes / MB)
  return seconds * 1000
}
const [ofNode = [], ofFew = [], ofMany = []] = await alternate([
  async () => (await hello()) * 1000,
  () => timed(few),
  () => timed(many),
])
const growth = (name: string, many: number[], few: number[], limit: number, unit: string): Row =>
  compared(name, many, few, { unit, limit, atMost: true })
console.log(`node printing hello: ${Math.round(median(ofNode))} ms`)
process.exitCode = report('start', 'From the start to the first answer, and memory half a second later.', [
  bounded('first answer, ms / 300', ofFew, 300, 'ms'),
  growth(`first answer, ${MANY} organizations / 1`, ofMany, ofFew, 1.2, 'ms'),
  bounded('memory at rest, MB / 105', memory[few]!, 105, 'MB'),
  growth(`memory, ${MANY} organizations / 1`, memory[many]!, memory[few]!, 1.1, 'MB'),
])
