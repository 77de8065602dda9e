/**
 * Measures the processor time of a read in a project of many bundles and in a long history, beside the same where there
 * is little; exits with 1 when a limit is missed.
 */
import { join } from 'node:path'
import { makeAged } from './aged.ts'
import { putAll } from './filled.ts'
import { alternate, cpuPerRequest, load, QUICK, type Running, request, scratch } from './harness.ts'
import { COMMITS } from './hundred-thousand.ts'
import { resourceOf, startParlance, startServer } from './parlance.ts'
import { compared, type Row, report } from './report.ts'

const BUNDLES = [10, QUICK ? 1_000 : 10_000]
const HISTORIES = [2_000, COMMITS]
const ROUNDS = 5
const MS = 250
const WARM_MS = 500

const folder = scratch()

/** A bundle on a server. */
interface BundleRead {
  running: Running
  path: string
  key: string
}

/** Compares a read where there is much with one where there is little. */
async function growth(what: string, [small, large]: number[], bundles: BundleRead[]): Promise<Row> {
  const asked = bundles.map(({ path, key }) => [request(path, { 'x-api-key': key })])
  // Rarely executed code costs several times as much.
  for (const [at, { running }] of bundles.entries())
    await load(running.url, asked[at]!, { milliseconds: WARM_MS, connections: 16 })
  const [few = [], many = []] = await alternate(
    bundles.map(
      ({ running }, at) =>
        () =>
          cpuPerRequest(running, asked[at]!, 200, { milliseconds: MS, connections: 16 }),
    ),
    ROUNDS,
  )
  return compared(`200, ${large} ${what} / ${small}`, many, few, { unit: 'us', limit: 1.5, atMost: true })
}

async function withBundles(): Promise<Row> {
  const dataDir = join(folder, 'data')
  const { running: first, call, organization, key } = await startParlance(dataDir)
  for (const size of BUNDLES)
    await call('POST', '/api/projects', { name: `With ${size}`, slug: `p${size}`, sourceLanguage: 'en' })
  await first.stop()
  const files = BUNDLES.flatMap(size => {
    const languages = Math.ceil(Math.sqrt(size))
    return Array.from({ length: size }, (_, at) => ({
      path: `p${size}/locales/de-x-v${at % languages}/n${at}.json`,
      bytes: Buffer.from(`${JSON.stringify(resourceOf(5, at), null, 2)}\n`),
    }))
  })
  await putAll(dataDir, organization, files)
  const running = await startServer(dataDir)
  const bundles = BUNDLES.map(size => ({ running, key, path: `/api/projects/p${size}/bundles/de-x-v0/n0` }))
  const row = await growth('bundles', BUNDLES, bundles)
  await running.stop()
  return row
}

async function withCommits(): Promise<Row> {
  const bundles: BundleRead[] = []
  for (const commits of HISTORIES) {
    const { dataDir, key, path } = await makeAged(join(folder, `commits-${commits}`), commits)
    bundles.push({ running: await startServer(dataDir), key, path })
  }
  const row = await growth('commits', HISTORIES, bundles)
  await Promise.all(bundles.map(({ running }) => running.stop()))
  return row
}

process.exitCode = report('growth', 'Processor time of a read where there is much.', [
  await withBundles(),
  await withCommits(),
])
