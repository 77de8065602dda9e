/**
 * A person's `git gc --prune=now` and `git repack -ad` at any moment beside a running server: nothing acknowledged is
 * lost.
 */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { Releases } from '../../src/store/releases.ts'
import { Store } from '../../src/store/store.ts'
import { random } from '../random.ts'
import { fsck, git } from '../store/git-cli.ts'

t.setTimeout(0)
/** How long it goes on in the long form. */
const SECONDS = Number(process.env.GC_SECONDS ?? 4)
/** Which steps are tried: each one in the long form. */
const STRIDE = process.env.GC === 'all' ? 1 : 4

const ANN = { name: 'Ann', email: 'ann@example.com' }
const path = (n: number) => `web/locales/de/n${n}.json`
const bundle = (text: string) => `{\n  "a": "${text}"\n}\n`

async function openStore(t: Test) {
  const directory = join(t.testdir(), 'organizations')
  const errors: unknown[] = []
  const error = (data: object, message: string) => void errors.push({ ...data, message })
  const store = await Store.open({ directory, watch: false, maintenance: false, log: { info() {}, warn() {}, error } })
  t.teardown(() => store.close())
  const releases = new Releases(store)
  const put = (n: number, text: string) =>
    store.write('acme', ANN, tx => ({ result: tx.put(path(n), Buffer.from(bundle(text))), message: { subject: text } }))
  return { store, releases, put, errors, workTree: join(directory, 'acme') }
}

/** Two ways of a person to throw away what nothing refers to. */
function collect(workTree: string, way: number): void {
  const commands =
    way % 2 === 0
      ? [['gc', '-q', '--prune=now']]
      : [
          ['repack', '-adq'],
          ['prune', '--expire=now'],
        ]
  for (const command of commands) spawnSync('git', ['-C', workTree, ...command])
}

const CALLS = ['open', 'write', 'fsync', 'rename', 'unlink'] as const

/**
 * Calls `act` before the n-th call, from now on, that changes something in the repository.
 * @returns ends it, and says how many calls there were
 */
function beforeCall(t: Test, gitDir: string, n: number, act: () => void): () => number {
  const originals = CALLS.map(name => [name, fs[name]] as const)
  let calls = 0
  const restore = () => Object.assign(fs, Object.fromEntries(originals))
  for (const [name, original] of originals) {
    const replaced = (...args: unknown[]) => {
      const inside = typeof args[0] === 'number' || String(args[0]).startsWith(`${gitDir}/`)
      if (inside && calls++ === n) act()
      return (original as (...args: unknown[]) => void)(...args)
    }
    Object.assign(fs, { [name]: replaced })
  }
  t.teardown(restore)
  return () => {
    restore()
    return calls
  }
}

const acts = ['a seal', 'a release', 'the end of a release', 'the return of a release'] as const
for (const what of acts) {
  t.test(`loses nothing at each step of ${what}`, async t => {
    const { store, releases, put, errors, workTree } = await openStore(t)
    const gitDir = join(workTree, '.git')
    await store.write('acme', ANN, tx => {
      tx.put('web/project.json', Buffer.from('{\n  "name": "Web"\n}\n'))
      return { result: undefined, message: { subject: 'web' } }
    })
    const check = () => {}
    let steps = 1
    for (let step = 0; step < steps; step += STRIDE) {
      const name = { slug: 'web', name: `v${step}` }
      await put(step, `${what} ${step}`)
      if (what !== 'a seal') {
        await store.flush()
        if (what !== 'a release') await releases.create('acme', ANN, name, check)
        if (what === 'the return of a release') await releases.remove('acme', name, check)
      }
      const end = beforeCall(t, gitDir, step, () => collect(workTree, step / STRIDE))
      if (what === 'a seal') await store.flush()
      else if (what === 'the end of a release') await releases.remove('acme', name, check)
      else await releases.create('acme', ANN, name, check)
      steps = Math.max(steps, Math.min(end(), 60))
      t.equal(fsck(workTree), '', `step ${step}`)
      const { revision, text } = await store.read('acme', snapshot => ({
        revision: snapshot.revision,
        text: snapshot.read(path(step))?.toString(),
      }))
      t.equal(text, bundle(`${what} ${step}`))
      if (what === 'a seal') t.equal(git(workTree, 'rev-parse', 'main').trim(), revision, `step ${step}`)
      const ref = `refs/${what === 'the end of a release' ? 'parlance/released' : 'tags'}/web/v${step}`
      if (what !== 'a seal') t.equal(git(workTree, 'rev-parse', `${ref}^{commit}`).trim(), revision, `step ${step}`)
    }
    t.ok(steps > 5, `${steps} steps`)
    t.strictSame(errors, [], 'and nothing failed')
    t.notMatch(fs.readdirSync(join(gitDir, 'objects/pack')).join(), '.keep', 'no lock of a pack remains')
  })
}

