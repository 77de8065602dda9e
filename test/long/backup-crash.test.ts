/** Kills the server in the middle of pushes, again and again. KILLS=50 for more. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { bundled } from '../bundled.ts'
import { eventually } from '../contract/server.ts'
import { noGit } from '../http/git-client.ts'
import { random } from '../random.ts'
import { make, startRemote } from '../store/backup/http-remote.ts'
import { standInForSsh } from '../store/backup/ssh-stand-in.ts'
import { commitCount, fsck, git } from '../store/git-cli.ts'

if (noGit) t.bailout(noGit)

const KILLS = Number(process.env.KILLS ?? 3)

const server = bundled(join(import.meta.dirname, '../store/backup/crash-server.ts'))

// A process needs a second or more to start on a busy machine.
t.setTimeout(0)

/** Runs the server until `until` is so, then kills it; resolves to what it said. */
async function run(
  t: Test,
  dataDir: string,
  setting: string,
  mode: 'write' | 'catch up',
  until: (output: string) => boolean,
) {
  const child = spawn(process.execPath, [server, dataDir, setting, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', data => (output += data))
  const ended = new Promise(resolve => child.on('close', resolve))
  t.ok(await eventually(() => until(output)), `${mode}: the condition was reached`)
  if (mode === 'write') child.kill('SIGKILL')
  await ended
  return output
}

/**
 * Kills a server while a push is under way, restarts it, and looks whether the remote has all that was acknowledged.
 */
async function killAndCatchUp(
  t: Test,
  scene: { dataDir: string; setting: string; there: string; pushing: () => boolean },
) {
  const { dataDir, setting, there, pushing } = scene
  const here = join(dataDir, 'organizations', 'acme')
  const acknowledged = new Map<string, number>()
  for (let kill = 1; kill <= KILLS; kill++) {
    let after = Number.POSITIVE_INFINITY
    const output = await run(t, dataDir, setting, 'write', output => {
      if (!output.includes('acknowledged') || !pushing()) return false
      // Sooner or later within the push.
      if (after === Number.POSITIVE_INFINITY) after = performance.now() + random() * 250
      return performance.now() >= after
    })
    for (const [, path = '', version] of output.matchAll(/^acknowledged (\S+) (\d+)$/gm))
      acknowledged.set(path, Number(version))
    t.equal(fsck(there), '', `kill ${kill}: the remote is sound`)
    await run(t, dataDir, setting, 'catch up', output => output.includes('caught up'))
    t.equal(git(there, 'rev-parse', 'main'), git(here, 'rev-parse', 'main'), `kill ${kill}: the remote has it all`)
    t.equal(fsck(there), '')
    t.equal(fsck(here), '')
    for (const [path, version] of acknowledged) {
      const { version: found } = JSON.parse(git(there, 'show', `main:${path}`))
      t.ok(Number(found) >= version, `kill ${kill}: ${path} has ${found}, acknowledged was ${version}`)
    }
  }
  t.comment(`${commitCount(there)} commits after ${KILLS} kills`)
}

t.test('pushes everything after a kill while a hook of the remote waits', { timeout: 0 }, async t => {
  const root = t.testdir({ data: {} })
  const there = join(root, 'remote', 'acme.git')
  mkdirSync(join(root, 'remote'))
  for (const name of ['acme', 'parlance-accounts'])
    git('/', 'init', '-q', '--bare', '-b', 'main', join(root, 'remote', `${name}.git`))
  mkdirSync(join(there, 'hooks'), { recursive: true })
  writeFileSync(
    join(there, 'hooks', 'pre-receive'),
    `#!/bin/sh\ntouch '${root}/pushing'\nsleep 0.2\nrm -f '${root}/pushing'\n`,
    { mode: 0o755 },
  )
  writeFileSync(join(there, 'hooks', 'update'), '#!/bin/sh\nsleep 0.1\n', { mode: 0o755 })
  await killAndCatchUp(t, {
    dataDir: join(root, 'data'),
    setting: standInForSsh(t, root)(join(root, 'remote')),
    there,
    pushing: () => existsSync(join(root, 'pushing')),
  })
  // A hook that still runs removes its file by itself. A killed hook leaves it.
  await eventually(() => !existsSync(join(root, 'pushing')), 1_000)
  rmSync(join(root, 'pushing'), { force: true })
})

t.test('pushes everything after a kill while the remote reads the push slowly', { timeout: 0 }, async t => {
  const root = t.testdir({ data: {}, remote: {} })
  const remote = await startRemote(t, join(root, 'remote'))
  const there = make(join(root, 'remote'), 'acme')
  make(join(root, 'remote'), 'parlance-accounts')
  let under = 0
  remote.behave = async (request, response) => {
    if (request.method !== 'POST' || !request.url!.startsWith('/acme')) return
    under++
    response.on('close', () => under--)
    await pause(200)
  }
  await killAndCatchUp(t, { dataDir: join(root, 'data'), setting: remote.setting, there, pushing: () => under > 0 })
})
