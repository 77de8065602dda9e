/** A mounted file system that is full, read-only or forbidden. Mounting requires root, else the tests are skipped. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { isSound, kill, launch, start } from './process.ts'
import { eventually, git, type Reply } from './server.ts'

t.setTimeout(0)
// Before `t.testdir()`, so that the mount is gone when the folder is removed.
const mounted: string[] = []
t.teardown(() => {
  for (const folder of mounted) spawnSync('umount', ['-l', folder])
})
const root = t.testdir({ small: {}, shut: {} })

/** Mounts a file system in memory; false where that is not allowed. */
function mount(folder: string, options: string): boolean {
  const done =
    process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]).status === 0
  if (done) mounted.push(folder)
  return done
}

const small = join(root, 'small')
const skip = mount(small, 'size=12m') ? false : 'no file system can be mounted here'

/** Fills the file system. */
function fill(): void {
  const file = fs.openSync(join(small, 'ballast'), 'w')
  for (let size = 1 << 20; size >= 512; ) {
    try {
      fs.writeSync(file, Buffer.alloc(size))
    } catch {
      size /= 2
    }
  }
  fs.closeSync(file)
}

const makeRoom = () => fs.rmSync(join(small, 'ballast'))

function isFull(t: Test, { status, json, text }: Reply, what: string): void {
  t.equal(status, 507, `${what}: ${text}`)
  t.match(json?.error, /disk space/, `${what} says why`)
}

t.test('returns an error on a full disk, and recovers when there is room', { skip }, async t => {
  const dataDir = join(small, 'data')
  let run = await start(t, dataDir)
  const acme = await run.server.organization('Ann')
  const web = await run.server.project(acme.key, 'web')
  const bundle = `${web}/bundles/en/common`
  await run.server.put(bundle, acme.key, { kept: 'x' })
  const acknowledged: Record<string, string> = { kept: 'x' }
  fill()

  const refused: string[] = []
  for (let n = 0; refused.length < 3; n++) {
    const reply = await run.server.put(bundle, acme.key, { [`k${n}`]: 'y'.repeat(40_000) })
    if (reply.status === 200) acknowledged[`k${n}`] = 'y'.repeat(40_000)
    else {
      isFull(t, reply, 'a push')
      refused.push(`k${n}`)
    }
  }
  t.strictSame((await run.server.get(bundle, acme.key)).json, acknowledged, 'reads go on')
  isFull(t, await run.server.post(`${web}/releases`, acme.key, { name: 'v1' }), 'a release')
  // SQLite accepts writes while its log has room.
  const names = Array.from({ length: 400 }, (_, n) => `${n}`)
  let minted: Reply | undefined
  for (const name of names) {
    minted = await run.server.call('POST', '/api/tokens', { as: acme.owner, body: { name: name.padEnd(100, 'x') } })
    if (minted.status !== 201) break
  }
  isFull(t, minted!, 'a token')
  const body = { name: 'Quinn', email: 'quinn@example.com', password: 'correct horse quinn' }
  isFull(t, await run.server.call('POST', '/api/auth/sign-up/email', { body }), 'a sign-up')
  isFull(t, await run.server.signIn(acme.owner.user.email, acme.owner.password), 'a sign-in')
  t.equal((await run.server.call('GET', '/api/tokens', { as: acme.owner })).status, 200, 'a session stays valid')
  const health = await run.server.get('/api/health')
  t.equal(health.status, 503)
  t.match(health.json, { status: 'failing', error: 'The disk of the server is full.' })

  await kill(run)
  run = await start(t, dataDir)
  t.strictSame((await run.server.get(bundle, acme.key)).json, acknowledged, 'reads work after a kill on a full disk')
  isFull(t, await run.server.put(bundle, acme.key, { [refused[0]!]: 'z' }), 'a push after it')

  makeRoom()
  let written: Reply | undefined
  t.ok(
    await eventually(async () => (written = await run.server.put(bundle, acme.key, { later: 'x' })).status === 200),
    `there is room again: ${written?.text}`,
  )
  acknowledged.later = 'x'
  t.strictSame(
    (await run.server.get(bundle, acme.key)).json,
    acknowledged,
    'no acknowledged key is lost, no refused key appears',
  )
  t.equal((await run.server.signIn(acme.owner.user.email, acme.owner.password)).status, 200)
  t.ok(await eventually(async () => (await run.server.get('/api/health')).status === 200), 'the health is ok')
  run.child.kill('SIGTERM')
  t.equal((await run.exit).code, 0)
  const repository = run.server.repository(acme.id)
  isSound(t, repository, 'closed')
  t.equal(git(repository, 'status', '--porcelain'), '')
  t.strictSame(JSON.parse(git(repository, 'show', 'HEAD:web/locales/en/common.json')), acknowledged)
})

/** Asserts that a start fails with one line and no stack. */
async function failsToStart(t: Test, dataDir: string, sentence: RegExp, run = launch(dataDir)): Promise<void> {
  const { code } = await run.exit
  t.equal(code, 1, run.output())
  t.equal(run.output().trim().split('\n').length, 1, run.output())
  t.match(run.output(), sentence)
}

t.test('refuses to start on a full or read-only disk', { skip }, async t => {
  const shut = join(root, 'shut')
  t.ok(mount(shut, 'size=64k'))
  fs.writeFileSync(join(shut, 'ballast'), Buffer.alloc(60_000))
  await failsToStart(t, join(shut, 'data'), /disk of the data folder .* is full: free some space/)
  spawnSync('mount', ['-o', 'remount,ro', shut])
  await failsToStart(t, join(shut, 'other'), /cannot be written \(EROFS\)/)
  spawnSync('mount', ['-o', 'remount,ro', small])
  await failsToStart(t, join(small, 'data'), /cannot be written \(EROFS\)/)
  spawnSync('mount', ['-o', 'remount,rw', small])
})

const SOMEBODY = 65533
/**
 * Starts a program as the owner of this checkout, without the rights of root. It runs without tap, which would write
 * coverage where that user may not.
 */
const asOwner = ['setpriv', `--reuid=${fs.statSync(import.meta.filename).uid}`, '--clear-groups']
asOwner.push('--bounding-set=-dac_override,-dac_read_search', 'env', '-u', 'NODE_OPTIONS')
const isRoot = process.getuid?.() === 0
const cannot = isRoot && spawnSync(asOwner[0]!, [...asOwner.slice(1), 'true']).status !== 0

t.test(
  'refuses to start on a forbidden data folder',
  { skip: cannot && 'root has all rights here, and there is no setpriv to give them up' },
  async t => {
    const dataDir = join(root, 'private')
    fs.mkdirSync(dataDir, { mode: 0 })
    if (isRoot) fs.chownSync(dataDir, SOMEBODY, SOMEBODY)
    const run = launch(dataDir, {}, { under: isRoot ? asOwner : [] })
    await failsToStart(t, dataDir, /cannot be read and written by the user .*\(EACCES\): change its owner/, run)
    fs.chmodSync(dataDir, 0o700)
  },
)
