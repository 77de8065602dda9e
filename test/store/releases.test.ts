/** Releases on the disk: through kills, power failures and a disk that refuses. RELEASE_CRASHES=100 for more. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type Release, Releases } from '../../src/store/releases.ts'
import { Store } from '../../src/store/store.ts'
import { bundled } from '../bundled.ts'
import { random } from '../random.ts'
import { fsck, git } from './git-cli.ts'

const CRASHES = Number(process.env.RELEASE_CRASHES ?? 4)
/** The most lines of a writer, from "ready" on: its third release is deleted. */
const MOST_LINES = 10
const LONGEST_WAIT_MS = 60
const writer = bundled(join(import.meta.dirname, 'release-writer.ts'))
const ANN = { name: 'Ann', email: 'ann@example.com' }
const V1 = { slug: 'web', name: 'v1' }
const always = () => {}

t.setTimeout(0)

async function open(t: Test, directory?: string) {
  const folder = directory ?? join(t.testdir(), 'organizations')
  const store = await Store.open({ watch: false, directory: folder })
  t.teardown(() => store.close())
  const put = (text: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put('web/a', Buffer.from(text)), message: { subject: 'put' } }))
  return { store, releases: new Releases(store), put, directory: folder, workTree: join(folder, 'acme') }
}

/**
 * Starts a writer and kills it some milliseconds after its line number `lines`; resolves to all that it said. A
 * kill by time alone would come before the first release on a busy machine.
 */
async function runAndKill(directory: string, run: number, lines: number): Promise<string[]> {
  const argv = [writer, directory, String(run)]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  const enough = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', data => {
      output += data
      if (output.split('\n').length > lines) resolve()
    })
    child.once('exit', code => reject(new Error(`the writer ended by itself with ${code}`)))
  })
  await enough
  child.removeAllListeners('exit')
  await new Promise(resolve => setTimeout(resolve, LONGEST_WAIT_MS * random()))
  child.kill('SIGKILL')
  await new Promise(resolve => child.once('close', resolve))
  return output.split('\n')
}

t.test(`${CRASHES} kills lose no release and bring none back`, { timeout: 0 }, async t => {
  // As a server's socket does: the store's own timers hold no process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const directory = join(t.testdir(), 'organizations')
  const workTree = join(directory, 'acme')
  const present = new Map<string, { revision: string; held: Record<string, string> }>()
  const gone = new Set<string>()
  const unsure = new Set<string>()
  for (let run = 1; run <= CRASHES; run++) {
    // One of them lives long enough to delete a release.
    const lines = run === CRASHES ? MOST_LINES : 1 + Math.floor(MOST_LINES * random())
    for (const line of await runAndKill(directory, run, lines)) {
      const [, name, revision, held] = /^created (\S+) ([0-9a-f]{40}) (.*)$/.exec(line) ?? []
      if (name) present.set(name, { revision: revision!, held: JSON.parse(held!) })
      const deleting = /^deleting (\S+)$/.exec(line)?.[1]
      if (deleting) unsure.add(deleting)
      const deleted = /^deleted (\S+)$/.exec(line)?.[1]
      if (deleted) gone.add(deleted)
    }
    t.equal(fsck(workTree), '', `kill ${run}: git finds nothing wrong before the recovery`)
    const { store, releases } = await open(t, directory)
    const found = new Map((await releases.list('acme', 'web', always)).map(release => [release.name, release]))
    const wrong: string[] = []
    for (const [name, { revision, held }] of present) {
      if (gone.has(name)) {
        if (found.has(name)) wrong.push(`${name} came back`)
        if (revision === (await store.read('acme', snapshot => snapshot.revision))) continue
        const again = await releases.create('acme', ANN, { slug: 'web', name }, always).catch(({ code }) => code)
        if (again !== 'conflict') wrong.push(`${name} was given away`)
        continue
      }
      if (!found.has(name) && unsure.has(name)) continue
      if (found.get(name)?.revision !== revision) wrong.push(`${name} is lost`)
      const then = await store.read('acme', snapshot => {
        const state = snapshot.at(revision)
        return Object.keys(held).map(path => JSON.parse(state.read(path)!.toString()).version)
      })
      for (const [i, version] of Object.values(held).entries()) {
        if (Number(then[i].split('-')[1]) < Number(version.split('-')[1])) wrong.push(`${name} lacks ${version}`)
      }
    }
    t.same(wrong, [], `kill ${run}`)
    await store.close()
    t.equal(fsck(workTree), '', `kill ${run}: git finds nothing wrong after it`)
  }
  t.ok(present.size > 0 && gone.size > 0, `${present.size} releases created, ${gone.size} deleted`)
})

t.test('what a delete leaves when it is cut off between its two steps', async t => {
  const { releases, put, workTree } = await open(t)
  await put('1')
  const made = await releases.create('acme', ANN, V1, always)
  const former = join(workTree, '.git/refs/parlance/released/web/v1')
  fs.mkdirSync(join(former, '..'), { recursive: true })
  fs.writeFileSync(former, `${made.tag}\n`)
  t.same(await releases.find('acme', V1, always), made)
  await t.rejects(releases.create('acme', ANN, V1, always), { code: 'conflict', message: /already/ })
  await releases.remove('acme', V1, always)
  t.same(await releases.list('acme', 'web', always), [])
  await put('2')
  await t.rejects(releases.create('acme', ANN, V1, always), {
    code: 'conflict',
    message: /of another revision/,
  })
  fs.writeFileSync(former, 'nonsense\n')
  await t.rejects(
    releases.create('acme', ANN, { ...V1, name: 'V1' }, always),
    { code: 'conflict' },
    'the name is still known',
  )
})

