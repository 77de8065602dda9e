/** What stands in the way of git's merging of packs, and what it stands in the way of. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { eventually } from '../../contract/server.ts'
import { newFolder } from '../../new-folder.ts'
import { ANN, EAGER, isWhole, openStore } from './many-packs.ts'

t.setTimeout(0)

const NEVER = 1_000_000

t.test('a failure is logged once and tried again later, and writes know nothing of it', async t => {
  const { put, packs, logged, store, gitDir, leftovers } = await openStore(t, {
    maintenance: { ...EAGER, idleMs: NEVER },
  })
  await put('b', 0)
  const damaged = join(gitDir, `objects/pack/${packs()[0]}.pack`)
  const bytes = fs.readFileSync(damaged)
  fs.chmodSync(damaged, 0o644)
  fs.writeFileSync(damaged, Buffer.from(bytes).fill(0x55, 20, 40))
  for (let version = 1; version < 8; version++) await put('a', version)
  t.ok(await eventually(() => logged.length > 0))
  for (let version = 8; version < 16; version++) await put('a', version)
  await pause(300)
  t.match(logged, [{ level: 'warn', message: /^maintenance failed/, data: { retryMs: 60_000 } }])
  t.equal(packs().length, 16)
  t.strictSame(store.status().problems, [])
  await store.close()
  t.strictSame(leftovers(), [])
})

/** Runs a script on a store in another process. A shell script stands in for `git` there. Returns its output. */
function withGit(directory: string, shim: string | null, script: string, idleMs = 50): string {
  const bin = join(directory, '../bin')
  fs.mkdirSync(bin, { recursive: true })
  const git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
  if (shim !== null) fs.writeFileSync(join(bin, 'git'), `#!/bin/sh\n${shim}\nexec '${git}' "$@"\n`, { mode: 0o755 })
  const text = `
    import { Store } from './src/store/store.ts'
    const lines = []
    const log = level => (data, message) => {
      lines.push(message)
      console.log(level, message)
    }
    const store = await Store.open({ directory: ${JSON.stringify(directory)}, watch: false,
      maintenance: ${JSON.stringify({ ...EAGER, idleMs })}, log: { info: log('info'), warn: log('warn'), error: log('error') } })
    ${script}
    await store.close()`
  const argv = ['--input-type=module', '-e', text]
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, {
    encoding: 'utf8',
    env: { PATH: bin, HOME: process.env.HOME },
    cwd: join(import.meta.dirname, '../../..'),
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const OPEN_AND_WAIT = `
  for (const name of ['acme', 'other']) await store.write(name, ${JSON.stringify(ANN)}, tx =>
    ({ result: tx.put('last', Buffer.from(name)), message: { subject: 'last' } }))
  const told = () => lines.filter(line => line.includes('packs are not merged')).length
  for (let looks = 0; told() === 0 && looks < 1000; looks++) await new Promise(resolve => setTimeout(resolve, 20))
  // Long enough to say it again of the other one.
  await new Promise(resolve => setTimeout(resolve, 500))`

t.test('what is sealed during a look is looked at after it, also without any more writes', async t => {
  const { directory, gitDir, packs, put, store } = await openStore(t)
  for (let version = 0; version < 4; version++) await put('a', version)
  await store.close()
  const slow = `
    case "$*" in *commit-graph*) : > '${directory}/at-work'; while [ ! -e '${directory}/go-on' ]; do :; done;; esac`
  const write = `
    import { existsSync, readdirSync, writeFileSync } from 'node:fs'
    const pause = () => new Promise(resolve => setTimeout(resolve, 20))
    const packs = () => readdirSync('${gitDir}/objects/pack').filter(name => name.endsWith('.pack'))
    const put = async version => {
      await store.write('acme', ${JSON.stringify(ANN)}, tx =>
        ({ result: tx.put('a', Buffer.from(String(version))), message: { subject: 'a' } }))
      await store.readGit('acme', async () => {})
    }
    await put(4)
    while (!existsSync('${directory}/at-work')) await pause()
    for (let version = 5; version < 15; version++) await put(version)
    writeFileSync('${directory}/go-on', '')
    // One pack may also be seen in the middle of a merge, which a close would take back.
    const isMerged = () => packs().length === 1 && lines.filter(line => line === 'merged packs').length > 1
    for (let tries = 0; !isMerged() && tries < 1000; tries++) await pause()`
  const said = withGit(directory, slow, write, NEVER)
  t.match(said, /^(?:info merged packs\n)*$/)
  t.equal(packs().length, 1)
})

t.test('without git, or with one that is too old, everything else goes on, and it is said once', async t => {
  for (const shim of [null, '[ "$1" = --version ] && echo git version 2.35.9; exit 1']) {
    const { directory, put, packs, store } = await openStore(t, { directory: join(newFolder(t), 'organizations') })
    const written = []
    for (let version = 0; version < 12; version++) {
      written.push({ revision: await put('a', version), path: 'a', version })
    }
    await store.close()
    const said = withGit(directory, shim, OPEN_AND_WAIT)
    t.equal(said.match(/packs are not merged/g)?.length, 1, said)
    t.notMatch(said, /error/)
    t.equal(packs().length, 13)
    await isWhole(t, directory, written)
  }
})
