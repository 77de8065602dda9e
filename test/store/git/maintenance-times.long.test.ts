/** When maintenance is done, when it is left, and what becomes of it when the store has other plans. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../contract/server.ts'
import { fsck, git } from '../git-cli.ts'
import { folderOf, noProcesses, processesIn } from '../git-processes.ts'
import { ANN, EAGER, isWhole, openStore } from './many-packs.ts'

t.setTimeout(0)

const NEVER = 1_000_000

const chain = (gitDir: string) => join(gitDir, 'objects/info/commit-graphs/commit-graph-chain')

t.test('in the middle of work: when there are many packs', async t => {
  const { put, packs, bitmaps, logged, gitDir, store, directory, leftovers } = await openStore(t, {
    maintenance: { ...EAGER, packs: 10, idleMs: NEVER },
  })
  const written = []
  for (let version = 0; version < 40; version++) {
    written.push({ revision: await put('web/a.json', version), path: 'web/a.json', version })
    await pause(10)
  }
  t.ok(await eventually(() => packs().length <= 11 && fs.existsSync(chain(gitDir))), `${packs().length} packs`)
  t.equal(bitmaps().length, 1)
  t.match(logged[0], { level: 'info', message: 'merged packs', data: { organization: 'acme', kind: 'full' } })
  t.strictSame(
    logged.filter(({ level }) => level !== 'info'),
    [],
  )
  await store.close()
  t.strictSame(leftovers(), [])
  await isWhole(t, directory, written)
})

t.test('without writes: when there are some packs, and what is new is worth a graph', async t => {
  const first = await openStore(t)
  for (let version = 0; version < 30; version++) await first.put('a', version)
  await first.store.close()
  const { put, packs, gitDir, store } = await openStore(t, {
    directory: first.directory,
    maintenance: { idlePacks: 5, idleMs: 300, idleGraphFrom: 12, bitmapFrom: 90 },
  })
  await store.read('acme', () => {})
  t.ok(await eventually(() => fs.existsSync(chain(gitDir))))
  t.equal(packs().length, 1, 'for its bitmap')
  const graph = fs.readFileSync(chain(gitDir), 'latin1')
  for (let version = 30; version < 33; version++) await put('a', version)
  await pause(900)
  t.equal(packs().length, 4, 'no need')
  t.equal(fs.readFileSync(chain(gitDir), 'latin1'), graph)
  await put('a', 33)
  t.ok(await eventually(() => fs.readFileSync(chain(gitDir), 'latin1') !== graph), 'the graph')
  t.equal(packs().length, 5)
  await put('a', 34)
  t.ok(await eventually(() => packs().length < 5), 'the packs')
})

t.test('an organization that was left with many packs is looked after when it is opened', async t => {
  const first = await openStore(t)
  for (let version = 0; version < 12; version++) await first.put('a', version)
  await first.store.close()
  const { store, packs, put } = await openStore(t, { directory: first.directory, maintenance: { idleMs: 100 } })
  await pause(300)
  t.equal(packs().length, 12, 'not before')
  await store.read('acme', () => {})
  t.ok(await eventually(() => packs().length === 1))
  await put('a', 12)
})

t.test('a shallow clone that a person put here: git builds no bitmap of it', async t => {
  const { put, store, directory, gitDir } = await openStore(t)
  for (let version = 0; version < 8; version++) await put('a', version)
  await store.close()
  git(directory, 'clone', '-q', '--depth=3', `file://${gitDir}`, 'shallow')
  const opened = await openStore(t, { directory, maintenance: { ...EAGER, idleMs: 50 } })
  for (let version = 8; version < 20; version++) {
    await opened.put('a', version, 'shallow')
    await pause(60)
  }
  const folder = join(directory, 'shallow/.git/objects/pack')
  const count = () => fs.readdirSync(folder).filter(name => name.endsWith('.pack')).length
  const isOver = async () => {
    const merges = opened.logged.length
    await pause(500)
    // Each is at least twice as large as the next smaller one: 3, 6, 12 and 24 of the 45 objects. A write has three.
    return count() <= 4 && opened.logged.length === merges
  }
  t.ok(await eventually(isOver), 'it ends')
  t.strictSame(
    opened.logged.filter(({ level }) => level !== 'info'),
    [],
  )
  await opened.store.close()
  t.equal(fsck(join(directory, 'shallow')), '')
})

t.test('maintenance holds no organization open, and opens none', async t => {
  const { put, packs, gitDir } = await openStore(t, { idleMs: 400, maintenance: { ...EAGER, idleMs: 100 } })
  const lock = join(gitDir, 'refs/heads/main.lock')
  for (let version = 0; version < 8; version++) await put('a', version)
  t.ok(await eventually(() => !fs.existsSync(lock)), 'closed')
  t.ok(packs().length < 8)
  await pause(1500)
  t.notOk(fs.existsSync(lock), 'for good')
})

t.test('one at a time', { skip: noProcesses }, async t => {
  const { store, put, directory } = await openStore(t, { maintenance: { ...EAGER, idleMs: NEVER, seals: 8 } })
  const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']
  const most = { at: 0, once: 0 }
  const watching = setInterval(() => {
    const running = new Set(processesIn(directory).filter(isRepack).map(folderOf))
    running.delete(undefined)
    most.once = Math.max(most.once, running.size)
    most.at += running.size
  }, 20)
  t.teardown(() => clearInterval(watching))
  for (let version = 0; version < 12; version++) await Promise.all(names.map(name => put('a', version, name)))
  const merged = () => names.every(name => fs.readdirSync(join(directory, name, '.git/objects/pack')).length < 24)
  t.ok(await eventually(merged))
  t.ok(most.at > 0, 'it was seen')
  t.equal(most.once, 1)
  await store.close()
})

/** Whether a process is a git that maintains, rather than one that updates an index. */
function isRepack(id: number): boolean {
  try {
    return /repack|pack-objects|commit-graph/.test(fs.readFileSync(`/proc/${id}/cmdline`, 'latin1'))
  } catch {
    return false
  }
}

