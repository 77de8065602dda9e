/** Cuts the power at every kind of moment, by a model of the disk (lossy-disk.ts), and recovers. CUTS=500 for more. */
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import { WorkTree } from '../../src/store/work-tree/work-tree.ts'
import { random } from '../random.ts'
import { commitCount, fsck } from './git-cli.ts'
import { findOut, LossyDisk, type Operation, record } from './lossy-disk.ts'

const CUTS = Number(process.env.CUTS ?? 30)
const ANN = { name: 'Ann', email: 'ann@example.com' }
const PATHS = ['web/locales/de/common.json', 'web/locales/en/common.json', 'web/locales/fr/shop.json']
const PROJECT = '{\n  "defaultFormat": "i18next-json",\n  "name": "Web",\n  "sourceLanguage": "en"\n}\n'

/** A bundle of more than one sector that shows its version, and whether it is whole. */
function render(version: number): Buffer {
  const filler = `${version} `.repeat(200 + (version % 7) * 50)
  return Buffer.from(`${JSON.stringify({ filler, version: String(version) }, null, 2)}\n`)
}

/** Packs are merged all the time. */
const EAGER = { packs: 2, idlePacks: 1, seals: 1, idleMs: 40, bitmapFrom: 1, graphFrom: 1, idleGraphFrom: 1 }

async function open(directory: string, maintenance: StoreOptions['maintenance'] = false) {
  const views: WorkTree[] = []
  const store = await Store.open({
    directory,
    watch: false,
    maintenance,
    createWorkTree: options => {
      const view = new WorkTree(options)
      views.push(view)
      return view
    },
  })
  return { store, views }
}

/** Counts up one bundle after the other, with pauses for seals; reports each acknowledgement. */
async function writeAll(store: Store, rounds: number, acknowledged: (path: string, version: number) => void) {
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      PATHS.map(async path => {
        const { result } = await store.write('acme', ANN, transaction => {
          const present = transaction.read(path)
          const version = present ? Number(JSON.parse(present.toString()).version) + 1 : 1
          transaction.put(path, render(version))
          return { result: version, message: { subject: `update ${path}` } }
        })
        acknowledged(path, result)
      }),
    )
    if (round % 3 === 2) await wait(150)
    if (round % 5 === 4) await store.flush('acme')
  }
}

interface Session {
  before: string
  operations: Operation[]
}

/**
 * Records three sessions: writing and sealing; a recovery from a journal full of writes; and writing while packs are
 * merged.
 */
async function recordSessions(root: string): Promise<Session[]> {
  const live = join(root, 'live')
  const copy = (name: string) => {
    fs.cpSync(live, join(root, name), { recursive: true })
    return join(root, name)
  }
  const acknowledgements = new Map<string, number>()

  const first = await open(live)
  await first.store.write('acme', ANN, transaction => {
    transaction.put('web/project.json', Buffer.from(PROJECT))
    return { result: 0, message: { subject: 'create web' } }
  })
  await writeAll(first.store, 2, () => {})
  await first.store.close()

  const before = copy('before')
  const writing = record(live)
  const note = (path: string, version: number) => {
    acknowledgements.set(path, version)
    writing.note({ path, version })
  }
  const second = await open(live)
  await writeAll(second.store, 12, note)
  await writeAll(second.store, 2, note)
  const unsealed = copy('unsealed')
  await second.store.close()
  writing.stop()

  fs.rmSync(live, { recursive: true, force: true })
  fs.cpSync(unsealed, live, { recursive: true })
  const recovering = record(live)
  for (const [path, version] of acknowledgements) recovering.note({ path, version })
  const third = await open(live)
  await third.store.read('acme', () => undefined)
  await Promise.all(third.views.map(view => view.quiet()))
  await third.store.close()
  recovering.stop()

  const recovered = copy('recovered')
  const maintaining = record(live)
  for (const [path, version] of acknowledgements) maintaining.note({ path, version })
  const fourth = await open(live, EAGER)
  await writeAll(fourth.store, 15, (path, version) => maintaining.note({ path, version }))
  await wait(500)
  await fourth.store.close()
  maintaining.stop()
  return [
    { before, operations: writing.operations },
    { before: unsealed, operations: recovering.operations },
    { before: recovered, operations: maintaining.operations },
  ]
}

/** Cuts a session short, recovers what is left, and names everything that is wrong with it. */
async function faultsAfterCut(session: Session, directory: string, honest: boolean): Promise<string[]> {
  const disk = new LossyDisk(session.before, honest)
  const acknowledged = new Map<string, number>()
  const cut = Math.ceil(random() * session.operations.length)
  for (const operation of session.operations.slice(0, cut)) {
    if (operation.kind !== 'note') disk.apply(operation)
    else {
      const { path, version } = operation.note as { path: string; version: number }
      acknowledged.set(path, version)
    }
  }
  disk.crash(directory, random)
  return (await recovered(directory, acknowledged)).map(fault => `cut at ${cut}: ${fault}`)
}

async function recovered(directory: string, acknowledged: Map<string, number>): Promise<string[]> {
  const workTree = join(directory, 'acme')
  const { store, views } = await open(directory)
  const faults: string[] = []
  try {
    const bundles = await store.read('acme', snapshot => PATHS.map(path => [path, snapshot.read(path)] as const))
    await Promise.all(views.map(view => view.quiet()))
    await store.flush('acme')
    faults.push(...store.status().problems.map(({ path, error }) => `problem with ${path}: ${error}`))
    let writes = 1
    for (const [path, bytes] of bundles) {
      const version = Number(JSON.parse(String(bytes)).version)
      writes += version
      if (!bytes?.equals(render(version))) faults.push(`${path} is torn`)
      if (version < (acknowledged.get(path) ?? 2))
        faults.push(`${path} is at ${version}, ${acknowledged.get(path)} was acknowledged`)
      if (!fs.readFileSync(join(workTree, path)).equals(bytes!)) faults.push(`the work tree is behind at ${path}`)
    }
    if (commitCount(workTree) !== writes) faults.push(`${commitCount(workTree)} commits for ${writes} writes`)
    const complaint = fsck(workTree)
    if (complaint) faults.push(`fsck: ${complaint}`)
  } catch (error) {
    faults.push(String(error))
  }
  await store.close()
  return faults
}

// tap would end a long run after half a minute.
t.setTimeout(0)

t.test('power loss', { timeout: 0 }, async t => {
  const root = t.testdir()
  const sessions = await recordSessions(root)
  const directory = join(root, 'cut')
  t.test(`${CUTS} cuts lose nothing`, { timeout: 0 }, async t => {
    for (let cut = 0; cut < CUTS; cut++) {
      const session = sessions[[0, 2, 1, 2][cut % 4]!]!
      t.same(await faultsAfterCut(session, directory, true), [], `cut ${cut + 1}`)
    }
  })

  t.test('a disk that ignores syncs is found out', { timeout: 0 }, t =>
    findOut(t, Math.max(15, CUTS / 4), cut => faultsAfterCut(sessions[cut % 3]!, directory, false)),
  )
})
