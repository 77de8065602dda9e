/**
 * Kills the server without warning while packs are merged, and starts it again while the git it left may still be at
 * work. MERGE_CRASHES=200 for more.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { Store } from '../../src/store/store.ts'
import { bundled } from '../bundled.ts'
import { eventually } from '../contract/server.ts'
import { random } from '../random.ts'
import { ANN, EAGER, openStore } from '../store/git/many-packs.ts'
import { commitCount, fsck } from '../store/git-cli.ts'
import { noProcesses, processesIn } from '../store/git-processes.ts'

const CRASHES = Number(process.env.MERGE_CRASHES ?? 16)
const LONGEST_RUN_MS = 2500
/** Approximate steps on the disk of one merge and its graph. */
const STEPS = 40

const writer = bundled(join(import.meta.dirname, '../store/crash-writer.ts'))

// tap would end a long run after half a minute.
t.setTimeout(0)

/**
 * Starts writers with maintenance all the time; they are killed after some time, or kill themselves at one of its
 * steps.
 */
async function runUntilKilled(directory: string, run: number): Promise<string[]> {
  const dieAt = run % 2 ? String(1 + Math.floor(random() * STEPS)) : 'Infinity'
  const pace = JSON.stringify({ ...EAGER, idleMs: 100 })
  const argv = [writer, directory, String(run), pace, dieAt]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', data => (output += data))
  const gone = new Promise<unknown>(resolve => child.once('close', (_, signal) => resolve(signal)))
  const ready = eventually(() => output.includes('ready\n'))
  await Promise.race([ready, gone])
  await Promise.race([gone, pause(dieAt === 'Infinity' ? LONGEST_RUN_MS * random() : 20_000)])
  child.kill('SIGKILL')
  if ((await gone) !== 'SIGKILL') throw new Error('the writer ended by itself')
  return output.split('\n')
}

/** What is left of merges in the repository: the note of a git at work, its locks, and files that belong to no pack. */
function leftovers(gitDir: string): string[] {
  const files = fs.readdirSync(join(gitDir, 'objects/pack'))
  const whole = (name: string) =>
    name.startsWith('pack-') &&
    files.includes(name.replace(/\.\w+$/, '.pack')) &&
    files.includes(name.replace(/\.\w+$/, '.idx'))
  const inObjects = fs.readdirSync(join(gitDir, 'objects'), { recursive: true, encoding: 'utf8' })
  return [
    ...files.filter(name => !whole(name)),
    ...fs.readdirSync(join(gitDir, 'parlance')).filter(name => name === 'maintenance'),
    ...inObjects.filter(name => name.endsWith('.lock')),
  ]
}

t.test(`loses nothing in ${CRASHES} kills`, { timeout: 0 }, async t => {
  const directory = t.testdir()
  const workTree = join(directory, 'acme')
  const gitDir = join(workTree, '.git')
  const acknowledged = new Map<string, number>()
  const found = { orphans: 0, shops: 0 }
  // More when none of them came upon a merge.
  for (let run = 1; run <= CRASHES || (run <= 10 * CRASHES && found.shops === 0); run++) {
    for (const line of await runUntilKilled(directory, run)) {
      const [, path, version] = /^acknowledged (\S+) (\d+)$/.exec(line) ?? []
      if (path !== undefined) acknowledged.set(path, Math.max(acknowledged.get(path) ?? 0, Number(version)))
    }
    if (acknowledged.size === 0) continue
    if (!noProcesses && processesIn(gitDir).length > 0) found.orphans++
    if (leftovers(gitDir).length > 0) found.shops++
    t.equal(fsck(workTree), '', `kill ${run}: git finds nothing wrong before the recovery`)
    const bad = (data: object, message: string) => t.fail(message, data)
    const store = await Store.open({
      directory,
      watch: false,
      maintenance: false,
      log: { info() {}, warn: bad, error: bad },
    })
    const versions = await store.read('acme', snapshot =>
      [...acknowledged.keys()].map(path => [path, Number(JSON.parse(`${snapshot.read(path)}`).version)] as const),
    )
    t.strictSame(
      versions.filter(([path, version]) => !(version >= acknowledged.get(path)!)),
      [],
      `kill ${run}: all there`,
    )
    await store.close()
    t.equal(fsck(workTree), '', `kill ${run}: git finds nothing wrong after it`)
    const total = versions.reduce((sum, [, version]) => sum + version, 0)
    t.ok(commitCount(workTree) >= total, `kill ${run}: a commit for each write`)
    if (!noProcesses) t.ok(await eventually(() => processesIn(gitDir).length === 0), `kill ${run}: no git is left`)
  }
  t.comment(`${found.orphans} times a git outlived its server, ${found.shops} times something was left of a merge`)
  t.ok(found.shops > 0)
  // A kill between a seal's pack and its index leaves the pack, which might be a running git's: a start waits for an
  // hour.
  for (const name of leftovers(gitDir).filter(name => name.endsWith('.pack'))) {
    const path = join(gitDir, 'objects/pack', name)
    if (fs.existsSync(path)) fs.utimesSync(path, new Date(Date.now() - 7_200_000), new Date(Date.now() - 7_200_000))
  }
  const store = await Store.open({ directory, watch: false, maintenance: false })
  await store.read('acme', () => {})
  await store.close()
  t.strictSame(leftovers(gitDir), [], 'after all of it, nothing is left')
})

t.test(
  'a git that has lost its server ends its work before the next one goes on from there',
  { skip: noProcesses },
  async t => {
    const { store, directory, gitDir, put } = await openStore(t)
    // Git searches deltas between them for two seconds of processor time.
    for (let n = 0; n < 10; n++) {
      const bytes = randomBytes(2 ** 21)
      await store.write('acme', ANN, tx => ({ result: tx.put(`b${n}`, bytes), message: { subject: `put b${n}` } }))
      if (n % 4 === 0) await put('a', n)
    }
    await store.close()
    const text = `
    import { Store } from './src/store/store.ts'
    const maintenance = ${JSON.stringify({ ...EAGER, idleMs: 1 })}
    const store = await Store.open({ directory: ${JSON.stringify(directory)}, watch: false, maintenance })
    await store.read('acme', () => {})
    setInterval(() => {}, 1000)`
    const cwd = join(import.meta.dirname, '../..')
    const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
      cwd,
      stdio: 'ignore',
    })
    t.teardown(() => child.kill('SIGKILL'))
    t.ok(await eventually(() => processesIn(gitDir).length > 0), 'git is at work')
    // Places the kill while git works.
    await pause(300)
    child.kill('SIGKILL')
    await new Promise(resolve => child.once('close', resolve))
    t.ok(processesIn(gitDir).length > 0, 'and still is when the server is gone')
    const again = await openStore(t, { directory, maintenance: { ...EAGER, idleMs: 1 } })
    await again.store.read('acme', () => {})
    t.ok(await eventually(() => again.packs().length === 1 && leftovers(gitDir).length === 0, 240_000))
    await again.store.close()
    t.strictSame(leftovers(gitDir), [])
    t.equal(fsck(join(directory, 'acme')), '')
  },
)