for (const ending of ['close', 'remove'] as const) {
  t.test(`${ending} ends it at once and leaves nothing`, { skip: noProcesses }, async t => {
    const first = await openStore(t)
    const written = []
    for (let version = 0; version < 8; version++) {
      written.push({ revision: await first.put('a', version), path: 'a', version })
      // Enough for git to be busy for a while.
      const put = (name: string) =>
        first.store.write('acme', ANN, tx => ({
          result: tx.put(name, randomBytes(2 ** 19)),
          message: { subject: 'b' },
        }))
      await Promise.all(['b', 'c', 'd'].map(put))
    }
    await first.store.close()
    const saved = join(first.directory, '../saved')
    fs.cpSync(first.directory, saved, { recursive: true })
    let caught = 0
    for (let delay = 0; delay < 60; delay += 20) {
      fs.rmSync(first.directory, { recursive: true })
      fs.cpSync(saved, first.directory, { recursive: true })
      const { store, gitDir, leftovers } = await openStore(t, {
        directory: first.directory,
        maintenance: { ...EAGER, idleMs: 1 },
      })
      await store.read('acme', () => {})
      await eventually(() => processesIn(gitDir).some(isRepack))
      await pause(delay)
      if (processesIn(gitDir).some(isRepack)) caught++
      if (ending === 'close') await store.close()
      else await store.remove('acme')
      t.strictSame(processesIn(gitDir), [])
      const [grave] = ending === 'close' ? [] : fs.readdirSync(join(first.directory, '../deleted'))
      if (grave) fs.renameSync(join(first.directory, '../deleted', grave), join(first.directory, 'acme'))
      t.strictSame(leftovers(), [])
      await store.close()
    }
    t.ok(caught > 0, `git was at work ${caught} times`)
    await isWhole(t, first.directory, written)
  })
}
