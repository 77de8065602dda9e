/** Merging packs: what must survive it, and what it must leave behind when it fails. */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { listPacks, repack } from '../../../src/store/git/repack.ts'
import { ObjectReader } from '../../../src/store/objects/objects.ts'
import { eventually } from '../../contract/server.ts'
import { random } from '../../random.ts'
import { fsck, git } from '../git-cli.ts'
import { noProcesses, processesIn } from '../git-processes.ts'
import { EAGER, isWhole, openStore } from './many-packs.ts'

t.setTimeout(0)

/** Of each kind of repack, at as many moments of its first 60 ms. */
const KILLS = Number(process.env.MERGE_KILLS ?? 10)

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

for (const kind of ['full', 'merge'] as const) {
  t.test(
    `${kind}: a cut of power after git, when nothing of it is on the disk but that the old packs are gone`,
    async t => {
      const { store, gitDir, packs, written, directory } = await eight(t)
      const before = packs()
      // As if the power went at the end of git's work: what was not synced is gone, and so is the server.
      const realGit = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
      const bin = join(directory, '../bin')
      fs.mkdirSync(bin)
      const words = ['#!/bin/sh', `'${realGit}' "$@" || exit`, 'case " $* " in *" repack "*)']
      words.push('  rm -f objects/pack/*; kill -9 $$;;', 'esac')
      fs.writeFileSync(join(bin, 'git'), words.join('\n'), { mode: 0o755 })
      const { PATH } = process.env
      process.env.PATH = `${bin}:${PATH}`
      await t.rejects(repack(gitDir, { kind, packs: await listPacks(gitDir) }, never))
      process.env.PATH = PATH
      await store.close()
      const again = await openStore(t, { directory })
      await again.store.read('acme', () => {})
      t.strictSame(packs(), before, 'the old ones are there')
      await again.store.close()
      await isWhole(t, directory, written)
    },
  )
}

t.test('half a pack that a kill left among the second names is not restored', async t => {
  const { store, gitDir, packs, written, directory } = await eight(t)
  const before = packs()
  await store.close()
  const merging = join(gitDir, 'parlance/merging')
  fs.mkdirSync(merging)
  const [index, pack] = [`pack-${'3'.repeat(40)}.idx`, `pack-${'4'.repeat(40)}.pack`]
  for (const name of [index, pack]) fs.writeFileSync(join(merging, name), 'half')
  const again = await openStore(t, { directory })
  await again.store.read('acme', () => {})
  t.strictSame(packs(), before)
  for (const name of [index, pack]) t.notOk(fs.existsSync(join(gitDir, 'objects/pack', name)), name)
  t.notOk(fs.existsSync(merging))
  await again.store.close()
  await isWhole(t, directory, written)
})

t.test('a merge leaves a large pack alone, and those that come meanwhile', async t => {
  const { store, gitDir, packs, put, written, directory } = await eight(t)
  await repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
  const [large] = packs()
  for (let version = 8; version < 11; version++)
    written.push({ revision: await put('late', version), path: 'late', version })
  await repack(gitDir, { kind: 'merge', packs: await listPacks(gitDir) }, never)
  t.equal(packs().length, 2)
  t.ok(packs().includes(large!))
  t.ok(fs.existsSync(join(gitDir, `objects/pack/${large}.bitmap`)), 'with its bitmap')
  for (const kind of ['full', 'merge'] as const) {
    const merging = repack(gitDir, { kind, packs: await listPacks(gitDir) }, never)
    for (let version = 100; version < 110; version++)
      written.push({ revision: await put(kind, version), path: kind, version })
    await merging
    t.ok(packs().length > 1)
  }
  await store.close()
  await isWhole(t, directory, written)
})

