/**
 * Measures the memory of git on the server's side for clones of 100,000 commits over HTTP; exits with 1 when a limit is
 * missed. `--quick` for 10,000.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Store } from '../../src/store/store.ts'
import { type Usage, watchGit } from './git-usage.ts'
import { Running, scratch } from './harness.ts'
import { build, COMMITS, Edits } from './hundred-thousand.ts'
import { bounded, report } from './report.ts'

const ROUNDS = 3
const MOST_MEMORY_MB = 150
/** Commits of a pack. */
const SEAL_EVERY = 500

const folder = scratch()
const directory = join(folder, 'organizations')
const gitDir = join(directory, 'acme', '.git')
const edits = new Edits()
const options = { directory, watch: false, now: edits.now }
const packFiles = () => fs.readdirSync(join(gitDir, 'objects/pack'))
const packs = () => packFiles().filter(name => name.endsWith('.pack')).length

async function fill(): Promise<void> {
  const store = await Store.open({ ...options, maintenance: false })
  await build(store, 'acme', edits, { commits: COMMITS, sealEvery: SEAL_EVERY })
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

/** Clones into a folder and deletes it. @returns the usage of the processes that served it */
async function clone(url: string): Promise<Usage> {
  const target = join(folder, 'clone')
  const argv = ['-c', 'http.extraHeader=x-api-key: any', 'clone', '-q', '--bare', url, target]
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
      const child = spawn('git', argv, { env, stdio: ['ignore', 'inherit', 'inherit'] })
      child.on('close', code => (code === 0 ? resolve() : reject(new Error(`git clone ended with ${code}`))))
    })
  const usage = await watchGit([gitDir], run)
  fs.rmSync(target, { recursive: true, force: true })
  return usage
}

await fill()
await maintain()
const server = join(import.meta.dirname, 'references/clone-server.ts')
const running = await Running.start([process.execPath, server, directory])
const url = new URL('/api/translations.git', running.url).href
const usages: Usage[] = []
for (let round = 0; round < ROUNDS; round++) usages.push(await clone(url))
await running.stop()
const seconds = usages.map(({ wall }) => (wall / 1000).toFixed(1))
console.log(`${packs()} packs; clones of ${seconds.join(', ')} s`)
const peaks = usages.map(({ peak }) => peak)
process.exitCode = report('clone', `Memory of git for a full clone of ${COMMITS} commits.`, [
  bounded('memory, full / allowed', peaks, MOST_MEMORY_MB, 'MB'),
])
