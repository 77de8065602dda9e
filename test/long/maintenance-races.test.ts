/** Maintenance without a pause, while everybody writes, reads the past and clones. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { Store } from '../../src/store/store.ts'
import { eventually } from '../eventually.ts'
import { git, must, noGit } from '../http/git-client.ts'
import { random } from '../random.ts'
import { ANN, EAGER, openStore, render } from '../store/git/many-packs.ts'
import { fsck } from '../store/git-cli.ts'

const SECONDS = Number(process.env.SECONDS ?? 6)
const WRITERS = 64
const SERVE = 'git -c uploadpack.allowFilter=true upload-pack'

t.setTimeout(60_000 + SECONDS * 10_000)

t.test('serves 64 writers, readers of the past and clones during maintenance', { skip: noGit }, async t => {
  // A cache that holds next to nothing, so that reads go to the packs.
  const { store, directory, gitDir, logged, packs, leftovers, workTree } = await openStore(t, {
    maintenance: { ...EAGER, idleMs: 20 },
    cacheBytes: 64 * 1024,
  })
  const clones = join(directory, '../clones')
  mkdirSync(clones)
  const written: { revision: string; path: string; version: number }[] = []
  const acknowledged = Array.from({ length: WRITERS }, () => 0)
  const end = performance.now() + SECONDS * 1000
  const merges = () => logged.filter(({ message }) => message === 'merged packs').length
  const going = () => performance.now() < end || merges() < 3

  const writer = async (_: unknown, lane: number) => {
    const path = `web/locales/de/lane${lane}.json`
    for (let version = 1; going() || version < 3; version++) {
      const { revision } = await store.write('acme', ANN, tx => ({
        result: tx.put(path, render(version)),
        message: { subject: `put ${path}` },
      }))
      written.push({ revision: revision!, path, version })
      acknowledged[lane] = version
      // Seals, merges and clones must be as fast as the writers, or nothing races.
      await pause(80)
    }
  }
  let read = 0
  const reader = async () => {
    while (going() || read < 100) {
      await pause(2)
      const one = written[Math.floor(random() * written.length)]
      if (one === undefined) continue
      const bytes = await store.read('acme', snapshot => snapshot.at(one.revision).read(one.path))
      if (!bytes?.equals(render(one.version))) t.fail(`${one.path} as of ${one.revision}`)
      read++
    }
  }
  let cloned = 0
  const cloner = async (_: unknown, lane: number) => {
    const kinds = [[], ['--bare'], ['--filter=blob:none', '--no-checkout'], ['--depth=2']]
    await eventually(() => !acknowledged.includes(0))
    for (let round = 0; going() || round < 2; round++) {
      const kind = kinds[(round + lane) % kinds.length]!
      const clone = join(clones, String(cloned++))
      const before = acknowledged.reduce((sum, count) => sum + count, 0)
      await store.readGit('acme', async gitDir => {
        const { code, says } = await git(['clone', '-q', ...kind, '-u', SERVE, '--no-local', `file://${gitDir}`, clone])
        t.equal(code, 0, `clone ${kind}: ${says}`)
      })
      if (kind[0] === '--depth=2') continue
      const commits = Number(await must(['-C', clone, 'rev-list', '--count', 'main']))
      t.ok(commits >= before, `${commits} commits, ${before} were acknowledged before`)
      if (kind[0] !== '--filter=blob:none') t.equal(await must(['-C', clone, 'fsck', '--full', '--strict']), '')
    }
  }
  await Promise.all([...Array.from({ length: WRITERS }, writer), reader(), ...Array.from({ length: 2 }, cloner)])

  t.comment(`${written.length} writes, ${read} reads, ${cloned} clones, ${merges()} merges, ${packs().length} packs`)
  t.strictSame(
    logged.filter(({ level }) => level !== 'info'),
    [],
  )
  await store.close()
  t.strictSame(leftovers(), [])
  t.equal(fsck(workTree), '')
  t.match(await must(['--git-dir', gitDir, 'rev-list', '--count', 'main']), `${written.length}\n`)

  const again = await Store.open({ directory, watch: false, maintenance: false })
  const lost = await again.read('acme', snapshot =>
    written.filter(({ revision, path, version }) => !snapshot.at(revision).read(path)?.equals(render(version))),
  )
  await again.close()
  t.strictSame(lost, [], 'every version of every file')
})