t.test('loses nothing at each step of a recovery', async t => {
  const { store, put, workTree } = await openStore(t)
  await put(0, 'sealed')
  await store.flush()
  const original = fs.rename
  // The pack is there, and the branch has not moved.
  const refuse = (...args: Parameters<typeof original>) =>
    String(args[1]).endsWith('refs/heads/main')
      ? args[2](Object.assign(new Error('EIO by the test'), { code: 'EIO' }))
      : original(...args)
  Object.assign(fs, { rename: refuse })
  t.teardown(() => Object.assign(fs, { rename: original }))
  const { revision } = await put(0, 'acknowledged')
  await t.rejects(store.flush())
  const crashed = join(workTree, '../../crashed')
  fs.cpSync(join(workTree, '..'), crashed, { recursive: true })
  Object.assign(fs, { rename: original })
  t.match(fs.readdirSync(join(crashed, 'acme/.git/objects/pack')).join(), '.keep')
  let steps = 1
  for (let step = 0; step < steps; step += STRIDE) {
    const directory = join(crashed, '..', `image${step}`)
    fs.cpSync(crashed, directory, { recursive: true })
    const image = join(directory, 'acme')
    const end = beforeCall(t, join(image, '.git'), step, () => collect(image, step / STRIDE))
    const opened = await Store.open({ directory, watch: false, maintenance: false })
    t.teardown(() => opened.close())
    t.equal(await opened.read('acme', snapshot => snapshot.read(path(0))?.toString()), bundle('acknowledged'))
    steps = Math.max(steps, Math.min(end(), 60))
    t.equal(git(image, 'rev-parse', 'main').trim(), revision, `step ${step}`)
    t.equal(fsck(image), '', `step ${step}`)
    await opened.close()
    t.notMatch(fs.readdirSync(join(image, '.git/objects/pack')).join(), '.keep', 'no lock of a pack remains')
  }
  t.ok(steps > 5, `${steps} steps`)
})

t.test('loses nothing in repeated runs while clients write and release, with longer gaps between steps', async t => {
  const { store, releases, put, workTree } = await openStore(t)
  await store.write('acme', ANN, tx => {
    tx.put('web/project.json', Buffer.from('{\n  "name": "Web"\n}\n'))
    return { result: undefined, message: { subject: 'web' } }
  })
  await store.flush()
  const original = fs.rename
  const late = (...args: Parameters<typeof original>) =>
    setTimeout(() => original(...args), /\/refs\//.test(String(args[1])) ? random() * 150 : 0)
  Object.assign(fs, { rename: late })
  t.teardown(() => Object.assign(fs, { rename: original }))
  let ended = false
  const person = (async () => {
    for (let collected = 0; !ended; collected++) {
      const script = collected % 2 ? 'git gc -q --prune=now' : 'git repack -adq; git prune --expire=now'
      await new Promise(resolve => spawn('sh', ['-c', script], { cwd: workTree, stdio: 'ignore' }).on('close', resolve))
    }
  })()
  const until = performance.now() + SECONDS * 1000
  const acknowledged = new Map<number, string>()
  const tagged = new Map<string, string>()
  const writer = async (k: number) => {
    for (let n = k; performance.now() < until; n += 2) {
      await put(n % 50, `text ${n}`)
      acknowledged.set(n % 50, `text ${n}`)
      await pause(random() * 40)
    }
  }
  const releaser = async () => {
    for (let n = 0; performance.now() < until; n++) {
      const name = { slug: 'web', name: `v${n}` }
      const { revision } = await releases.create('acme', ANN, name, () => {})
      if (n % 3 === 0) await releases.remove('acme', name, () => {})
      tagged.set(n % 3 === 0 ? `refs/parlance/released/web/v${n}` : `refs/tags/web/v${n}`, revision)
    }
  }
  await Promise.all([writer(0), writer(1), releaser()])
  ended = true
  await person
  await store.flush()
  t.equal(fsck(workTree), '')
  for (const [n, text] of acknowledged) t.equal(git(workTree, 'show', `main:${path(n)}`), bundle(text))
  for (const [ref, revision] of tagged) t.equal(git(workTree, 'rev-parse', `${ref}^{commit}`).trim(), revision, ref)
})
