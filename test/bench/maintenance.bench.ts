/** Measures what merging the packs of 100,000 commits costs and brings, beside git's own `repack` and `gc`, and what writers feel of it; exits with 1 when a limit is missed. `--quick` for 10,000. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { MaintenancePace } from '../../src/store/git/maintenance.ts'
import { Store } from '../../src/store/store.ts'
import { bytesIn, type Usage, watchGit } from './git-usage.ts'
import { median, QUICK, quantile, scratch } from './harness.ts'
import { build, COMMITS, Edits, write } from './hundred-thousand.ts'
import { type Row, report } from './report.ts'

const ORGANIZATION = 'acme'
const ROUNDS = 3
const WRITERS = 16
/** Between one write of a writer and its next, so that the disk is used as by people rather than worn out. */
const THINKING_MS = 20
/** What writers are measured for without maintenance. */
const ALONE_MS = QUICK ? 2000 : 8000
const MOST_STALL_MS = 100
const MOST_BYTES = 2048

const folder = scratch()
const gitDirOf = (directory: string) => join(directory, ORGANIZATION, '.git')
const packsOf = (directory: string) =>
  fs.readdirSync(join(gitDirOf(directory), 'objects/pack')).filter(name => name.endsWith('.pack')).length
const perCommit = (directory: string) => bytesIn(join(gitDirOf(directory), 'objects')) / COMMITS

/** The same edits go on in every copy. */
const edits = new Edits()

function copyOf(directory: string, name: string): string {
  const copy = join(folder, name)
  fs.rmSync(copy, { recursive: true, force: true })
  fs.cpSync(directory, copy, { recursive: true })
  return copy
}

/** A store whose maintenance begins at once, and how to wait until it has nothing more to do. */
async function openMaintained(directory: string, pace: Partial<MaintenancePace> | false) {
  const merged: string[] = []
  const info = (data: object, message: string) => {
    if (message === 'merged packs')
      merged.push(`${(data as { kind: string }).kind} of ${(data as { packs: number }).packs}`)
  }
  const bad = (data: object, message: string) => console.error(message, data)
  const log = { info, warn: bad, error: bad }
  const store = await Store.open({ directory, watch: false, now: edits.now, maintenance: pace, log })
  await store.read(ORGANIZATION, () => {})
  const chain = join(gitDirOf(directory), 'objects/info/commit-graphs/commit-graph-chain')
  const began = Date.now()
  const graph = () => fs.existsSync(chain) && fs.statSync(chain).mtimeMs >= began
  const done = async () => {
    while (!(merged.length > 0 && graph())) await pause(20)
  }
  return { store, merged, done }
}

interface Writes {
  p50: number
  p99: number
  max: number
  /** The longest that the process answered nobody, in milliseconds. */
  loop: number
  count: number
}

