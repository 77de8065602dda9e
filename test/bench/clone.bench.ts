/** Measures clones of 100,000 commits over HTTP beside git's own from a folder: time, and the memory of git on the server's side; exits with 1 when a limit is missed. `--quick` for 10,000. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Store } from '../../src/store/store.ts'
import { type Usage, watchGit } from './git-usage.ts'
import { median, Running, scratch } from './harness.ts'
import { build, COMMITS, Edits } from './hundred-thousand.ts'
import { type Row, report } from './report.ts'

const ROUNDS = 3
const MOST_MEMORY_MB = 150
const KINDS: Record<string, string[]> = { full: [], 'depth 1': ['--depth=1'], 'blob:none': ['--filter=blob:none'] }
/** For git's own: what the server allows, and one thread as it has. */
const OWN = 'git -c uploadpack.allowFilter=true -c pack.threads=1 upload-pack'

const folder = scratch()
const directory = join(folder, 'organizations')
const gitDir = join(directory, 'acme', '.git')
const edits = new Edits()
const options = { directory, watch: false, now: edits.now }
const packFiles = () => fs.readdirSync(join(gitDir, 'objects/pack'))
const packs = () => packFiles().filter(name => name.endsWith('.pack')).length

async function fill(commits: number, sealEvery: number): Promise<void> {
  const store = await Store.open({ ...options, maintenance: false })
  await build(store, 'acme', edits, { commits, sealEvery })
  await store.close()
}

/** Opens the store until its maintenance has merged the packs. */
async function maintain(): Promise<void> {
  const store = await Store.open({ ...options, maintenance: { idleMs: 1, bitmapFrom: 1 } })
  await store.read('acme', () => {})
  const chain = join(gitDir, 'objects/info/commit-graphs/commit-graph-chain')
  while (!fs.existsSync(chain)) await pause(50)
  await store.close()
}

/** Clones into a folder that goes at once; what those processes used that served it from `serving`. */
async function clone(url: string, serving: string, kind: string[]): Promise<Usage> {
  const target = join(folder, 'clone')
  const argv = ['-c', 'http.extraHeader=x-api-key: any', 'clone', '-q', '--bare', '--no-local']
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
      const child = spawn('git', [...argv, ...kind, url, target], { env, stdio: ['ignore', 'inherit', 'inherit'] })
      child.on('close', code => (code === 0 ? resolve() : reject(new Error(`git clone ended with ${code}`))))
    })
  const usage = await watchGit([serving], run)
  fs.rmSync(target, { recursive: true, force: true })
  return usage
}

interface Measured {
  state: string
  kind: string
  ours: Usage[]
  others: Usage[]
}

const of = (usages: Usage[], figure: (usage: Usage) => number) => median(usages.map(figure))

function told(usages: Usage[]): string {
  const [wall, cpu] = [of(usages, usage => usage.wall / 1000), of(usages, usage => usage.cpu)]
  const [peak, anonymous] = [of(usages, usage => usage.peak), of(usages, usage => usage.anonymous)]
  const memory = `${peak.toFixed(0)} MB at most (${anonymous.toFixed(0)} anonymous)`
  return `${wall.toFixed(2).padStart(6)} s; git that serves: ${cpu.toFixed(2).padStart(5)} s of a processor, ${memory}`
}

/** Every kind of clone, from the server and from a copy of the very same repository. */
async function measure(state: string): Promise<Measured[]> {
  console.log(`\n${state}: ${packs()} packs`)
  const plain = join(folder, 'plain')
  fs.rmSync(plain, { recursive: true, force: true })
  fs.cpSync(gitDir, plain, { recursive: true })
  const server = join(import.meta.dirname, 'references/clone-server.ts')
  const running = await Running.start([process.execPath, server, directory])
  const url = new URL('/api/translations.git', running.url).href
  const measured: Measured[] = []
  for (const [kind, argv] of Object.entries(KINDS)) {
    const [ours, others]: [Usage[], Usage[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await clone(url, gitDir, argv))
      others.push(await clone(`file://${plain}`, plain, ['-u', OWN, ...argv]))
    }
    measured.push({ state, kind, ours, others })
    console.log(`${kind.padEnd(10)} over HTTP     ${told(ours)}`)
    console.log(`${''.padEnd(10)} from a folder ${told(others)}`)
  }
  await running.stop()
  return measured
}

await fill(COMMITS, 500)
const sealed = await measure('as it was sealed')
await maintain()
const maintained = await measure('maintained')
await fill(Math.round(COMMITS / 4), Math.round(COMMITS / 4 / 49))
const later = await measure('maintained a quarter ago')

function timeOf({ state, kind, ours, others }: Measured): Row {
  const ratios = ours.map(({ wall }, round) => wall / others[round]!.wall)
  const [mine, theirs] = [of(ours, ({ wall }) => wall / 1000), of(others, ({ wall }) => wall / 1000)]
  const name = `time, ${kind}, ${state}: over HTTP / from a folder`
  return { name, ours: mine, other: theirs, unit: 's', ratio: median(ratios), ratios, limit: 2, atMost: true }
}

function memoryOf({ state, kind, ours }: Measured): Row {
  const ratios = ours.map(({ peak }) => peak / MOST_MEMORY_MB)
  const [mine, ratio] = [of(ours, ({ peak }) => peak), Math.max(...ratios)]
  const name = `memory, ${kind}, ${state} / allowed`
  return { name, ours: mine, other: MOST_MEMORY_MB, unit: 'MB', ratio, ratios, limit: 1, atMost: true }
}

process.exitCode = report('clone', `${COMMITS} commits; ours and the other, the less the better`, [
  ...[...sealed, ...maintained, ...later].map(timeOf),
  ...[...maintained, ...later].map(memoryOf),
])
