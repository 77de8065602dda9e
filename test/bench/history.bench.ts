/**
 * Measures the first page of the history of a bundle with many commits; exits with 1 when a limit is missed. `--quick`
 * for 10,000 commits.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { makeAged } from './aged.ts'
import { alternate, ROUNDS, scratch } from './harness.ts'
import { COMMITS, type Place, placeOf } from './hundred-thousand.ts'
import { callerWith, startServer } from './parlance.ts'
import { bounded, report } from './report.ts'

const MAX_BYTES = 2 ** 28

const dataDir = join(scratch(), 'data')
const { organization, key } = await makeAged(dataDir, COMMITS)
const workTree = join(dataDir, 'organizations', organization)
const git = (...argv: string[]) => execFileSync('git', ['-C', workTree, ...argv], { maxBuffer: MAX_BYTES }).toString()
// As the server's own maintenance does.
git('repack', '-d', '-q', '--geometric=2')
git('commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress')

const commits = new Map<string, number>()
for (const path of git('log', '--format=', '--name-only').split('\n')) commits.set(path, (commits.get(path) ?? 0) + 1)
const places = Array.from({ length: 1_000 }, (_, file) => placeOf(file))
/** A bundle for each round: the server has cached nothing of it. */
const busiest = places.sort((a, b) => commits.get(b.path)! - commits.get(a.path)!).slice(0, ROUNDS + 1)
console.log(`a bundle of ${commits.get(busiest[0]!.path)} commits`)

const running = await startServer(dataDir)
const call = callerWith(running, key)
await (await call('GET', '/api/projects/web/history?limit=1')).text()
const pageOf = ({ slug, language, namespace }: Place) =>
  `/api/projects/${slug}/history?language=${language}&namespace=${namespace}`
const [pages = []] = await alternate([
  async () => {
    const from = performance.now()
    await (await call('GET', pageOf(busiest.shift()!))).text()
    return performance.now() - from
  },
])
await running.stop()
process.exitCode = report('history', `First page of the history of a bundle, among ${COMMITS} commits.`, [
  bounded('history of a bundle, ms / 150', pages, 150, 'ms'),
])
