/**
 * A compressed day of a cluster: requests of people and builds, a backup, a restart of each node, and one lost primary.
 * Nothing is lost, and neither the log in PostgreSQL nor the memory of the nodes grows without bound.
 * `CLUSTER_DAY=900` runs it for 900 seconds. Too long for every day.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { noPostgres } from '../cluster/postgres.ts'
import { git as system } from '../contract/server.ts'
import { eventually } from '../eventually.ts'
import { git, noGit } from '../http/git-client.ts'
import { disagreements } from './cluster/check.ts'
import { ask, PROJECT } from './cluster/clients.ts'
import { Scene } from './cluster/scene.ts'
import { growth } from './growth.ts'

const SECONDS = Number(process.env.CLUSTER_DAY ?? 0)
const SAMPLES = 40
/** The log is shortened every minute, a minute or two behind the backup, which is up to a minute behind. */
const SHORTENED_MS = 300_000
const MB = 2 ** 20

const skip = (SECONDS === 0 && 'CLUSTER_DAY=900 runs it') || noPostgres() || (noGit ?? false)

t.test('loses nothing and does not grow in a day of three nodes', { skip }, async t => {
  t.setTimeout(SECONDS * 1000 + 2 * SHORTENED_MS + 300_000)
  const folder = t.testdirName
  const env = { BACKUP_REMOTE: join(folder, 'backup/{organization}.git') }
  const scene = await Scene.open(t, { env })
  const { clients, engines, nodes } = scene
  const { id, key } = clients.organization
  const done: Record<string, number> = {}
  let isDay = true
  const running: Promise<void>[] = []
  /** Repeats `act` with a rest of milliseconds, and counts the successful calls. */
  const repeat = (what: string, rest: number, act: (n: number) => Promise<boolean>) => {
    const loop = async () => {
      for (let n = 0; isDay; n++) {
        if (await act(n)) done[what] = (done[what] ?? 0) + 1
        await pause(rest)
      }
    }
    running.push(loop())
  }
  const asked = (method: string, path: string, body?: unknown) => async () => {
    const node = clients.any()
    const { status, text } = await ask(node, method, PROJECT + path, { 'x-api-key': key }, body)
    const isDone = typeof status === 'number' && status < 400
    if (typeof status === 'number' && status >= 400 && status !== 503)
      clients.surprise(`${method} ${path} at ${node.name}: ${status} ${text}`)
    return isDone
  }
  repeat('saveMissing', 200, n => asked('POST', '/bundles/en/missing', { [`key${n}`]: `Text ${n}` })())
  repeat('translations', 300, n => asked('PUT', `/bundles/de/common/key${n % 500}`, { value: `Wort ${n}` })())
  repeat('pushes', 2000, n => {
    const texts = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`text${at}`, `Text ${at}, build ${n}`]))
    return asked('POST', '/push', { bundles: { en: { build: texts } }, message: `build ${n}` })()
  })
  repeat('releases', 5000, n => asked('POST', '/releases', { name: `build-${n}` })())
  for (const path of ['/status', '/history?limit=20', '/bundles/en+de/missing+common', '/export?format=json'])
    repeat('other reads', 500, asked('GET', path))
  repeat('clones', 5000, async () => {
    const clone = join(folder, 'clone')
    rmSync(clone, { recursive: true, force: true })
    const { base } = clients.any()
    // A node may go away in the middle.
    const url = `${base.replace('http://', `http://x:${key}@`)}/api/translations.git`
    return (await git(['clone', '-q', url, clone])).code === 0
  })

  const records: number[] = []
  const resident = nodes.map((): number[] => [])
  const mishaps = new Map([
    [
      Math.floor(SAMPLES * 0.3),
      async () => {
        for (const node of nodes) {
          scene.known.delete(node)
          await node.stop()
          await scene.start(node)
        }
      },
    ],
    [
      Math.floor(SAMPLES * 0.5),
      async () => {
        const dead = await engines.killPrimary()
        await pause(500)
        await engines.promote()
        await engines.rejoin(dead)
      },
    ],
  ])
  for (let sample = 0; sample < SAMPLES; sample++) {
    const mishap = mishaps.get(sample)
    clients.mishap = mishap ? `mishap of ${sample}` : ''
    await mishap?.()
    await pause((SECONDS * 1000) / SAMPLES)
    records.push(Number((await engines.ask('select count(*) from record'))[0]))
    for (const [at, node] of nodes.entries()) resident[at]!.push(node.server.resident)
  }
  isDay = false
  await Promise.all(running)
  await clients.stop()

  const counts = clients.writers.map(({ acknowledged }) => acknowledged)
  t.comment(`acknowledged: ${counts.join(', ')}; reads: ${clients.reads}, ${clients.staleReads} of them marked stale`)
  t.comment(
    Object.entries(done)
      .map(([what, count]) => `${what}: ${count}`)
      .join(', '),
  )
  t.comment(`rows of the log: ${records.join(' ')}`)
  for (const [at, all] of resident.entries())
    t.comment(`${nodes[at]!.name}, resident MB: ${all.map(bytes => Math.round(bytes / MB)).join(' ')}`)
  t.strictSame(await disagreements(nodes, clients), [], 'the nodes agree')
  // Of the time after the restarts.
  const late = <T>(all: readonly T[]) => all.slice(SAMPLES / 2)
  for (const [at, all] of resident.entries()) t.ok(growth(late(all)) < 0.6, `${nodes[at]!.name} does not grow`)
  const commits = Number(system(nodes[0]!.repository(id), 'rev-list', '--count', 'main').trim())
  t.comment(`commits: ${commits}`)
  const isBackedUp = () => system(join(folder, `backup/${id}.git`), 'rev-parse', 'main').trim() === nodes[0]!.head(id)
  t.ok(await eventually(isBackedUp), 'the backup has it all')
  if (SECONDS * 1000 > SHORTENED_MS)
    t.ok(Math.max(...late(records)) < commits / 2, 'the log is shortened while writes go on')
  const left = async () => Number((await engines.ask('select count(*) from record'))[0])
  t.ok(await eventually(async () => (await left()) < 20, SHORTENED_MS), 'the log is almost empty when no client writes')
})
