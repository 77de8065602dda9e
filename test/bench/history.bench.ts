/** Measures the first page of a history and a diff over HTTP beside git's own command line on the same repository; exits with 1 when a target is missed. `--quick` for 10,000 commits. */
import { execFile, execFileSync } from 'node:child_process'
import fs from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { Store } from '../../src/store/store.ts'
import { Server, settings } from '../contract/server.ts'
import { processorTime } from '../processor-time.ts'
import { median, scratch } from './harness.ts'
import { build, COMMITS, Edits, type Place, placeOf } from './hundred-thousand.ts'

const ROUNDS = 7
/** Commits between two seals, about as many as steady writers leave. */
const SEAL_EVERY = 1_000

const run = promisify(execFile)

async function start(dataDir: string): Promise<Server> {
  const app = await buildApp(readConfig(settings(dataDir)))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return new Server(`http://127.0.0.1:${port}`, dataDir, async () => {
    await app.close()
  })
}

/** One thing that is asked of Parlance and of git, of another place in every round. */
interface Case {
  name: string
  path: (round: number) => string
  git: { name: string; argv: (round: number) => string[] }[]
  /** Milliseconds. */
  target?: number
}

/** Milliseconds from question to answer, which a busy machine stretches, and of processor time, which it hardly does. */
interface Time {
  wall: number
  cpu: number
}

interface Measured {
  ours: Time[]
  git: Time[][]
}

/** Processor time of this process, which the server is in, and of the processes that it has waited for; without /proc of itself alone. */
function processorTimeOfAll(): number {
  let children = 0
  try {
    const fields = fs
      .readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    // In hundredths of a second: the fields 16 and 17 of proc(5), of which two are cut off.
    children = (Number(fields[13]) + Number(fields[14])) * 10
  } catch {}
  return processorTime() + children
}

async function timed(act: () => Promise<unknown>): Promise<Time> {
  const [began, spent] = [performance.now(), processorTimeOfAll()]
  await act()
  const wall = performance.now() - began
  // Processes that were told to end are counted when they have.
  await pause(50)
  return { wall, cpu: processorTimeOfAll() - spent }
}

const dataDir = join(scratch(), 'data')
fs.mkdirSync(dataDir)

const first = await start(dataDir)
const { id, key: token } = await first.organization()
await first.close()

console.log(`building ${COMMITS.toLocaleString('en')} commits…`)
const edits = new Edits()
const store = await Store.open({ directory: join(dataDir, 'organizations'), now: edits.now, watch: false })
await build(store, id, edits, { sealEvery: SEAL_EVERY })
await store.close()
const workTree = join(dataDir, 'organizations', id)
const git = (...argv: string[]) => run('git', ['-C', workTree, ...argv], { maxBuffer: 2 ** 28 })
// What the server's own upkeep leaves.
await git('repack', '-d', '-q', '--geometric=2')
await git('commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress')

/** How many commits changed each file, told by git. */
function countCommits(): Map<string, number> {
  const output = execFileSync('git', ['-C', workTree, 'log', '--format=', '--name-only'], { maxBuffer: 2 ** 28 })
  const counts = new Map<string, number>()
  for (const path of output.toString().split('\n')) counts.set(path, (counts.get(path) ?? 0) + 1)
  return counts
}

const commits = countCommits()
const places = Array.from({ length: 1_000 }, (_, file) => placeOf(file))
const busiest = [...places].sort((a, b) => commits.get(b.path)! - commits.get(a.path)!)
/** Another bundle in every round, so that nothing is remembered of it. */
const hot = (round: number): Place => busiest[round]!
const cold = (round: number): Place => busiest.at(-1 - round)!