/** Lets people write until `until` resolves. */
async function writesDuring(store: Store, until: Promise<unknown>): Promise<Writes> {
  let over = false
  void until.then(() => (over = true))
  const waits: number[] = []
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const writer = async () => {
    while (!over) {
      const edit = edits.next()
      const from = performance.now()
      await write(store, ORGANIZATION, edit)
      waits.push(performance.now() - from)
      await pause(THINKING_MS)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
  loop.disable()
  const [p50, p99, max] = [0.5, 0.99, 1].map(share => quantile(waits, share)) as [number, number, number]
  return { p50, p99, max, loop: loop.max / 1e6, count: waits.length }
}

function runGit(directory: string, ...argv: string[]): Promise<Usage> {
  const cwd = gitDirOf(directory)
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const child = spawn('git', ['--git-dir=.', ...argv], { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
      child.on('close', code => (code === 0 ? resolve() : reject(new Error(`git ${argv[0]} ended with ${code}`))))
    })
  return watchGit([cwd], run)
}

const line = (name: string, text: string) => console.log(`${name.padEnd(34)} ${text}`)
const told = ({ wall, cpu, peak, anonymous }: Usage) =>
  `${(wall / 1000).toFixed(1)} s, ${cpu.toFixed(1)} s of a processor, ${Math.round(peak)} MB at most (${Math.round(anonymous)} anonymous)`

const source = join(folder, 'source')
const building = await Store.open({ directory: source, watch: false, maintenance: false, now: edits.now })
await build(building, ORGANIZATION, edits, { sealEvery: 500 })
await building.close()
const packs = packsOf(source)
line('as it was sealed', `${COMMITS} commits, ${packs} packs, ${Math.round(perCommit(source))} bytes per commit`)

// Git's own ways, each on a copy.
const repacked = copyOf(source, 'repacked')
const ofRepack = await runGit(repacked, 'repack', '-adq')
line('git repack -ad', `${told(ofRepack)}; ${Math.round(perCommit(repacked))} bytes per commit`)
fs.rmSync(repacked, { recursive: true })
const collected = copyOf(source, 'collected')
const ofGc = await runGit(collected, 'gc', '-q')
const afterGc = perCommit(collected)
line('git gc', `${told(ofGc)}; ${Math.round(afterGc)} bytes per commit`)
fs.rmSync(collected, { recursive: true })

// Ours, alone.
const own = copyOf(source, 'own')
const pace = { idleMs: 1 }
let merged: string[] = []
const ofOurs = await watchGit([gitDirOf(own)], async () => {
  const maintained = await openMaintained(own, pace)
  await maintained.done()
  merged = maintained.merged
  await maintained.store.close()
})
const afterOurs = perCommit(own)
line(
  'maintenance',
  `${told(ofOurs)}; ${Math.round(afterOurs)} bytes per commit, ${packsOf(own)} packs (${merged.join(', ')})`,
)
fs.rmSync(own, { recursive: true })

// What writers feel of it.
const rounds: { alone: Writes; beside: Writes }[] = []
for (let round = 0; round < ROUNDS; round++) {
  const directory = copyOf(source, 'written')
  const quiet = await openMaintained(directory, false)
  const alone = await writesDuring(quiet.store, pause(ALONE_MS))
  await quiet.store.close()
  const busy = await openMaintained(directory, { ...pace, idlePacks: packs - 10, packs: packs - 10, seals: 1 })
  const beside = await writesDuring(busy.store, busy.done())
  await busy.store.close()
  rounds.push({ alone, beside })
  for (const [name, { p50, p99, max, loop, count }] of Object.entries({ alone, beside })) {
    const figures = [p50, p99, max, loop].map(value => value.toFixed(1)).join(' / ')
    line(
      `${count} writes ${name === 'alone' ? 'without' : 'beside'} maintenance`,
      `${figures} ms: half, 99 of 100, all, the process itself`,
    )
  }
}

// A server that was there from the first commit on.
const lived = join(folder, 'lived')
const living = new Edits()
let merges = 0
const info = (_: object, message: string) => void (message === 'merged packs' && merges++)
const log = { info, warn: console.error, error: console.error }
// The pause after the work comes early, and is waited for.
const life = await Store.open({ directory: lived, watch: false, now: living.now, log, maintenance: { idleMs: 2000 } })
const whole = await watchGit([gitDirOf(lived)], async () => {
  await build(life, ORGANIZATION, living, { sealEvery: 500 })
  while (packsOf(lived) > 10) await pause(100)
})
await life.close()
const afterLife = perCommit(lived)
line(
  'maintained from the first commit',
  `${merges} merges, ${packsOf(lived)} packs, ${Math.round(afterLife)} bytes per commit, ${Math.round(whole.peak)} MB at most`,
)

const row = (name: string, ours: number, other: number, unit: string, limit: number): Row => ({
  name,
  ours,
  other,
  unit,
  ratio: ours / other,
  ratios: [ours / other],
  limit,
  atMost: true,
})
const ofRounds = (name: string, figure: (writes: Writes) => number, limit: number): Row => {
  const ratios = rounds.map(({ alone, beside }) => figure(beside) / figure(alone))
  const [ours, other] = [rounds.map(({ beside }) => figure(beside)), rounds.map(({ alone }) => figure(alone))]
  return {
    name,
    ours: median(ours),
    other: median(other),
    unit: 'ms',
    ratio: median(ratios),
    ratios,
    limit,
    atMost: true,
  }
}
const stalls = rounds.map(({ alone, beside }) => Math.max(0, beside.max - alone.max))
process.exitCode = report('maintenance', `${COMMITS} commits; ours and the other, the less the better`, [
  row('bytes per commit / allowed', afterOurs, MOST_BYTES, 'B', 1),
  row('bytes per commit, maintained all along / allowed', afterLife, MOST_BYTES, 'B', 1),
  row('bytes per commit / git gc', afterOurs, afterGc, 'B', 1.25),
  row('processor time / git gc', ofOurs.cpu, ofGc.cpu, 's', 1.25),
  row('memory at most / git gc', ofOurs.peak, ofGc.peak, 'MB', 1),
  ofRounds('half of the writes / without maintenance', ({ p50 }) => p50, 3),
  ofRounds('99 of 100 writes / without maintenance', ({ p99 }) => p99, 5),
  ofRounds('longest standstill of the process / without', ({ loop }) => loop, 3),
  {
    ...row('longest write more than without / allowed', median(stalls), MOST_STALL_MS, 'ms', 1),
    ratios: stalls.map(stall => stall / MOST_STALL_MS),
  },
])