t.test(
  "what is people's own survives: branches, tags, loose objects, objects that nothing refers to, packs with a `.keep`",
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
    t.equal(packs().length, 2, 'the excluded pack, and all the rest')
    t.ok(packs().includes(kept))
    t.equal(git(workTree, 'cat-file', '-t', forgotten), 'commit\n')
    t.match(git(workTree, 'count-objects'), /^0 objects/, 'what is in a pack now is not loose any more')
    t.equal(git(workTree, 'cat-file', '-t', dangling), 'blob\n', 'and nothing is thrown away')
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

t.test('whenever git is killed, nothing is lost, and the next attempt completes it', { skip: noProcesses }, async t => {
  const step = 60 / KILLS
  const { store, put, gitDir, packs, bitmaps, leftovers, written, directory } = await eight(t)
  // A full one first, so that there is a bitmap to replace.
  await repack(gitDir, { kind: 'full', packs: (await listPacks(gitDir)).slice(0, 3) }, never)
  for (let version = 8; version < 11; version++)
    written.push({ revision: await put('late', version), path: 'late', version })
  await store.close()
  const saved = join(directory, '../saved')
  fs.cpSync(directory, saved, { recursive: true })
  let killed = 0
  for (const kind of ['full', 'merge'] as const) {
    for (let delay = step * random(); delay < 60; delay += step) {
      fs.rmSync(directory, { recursive: true })
      fs.cpSync(saved, directory, { recursive: true })
      const running = repack(gitDir, { kind, packs: await listPacks(gitDir) }, never).catch(error => error)
      await pause(delay)
      for (const id of processesIn(gitDir)) {
        try {
          process.kill(id, 'SIGKILL')
        } catch {
          // It has ended by itself.
        }
      }
      if (await running) killed++
      const reader = new ObjectReader(gitDir)
      t.ok(written.every(({ revision }) => reader.read(revision) !== undefined))
      reader.close()
      t.equal(fsck(join(directory, 'acme')), '')
      await repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
      t.equal(packs().length, 1)
      t.strictSame(bitmaps(), packs())
      t.strictSame(leftovers(), [])
    }
  }
  t.ok(killed > KILLS / 5, `${killed} kills`)
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
      message: /^git repack ended with/,
    })
    t.strictSame(packs(), before)
    t.strictSame(leftovers(), [])
  }
  await store.close().catch(() => {})
})

t.test('a repack that is ended leaves nothing', { skip: noProcesses }, async t => {
  const { gitDir, leftovers, written, store, directory } = await eight(t)
  for (let delay = 0; delay < 60; delay += 6) {
    const end = new AbortController()
    const running = repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, end.signal)
    setTimeout(() => end.abort(), delay)
    const error = await running.catch(reason => reason)
    // One that was asked to end may need a moment on a busy machine.
    t.ok(await eventually(() => processesIn(gitDir).length === 0), 'no process is left')
    t.strictSame(leftovers(), [])
    if (error === undefined) break
    t.equal(error.name, 'AbortError')
  }
  await store.close()
  await isWhole(t, directory, written)
})

t.test('what a killed server and its git left goes at the next start', async t => {
  const { gitDir, packs, leftovers, store, written, directory } = await eight(t)
  await repack(gitDir, { kind: 'full', packs: await listPacks(gitDir) }, never)
  await store.close()
  const [name] = packs()
  const folder = join(gitDir, 'objects/pack')
  const place = (file: string, hoursAgo: number) => {
    fs.writeFileSync(join(folder, file), 'half')
    const past = new Date(Date.now() - hoursAgo * 3_600_000)
    fs.utimesSync(join(folder, file), past, past)
  }
  // As earlier versions left it.
  fs.mkdirSync(join(gitDir, 'parlance/repack-abcdef/pack'), { recursive: true })
  fs.writeFileSync(join(gitDir, 'parlance/fetched.bundle'), 'of another node')
  place('tmp_pack_aaaaaa', 2)
  place(`.tmp-12-pack-${'1'.repeat(40)}.pack`, 2)
  place('tmp_idx_bbbbbb', 0)
  for (const extension of ['.rev', '.bitmap']) place(`pack-${'2'.repeat(40)}${extension}`, 0)
  const opened = await openStore(t, { directory })
  await opened.store.read('acme', () => {})
  t.strictSame(leftovers(), ['tmp_idx_bbbbbb'], "what is new may be a running git's")
  t.strictSame(packs(), [name])
  for (const name of ['repack-abcdef', 'fetched.bundle']) t.notOk(fs.existsSync(join(gitDir, 'parlance', name)), name)
  await opened.store.close()

  fs.writeFileSync(join(gitDir, 'parlance/maintenance'), `${spawnSync('true').pid}\n`)
  place('tmp_idx_bbbbbb', -1)
  place('multi-pack-index.lock', -1)
  const again = await openStore(t, { directory })
  await again.store.read('acme', () => {})
  t.strictSame(leftovers(), [], 'what is newer than the note of a git that has ended is its')
  await again.store.close()
  await isWhole(t, directory, written)
})

t.test('beside a git that has outlived its server no other one is begun', { skip: noProcesses }, async t => {
  const { gitDir, packs, store, directory } = await eight(t)
  await store.close()
  const other = spawn('sleep', ['600'], { cwd: gitDir, stdio: 'ignore' })
  t.teardown(() => other.kill('SIGKILL'))
  fs.writeFileSync(join(gitDir, 'parlance/maintenance'), `${other.pid}\n`)
  const again = await openStore(t, { directory, maintenance: { ...EAGER, idleMs: 1 } })
  await again.store.read('acme', () => {})
  await pause(500)
  t.equal(packs().length, 8)
  t.equal(other.signalCode, null, 'it is left alone')
  other.kill('SIGKILL')
  t.ok(await eventually(() => packs().length === 1))
  await again.store.close()
})
