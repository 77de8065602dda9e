/** Cuts the power while releases are created, deleted and created again (lossy-disk.ts). RELEASE_CUTS=500 for more. */
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Releases } from '../../src/store/releases.ts'
import { Store } from '../../src/store/store.ts'
import { random } from '../random.ts'
import { fsck, git } from './git-cli.ts'
import { findOut, LossyDisk, type Operation, record } from './lossy-disk.ts'

const CUTS = Number(process.env.RELEASE_CUTS ?? 20)
const ANN = { name: 'Ann', email: 'ann@example.com' }
const always = () => {}

/** What was acknowledged, or (`doing`) is about to be asked for. */
type Note = { name: string; revision: string; kind: 'created' | 'deleted' } | { name: string; kind: 'doing' }

async function open(directory: string) {
  const store = await Store.open({ directory, watch: false })
  const put = (n: number) =>
    store.write('acme', ANN, tx => ({ result: tx.put('a', Buffer.from(`${n}`)), message: { subject: `put ${n}` } }))
  return { store, put, releases: new Releases(store) }
}

/** Creates releases between writes; every third is deleted, some of them restored. Some begin in packed-refs. */
async function session(live: string, before: string): Promise<Operation[]> {
  const first = await open(live)
  await first.put(0)
  for (const name of ['old', 'older']) await first.releases.create('acme', ANN, { slug: 'web', name }, always)
  await first.store.close()
  git(join(live, 'acme'), 'pack-refs', '--all', '--prune')
  fs.cpSync(live, before, { recursive: true })

  const { operations, note, stop } = record(live)
  const say = (said: Note) => note(said)
  const { store, put, releases } = await open(live)
  const create = async (name: string) => {
    say({ name, kind: 'doing' })
    const { revision } = await releases.create('acme', ANN, { slug: 'web', name }, always)
    say({ name, revision, kind: 'created' })
  }
  const remove = async (name: string) => {
    const { revision } = await releases.find('acme', { slug: 'web', name }, always)
    say({ name, kind: 'doing' })
    await releases.remove('acme', { slug: 'web', name }, always)
    say({ name, revision, kind: 'deleted' })
  }
  for (let n = 1; n <= 9; n++) {
    await put(n)
    await create(`v${n}`)
    if (n % 3 === 0) await remove(`v${n}`)
    if (n === 6) await create('v6')
    if (n === 4) await remove('old')
  }
  await store.close()
  stop()
  return operations
}

async function faultsAfterCut(operations: Operation[], before: string, directory: string, honest: boolean) {
  const disk = new LossyDisk(before, honest)
  const cut = Math.ceil(random() * operations.length)
  const notes = new Map<string, Note>()
  for (const operation of operations.slice(0, cut)) {
    if (operation.kind !== 'note') disk.apply(operation)
    else notes.set((operation.note as Note).name, operation.note as Note)
  }
  disk.crash(directory, random)
  return (await faultsIn(directory, notes)).map(fault => `cut at ${cut}: ${fault}`)
}

async function faultsIn(directory: string, notes: Map<string, Note>): Promise<string[]> {
  const workTree = join(directory, 'acme')
  const faults: string[] = []
  const { store, put, releases } = await open(directory)
  try {
    await put(99)
    const present = new Map((await releases.list('acme', 'web', always)).map(release => [release.name, release]))
    if (!present.has('older')) faults.push('an untouched release is gone')
    for (const [name, said] of notes) {
      const found = present.get(name)
      if (said.kind === 'created' && found?.revision !== said.revision) faults.push(`${name} is lost`)
      if (said.kind === 'deleted' && found) faults.push(`${name} is back`)
      if (said.kind === 'deleted') {
        const refusal = await releases.create('acme', ANN, { slug: 'web', name }, always).catch(error => error)
        if (refusal.code !== 'conflict') faults.push(`${name} is given to another revision`)
      }
    }
    await store.flush('acme')
    const complaint = fsck(workTree)
    if (complaint) faults.push(`fsck: ${complaint}`)
    for (const name of git(workTree, 'tag').trim().split('\n')) git(workTree, 'cat-file', 'tag', name)
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
  const before = join(root, 'before')
  const operations = await session(join(root, 'live'), before)
  const directory = join(root, 'cut')

  t.test(`${CUTS} cuts lose no release and bring none back`, { timeout: 0 }, async t => {
    for (let cut = 0; cut < CUTS; cut++) t.same(await faultsAfterCut(operations, before, directory, true), [])
  })

  t.test('a disk that ignores syncs is found out', { timeout: 0 }, t =>
    findOut(t, Math.max(13, CUTS / 3), () => faultsAfterCut(operations, before, directory, false)),
  )
})