/** The key of a bundle that the fewest of its commits changed, told by their subjects. */
function rarest({ path }: Place): string {
  const subjects = execFileSync('git', ['-C', workTree, 'log', '--format=%s', '--', path], {
    maxBuffer: 2 ** 28,
  }).toString()
  const counts = new Map<string, number>()
  for (const [, key] of subjects.matchAll(/: update (\S+)$/gm)) counts.set(key!, (counts.get(key!) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => a - b)[0]![0]
}
const keys = Array.from({ length: ROUNDS }, (_, round) => ({ hot: rarest(hot(round)), cold: rarest(cold(round)) }))
const another = Array.from({ length: ROUNDS }, (_, round) => `section10.item${1000 + round}.label`)

const revisions = (await git('rev-list', '--first-parent', 'main')).stdout.trim().split('\n')
/** The state before the last so many commits, told in parts of a hundred. */
const before = (percent: number) => revisions[Math.floor((revisions.length * percent) / 100)]!

const bundle = ({ slug, language, namespace }: Place, key?: string) =>
  `/api/projects/${slug}/history?language=${language}&namespace=${namespace}${key ? `&key=${key}` : ''}`
const log = (argv: string[], { path }: Place) => ['log', '--first-parent', ...argv, '--', path]
const page = { name: 'git log -n 20', argv: (place: Place) => log(['-n', '20'], place) }
const keyLog = (place: Place, key: string) => log([`-G"${key.replaceAll('.', '\\.')}"`, '-n', '20'], place)
const lineLog = (place: Place, key: string) => [
  ...['log', '--first-parent', '-n', '20', '-s', `-L/"${key.replaceAll('.', '\\.')}"/,+1:${place.path}`],
]

const cases: Case[] = [
  {
    name: 'project',
    path: round => `/api/projects/web/history?at=${before(round)}`,
    git: [{ name: page.name, argv: round => ['log', '--first-parent', '-n', '20', before(round), '--', 'web'] }],
    target: 150,
  },
  {
    name: `bundle, hot (${commits.get(hot(0).path)} commits)`,
    path: round => bundle(hot(round)),
    git: [{ name: page.name, argv: round => page.argv(hot(round)) }],
    target: 150,
  },
  {
    name: `bundle, cold (${commits.get(cold(0).path)} commits)`,
    path: round => bundle(cold(round)),
    git: [{ name: page.name, argv: round => page.argv(cold(round)) }],
    target: 150,
  },
  {
    name: 'namespace in all languages',
    path: round => `/api/projects/web/history?namespace=ns${round}`,
    git: [{ name: page.name, argv: round => log(['-n', '20'], { ...hot(0), path: `web/locales/*/ns${round}.json` }) }],
  },
  {
    name: 'key, hot',
    path: round => bundle(hot(round), keys[round]!.hot),
    git: [
      { name: 'git log -G', argv: round => keyLog(hot(round), keys[round]!.hot) },
      { name: 'git log -L', argv: round => lineLog(hot(round), keys[round]!.hot) },
    ],
    target: 400,
  },
  {
    name: 'key, hot, after another key',
    path: round => bundle(hot(round), another[round]!),
    git: [{ name: 'git log -G', argv: round => keyLog(hot(round), another[round]!) }],
    target: 400,
  },
  {
    name: 'key, cold',
    path: round => bundle(cold(round), keys[round]!.cold),
    git: [
      { name: 'git log -G', argv: round => keyLog(cold(round), keys[round]!.cold) },
      { name: 'git log -L', argv: round => lineLog(cold(round), keys[round]!.cold) },
    ],
    target: 400,
  },
  ...[1, 10].map(
    (percent): Case => ({
      name: `diff of ${percent} % of the commits`,
      path: round => `/api/projects/web/diff?from=${before(percent * (round + 1))}&to=${before(percent * round)}`,
      git: [
        {
          name: 'git diff --stat',
          argv: round => ['diff', '--stat', before(percent * (round + 1)), before(percent * round), '--', 'web'],
        },
      ],
    }),
  ),
]

const server = await start(dataDir)
await server.get('/api/projects/web/history?limit=1', token)
const measured: Measured[] = cases.map(({ git }) => ({ ours: [], git: git.map(() => []) }))
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, { path, git: commands }] of cases.entries()) {
    const { ours, git: theirs } = measured[at]!
    for (const [index, { argv }] of commands.entries()) theirs[index]!.push(await timed(() => git(...argv(round))))
    ours.push(
      await timed(async () => {
        const { status, text } = await server.get(path(round), token)
        if (status !== 200) throw new Error(`${path(round)} answered ${status} ${text}`)
      }),
    )
  }
}
await server.close()

let missed = false
const wall = (times: Time[]) => median(times.map(({ wall }) => wall))
const cpu = (times: Time[]) => median(times.map(({ cpu }) => cpu))
const show = (times: Time[]) => `${wall(times).toFixed(0).padStart(6)} ms (processor ${cpu(times).toFixed(0)})`
for (const [at, { name, git: commands, target }] of cases.entries()) {
  const { ours, git: theirs } = measured[at]!
  const isMissed = target !== undefined && wall(ours) > target
  missed ||= isMissed
  const verdict = target === undefined ? '' : `   under ${target} ms: ${isMissed ? 'MISSED' : 'ok'}`
  console.log(`${name.padEnd(36)}${show(ours)}${verdict}`)
  for (const [index, { name }] of commands.entries()) {
    const ratio = wall(ours) / wall(theirs[index]!)
    console.log(`${`  ${name}`.padEnd(36)}${show(theirs[index]!)}   ratio ${ratio.toFixed(2)}`)
  }
  console.log(`  rounds: ${ours.map(({ wall }) => wall.toFixed(0)).join(' ')}`)
}
process.exitCode = missed ? 1 : 0