t.test('the backup hears of tags, too', async t => {
  const heard: string[] = []
  const store = await Store.open({ watch: false, directory: t.testdir(), onSealed: id => void heard.push(id) })
  t.teardown(() => store.close())
  const releases = new Releases(store)
  await store.write('acme', ANN, tx => ({ result: tx.put('a', Buffer.from('1')), message: { subject: 'put' } }))
  await store.flush()
  const before = heard.length
  await releases.create('acme', ANN, V1, always)
  t.equal(heard.length, before + 1)
  await releases.remove('acme', V1, always)
  t.equal(heard.length, before + 2)
  await t.rejects(releases.remove('acme', V1, always), { code: 'not-found' })
  t.same(heard.slice(before), ['acme', 'acme'])
})

t.test('a disk that refuses', async t => {
  const { releases, put, store, workTree } = await open(t)
  await put('1')
  await store.flush()
  for (const [code, failure] of [
    ['ENOSPC', 'no-space'],
    ['EIO', 'unavailable'],
  ] as const) {
    const { rename } = fs
    // biome-ignore lint/suspicious/noExplicitAny: stands for an overloaded function
    ;(fs as any).rename = (from: string, to: string, done: (error: Error | null) => void) =>
      String(to).includes('refs/tags') ? done(Object.assign(new Error(code), { code })) : rename(from, to, done)
    t.teardown(() => void (fs.rename = rename))
    await t.rejects(releases.create('acme', ANN, V1, always), { code: failure })
    fs.rename = rename
    t.same(await releases.list('acme', 'web', always), [])
    t.strictSame(fs.readdirSync(join(workTree, '.git/refs/tags/web')), [], 'no lock is left')
  }
  const made: Release = await releases.create('acme', ANN, V1, always)
  t.equal(git(workTree, 'rev-parse', 'web/v1').trim(), made.tag)
  t.equal(fsck(workTree), '')
})

t.test('a change that waits for a seal fails when the repository is opened again', async t => {
  // A server's sockets hold its process alive while sealing waits for its next attempt; here nothing else does.
  const awake = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(awake))
  const { releases, put, store } = await open(t)
  await put('1')
  await store.flush()
  const { rename, write } = fs
  const { promise: begun, resolve: sealing } = Promise.withResolvers<void>()
  let goOn = () => {}
  let broken = false
  // biome-ignore lint/suspicious/noExplicitAny: stands for overloaded functions
  const disk = fs as any
  disk.rename = (...argv: Parameters<typeof rename>) => {
    if (!String(argv[1]).endsWith('.pack')) return rename(...argv)
    goOn = () => rename(...argv)
    sealing()
  }
  disk.write = (...argv: unknown[]) => {
    if (!broken) return write(...(argv as Parameters<typeof write>))
    ;(argv.at(-1) as (error: Error) => void)(Object.assign(new Error('EIO'), { code: 'EIO' }))
  }
  t.teardown(() => Object.assign(disk, { rename, write }))
  await put('2')
  await begun
  await put('3, which waits for the seal after that one')
  const waiting = [releases.create('acme', ANN, V1, always), store.readGit('acme', async () => 'read')]
  const outcome = Promise.allSettled(waiting)
  broken = true
  await t.rejects(put('4'))
  broken = false
  disk.rename = rename
  goOn()
  await put('5')
  t.match(await outcome, [
    { status: 'rejected', reason: { code: 'unavailable', message: /try again/ } },
    { status: 'rejected', reason: { code: 'unavailable', message: /try again/ } },
  ])
  t.equal((await releases.create('acme', ANN, V1, always)).name, 'v1', 'and all goes on')
})

t.test('a thousand releases', async t => {
  const { releases, put, store, workTree } = await open(t)
  const { revision } = await put('1')
  await store.flush()
  const stream = Array.from(
    { length: 1000 },
    (_, n) => `tag web/v${n}\nfrom ${revision}\ntagger Bob <b@example.com> ${1_700_000_000 + n} +0000\ndata 2\nm\n`,
  )
  fs.writeFileSync(join(workTree, '.git/stream'), stream.join(''))
  git(workTree, '-c', 'alias.load=!git fast-import --quiet < .git/stream', 'load')
  for (const where of ['loose', 'packed']) {
    const listed = await releases.list('acme', 'web', always)
    t.equal(listed.length, 1000, where)
    t.equal(listed[0]!.name, 'v999')
    t.equal(listed[999]!.name, 'v0')
    fs.rmSync(join(workTree, '.git/refs/heads/main.lock'), { force: true })
    git(workTree, 'pack-refs', '--all')
  }
  t.equal((await releases.create('acme', ANN, { slug: 'web', name: 'next' }, always)).name, 'next')
})
