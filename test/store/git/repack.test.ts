/** Merging packs: what must survive it, and what it must leave behind when it fails. */
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listPacks } from '../../../src/store/git/pack-list.ts'
import { repack } from '../../../src/store/git/repack.ts'
import { ObjectReader } from '../../../src/store/objects/objects.ts'
import { fsck, git } from '../git-cli.ts'
import { noProcesses, processesIn } from '../git-processes.ts'
import { isWhole, openStore } from './many-packs.ts'

t.setTimeout(300_000)

const PERSON = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.com', '-c', 'gc.auto=0']
const never = new AbortController().signal

/** Eight commits to two files, each in a pack of its own. */
async function eight(t: Test) {
  const opened = await openStore(t)
  const written: { revision: string; path: string; version: number }[] = []
  for (let version = 0; version < 8; version++) {
    const path = `web/locales/de/${version % 2 ? 'common' : 'shop'}.json`
    written.push({ revision: await opened.put(path, version), path, version })
  }
  return { ...opened, written }
}

for (const kind of ['full', 'merge'] as const) {
  t.test(`${kind}: one pack with everything, and a reader that was open before finds it`, async t => {
    const { store, gitDir, packs, bitmaps, leftovers, written, directory } = await eight(t)
    const reader = new ObjectReader(gitDir)
    t.ok(reader.read(written[0]!.revision))
    const before = packs()
    await repack(gitDir, { kind, packs: await listPacks(gitDir) }, never)
    t.equal(packs().length, 1)
    t.notOk(before.includes(packs()[0]!))
    t.strictSame(bitmaps(), kind === 'full' ? packs() : [])
    t.strictSame(leftovers(), [])
    for (const { revision } of written) t.equal(reader.read(revision)?.type, 'commit')
    reader.close()
    await store.close()
    await isWhole(t, directory, written)
  })
}

t.test('a merge leaves other packs alone, and those that come meanwhile', async t => {
  const { store, gitDir, packs, put, written, directory } = await eight(t)
  const [first, second, ...others] = await listPacks(gitDir)
  await repack(gitDir, { kind: 'merge', packs: [first!, second!] }, never)
  t.equal(packs().length, 7)
  for (const { name } of others) t.ok(packs().includes(name))
  const merging = repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
  const meanwhile = []
  for (let version = 100; version < 110; version++)
    meanwhile.push({ revision: await put('late', version), path: 'late', version })
  await merging
  t.ok(packs().length > 1)
  await store.close()
  await isWhole(t, directory, [...written, ...meanwhile])
})

t.test('the same pack again: nothing is removed', async t => {
  const { gitDir, packs, written, store, directory } = await eight(t)
  const full = async () => repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
  await full()
  const [name] = packs()
  fs.rmSync(join(gitDir, `objects/pack/${name}.bitmap`))
  await full()
  t.strictSame(packs(), [name], 'git makes the very same one')
  t.ok(fs.existsSync(join(gitDir, `objects/pack/${name}.bitmap`)), 'with its bitmap this time')
  await store.close()
  await isWhole(t, directory, written)
})

t.test(
  "what is people's own survives: branches, tags, loose objects, objects that nothing refers to, kept packs",
  async t => {
    const { store, gitDir, packs, written, directory, workTree } = await eight(t)
    await store.close()
    const kept = packs()[0]!
    fs.writeFileSync(join(gitDir, `objects/pack/${kept}.keep`), '')
    git(workTree, ...PERSON, 'tag', '-a', 'v1', '-m', 'one', 'main~2')
    git(workTree, ...PERSON, 'checkout', '-q', '-b', 'mine')
    fs.writeFileSync(join(workTree, 'mine.txt'), 'mine\n')
    git(workTree, 'add', 'mine.txt')
    git(workTree, ...PERSON, 'commit', '-qm', 'mine')
    git(workTree, 'checkout', '-q', 'main')
    // A rewritten commit, which only its id leads to, in a pack beside the loose objects.
    git(workTree, ...PERSON, 'commit', '-q', '--allow-empty', '-m', 'forgotten')
    const forgotten = git(workTree, 'rev-parse', 'HEAD').trim()
    git(workTree, 'reset', '-q', '--hard', 'HEAD~1')
    git(workTree, 'reflog', 'expire', '--expire=now', '--all')
    const packed = git(workTree, 'rev-list', '--objects', forgotten, '^main').slice(0, 40)
    fs.writeFileSync(join(directory, 'list'), `${packed}\n`)
    git(workTree, 'config', 'alias.pack', `!git pack-objects -q objects/pack/pack < '${join(directory, 'list')}'`)
    git(gitDir, 'pack')
    fs.rmSync(join(gitDir, 'objects', forgotten.slice(0, 2), forgotten.slice(2)))
    const dangling = git(workTree, 'hash-object', '-w', join(directory, 'list')).trim()
    const tags = git(workTree, 'show-ref')

    await repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
    t.equal(packs().length, 3, 'what is reached, what is not, what is kept')
    t.ok(packs().includes(kept))
    t.equal(git(workTree, 'cat-file', '-t', forgotten), 'commit\n')
    t.match(git(workTree, 'count-objects'), /^1 objects/, 'what is in a pack now is not loose any more')
    t.equal(git(workTree, 'cat-file', '-t', dangling), 'blob\n', 'and what is in none stays')
    t.equal(git(workTree, 'show-ref'), tags)
    t.equal(git(workTree, 'show', 'mine:mine.txt'), 'mine\n')
    await repack(gitDir, { kind: 'merge', packs: await listPacks(gitDir) }, never)
    t.equal(git(workTree, 'cat-file', '-t', forgotten), 'commit\n', 'also after the next')
    await isWhole(t, directory, written)
  },
)

t.test('without room on the disk nothing is begun', async t => {
  const { gitDir, packs, leftovers } = await eight(t)
  const before = packs()
  const plan = await listPacks(gitDir)
  plan[0]!.bytes = Number.MAX_SAFE_INTEGER
  await t.rejects(repack(gitDir, { kind: 'full', packs: plan }, never), { message: /too little room/ })
  t.strictSame(packs(), before)
  t.strictSame(leftovers(), [])
})

/** Lets the so-manieth call of a function of `fs` fail that has to do with a workshop or the pack folder; tells whether one did. */
function failAt(t: Test, name: 'rename' | 'fsync' | 'unlink', at: number): { mend(): boolean } {
  const original = fs[name] as (...args: unknown[]) => void
  let calls = 0
  const broken = (...args: unknown[]) => {
    if (++calls !== at) return original(...args)
    const done = args.at(-1) as (error: Error) => void
    setImmediate(done, Object.assign(new Error('ENOSPC by the test'), { code: 'ENOSPC' }))
  }
  Object.assign(fs, { [name]: broken })
  const mend = () => {
    Object.assign(fs, { [name]: original })
    return calls >= at
  }
  t.teardown(mend)
  return { mend }
}

t.test('whatever step the disk refuses, nothing is lost, and the next attempt completes it', async t => {
  const { store, gitDir, packs, bitmaps, leftovers, written, directory } = await eight(t)
  // A full one first, so that there is a bitmap to replace.
  await repack(gitDir, { kind: 'full', packs: (await listPacks(gitDir)).slice(0, 3) }, never)
  await store.close()
  const saved = join(directory, '../saved')
  fs.cpSync(directory, saved, { recursive: true })
  const full = async () => repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
  let refused = 0
  for (const name of ['fsync', 'rename', 'unlink'] as const) {
    for (let at = 1, reached = true; reached; at++) {
      fs.rmSync(directory, { recursive: true })
      fs.cpSync(saved, directory, { recursive: true })
      const { mend } = failAt(t, name, at)
      const result = await full().catch(error => error)
      reached = mend()
      if (reached) t.match(result, { code: 'ENOSPC' }, `${name} ${at}`)
      if (reached) refused++
      const reader = new ObjectReader(gitDir)
      t.ok(written.every(({ revision }) => reader.read(revision) !== undefined))
      reader.close()
      t.equal(fsck(join(directory, 'acme')), '')
      await full()
      t.equal(packs().length, 1)
      t.strictSame(bitmaps(), packs())
      t.strictSame(leftovers(), [])
    }
  }
  t.ok(refused > 25, `${refused} refusals`)
  await isWhole(t, directory, written)
})

t.test('a damaged pack is found by git, and nothing changes', async t => {
  const { gitDir, packs, leftovers, store } = await eight(t)
  const [victim] = packs()
  const file = join(gitDir, `objects/pack/${victim}.pack`)
  const bytes = fs.readFileSync(file)
  bytes.fill(0x55, 20, 40)
  fs.writeFileSync(file, bytes)
  const before = packs()
  for (const kind of ['merge', 'full'] as const) {
    await t.rejects(repack(gitDir, { kind, packs: await listPacks(gitDir) }, never), {
      message: /^git pack-objects ended with/,
    })
    t.strictSame(packs(), before)
    t.strictSame(leftovers(), [])
  }
  await store.close().catch(() => {})
})

t.test('a repack that is ended leaves nothing', { skip: noProcesses }, async t => {
  const { gitDir, packs, leftovers, written, store, directory } = await eight(t)
  const before = packs()
  for (let delay = 0; delay < 60; delay += 6) {
    const end = new AbortController()
    const running = repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, end.signal)
    setTimeout(() => end.abort(), delay)
    const error = await running.catch(reason => reason)
    t.strictSame(processesIn(gitDir), [])
    t.strictSame(leftovers(), [])
    if (error === undefined) break
    t.equal(error.name, 'AbortError')
    t.strictSame(packs(), before)
  }
  await store.close()
  await isWhole(t, directory, written)
})

t.test('what a killed server had begun to move in goes at the next start; what it had moved in stays', async t => {
  const { gitDir, packs, leftovers, store, written, directory } = await eight(t)
  await repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
  await store.close()
  const [name] = packs()
  const folder = join(gitDir, 'objects/pack')
  const shop = join(gitDir, 'parlance/repack-abcdef/pack')
  fs.mkdirSync(shop, { recursive: true })
  const half = `pack-${'1'.repeat(40)}`
  for (const extension of ['.pack', '.rev']) fs.writeFileSync(join(folder, half + extension), 'half')
  for (const file of [`${half}.idx`, `${name}.idx`, 'tmp_pack_123456']) fs.writeFileSync(join(shop, file), 'half')
  const past = new Date(Date.now() - 2 * 3_600_000)
  for (const file of ['tmp_pack_aaaaaa', 'tmp_idx_bbbbbb']) fs.writeFileSync(join(folder, file), 'old')
  fs.utimesSync(join(folder, 'tmp_pack_aaaaaa'), past, past)
  for (const extension of ['.rev', '.bitmap'])
    fs.writeFileSync(join(folder, `pack-${'2'.repeat(40)}${extension}`), 'alone')

  const again = await openStore(t, { directory })
  await again.store.read('acme', () => {})
  t.strictSame(leftovers(), ['tmp_idx_bbbbbb'], "what is new may be a running git's")
  t.strictSame(packs(), [name])
  await again.store.close()
  fs.rmSync(join(folder, 'tmp_idx_bbbbbb'))
  await isWhole(t, directory, written)
})
