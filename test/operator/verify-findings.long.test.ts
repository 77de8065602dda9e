import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { git, startServer } from '../contract/server.ts'
import { parlance, start } from './parlance.ts'
import { type Finding, isGood, makeFolder, verify, verifyWithoutGit, WHO } from './verifying.ts'

t.setTimeout(0)

/** Everything in a folder with its bytes, to see that nothing changes. */
function contents(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { withFileTypes: true, recursive: true }).filter(entry => entry.isFile())
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [join(parentPath, name), fs.readFileSync(join(parentPath, name), 'base64')]),
  )
}

t.test('a good folder has no findings, and verify leaves no trace in it', async t => {
  const { dataDir, slug } = await makeFolder(t)
  const before = contents(dataDir)
  const result = await verify(t, dataDir)
  isGood(t, result, 'all of it')
  t.match(result.json, { dataDir, serverRunning: false, organizations: 2, errors: 0, warnings: 0, notes: 0 })
  t.match(result.errors, /checking/, 'progress on standard error')
  isGood(t, await verify(t, dataDir, '--organization', slug), 'one of them')
  const withoutGit = await verifyWithoutGit(t, dataDir)
  isGood(t, withoutGit, 'without a git')
  t.equal(withoutGit.json.git, null)
  t.match(withoutGit.json.remarks, [/no git/])
  const plain = await parlance(t, ['server', 'verify', '--data-dir', dataDir])
  t.equal(plain.code, 0)
  t.equal(plain.output, `2 organizations checked in ${dataDir}: nothing is wrong.\n`)
  t.strictSame(contents(dataDir), before)

  const unknown = await verify(t, dataDir, '--organization', 'nobody')
  t.equal(unknown.code, 1)
  t.match(unknown.json, { error: /no repository of an organization "nobody"/ })
  const nowhere = await verify(t, join(dataDir, 'nowhere'))
  t.equal(nowhere.code, 1)
  t.match(nowhere.json, { error: /no data folder/ })
})

t.test('what people committed while no server ran is for the next start to judge', async t => {
  const { dataDir, id } = await makeFolder(t)
  const work = join(dataDir, 'organizations', id)
  const commit = (message: string) => {
    git(work, 'add', '-A')
    execFileSync('git', [...WHO, '-C', work, 'commit', '-qm', message])
  }
  fs.writeFileSync(join(work, 'web/locales/en/common.json'), '{"b":"B", "a":"A"}')
  fs.mkdirSync(join(work, 'web/locales/no_NO'))
  fs.writeFileSync(join(work, 'web/locales/no_NO/common.json'), '{}\n')
  fs.writeFileSync(join(work, 'NOTES.md'), 'A note is ignored.\n')
  commit('by hand')
  const pending = await verify(t, dataDir)
  t.equal(pending.code, 0, JSON.stringify(pending.json))
  t.match(
    new Map((pending.json.findings as Finding[]).map(({ path, what }) => [path, what])),
    new Map([
      ['.git/refs/heads/main', /committed while no server ran/],
      ['web/locales/no_NO/common.json', /misnamed/],
      ['web/locales/en/common.json', /canonical/],
    ]),
  )
  t.ok((pending.json.findings as Finding[]).every(({ severity }) => severity === 'note'))

  const server = await startServer(t, { dataDir })
  await server.call('GET', '/api/health')
  await server.close()
})

t.test('many findings are counted, not all printed', async t => {
  const { dataDir, id, acme } = await makeFolder(t)
  const server = await startServer(t, { dataDir })
  for (let n = 0; n < 260; n++) await server.put(`/api/projects/web/bundles/fr/n${n}`, acme.key, { a: 'b' })
  await server.close()
  fs.rmSync(join(dataDir, 'organizations', id, 'web/locales/fr'), { recursive: true })
  const { code, json } = await verify(t, dataDir)
  t.equal(code, 1)
  t.equal(json.findings.length, 201)
  t.match(json.findings.at(-1), { severity: 'warning', what: '60 findings more are not shown.' })
})

t.test('a check that is interrupted ends, and its git with it', async t => {
  const { dataDir } = await makeFolder(t)
  const slow = join(t.testdirName, 'bin')
  fs.mkdirSync(slow)
  const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim()
  fs.writeFileSync(
    join(slow, 'git'),
    `#!/bin/sh\ncase "$*" in *fsck*) echo $$ > '${t.testdirName}/pid'; sleep 60;; *) exec ${real} "$@";; esac\n`,
    { mode: 0o755 },
  )
  const running = start(t, ['server', 'verify', '--data-dir', dataDir], {
    env: { PATH: `${slow}:${process.env.PATH}` },
  })
  const pidFile = join(t.testdirName, 'pid')
  while (!fs.existsSync(pidFile) || fs.readFileSync(pidFile, 'utf8') === '') await pause(20)
  running.child.kill('SIGINT')
  await running.ended
  t.equal(running.child.signalCode, 'SIGINT', 'a shell sees what ended it')
  t.match(running.errors, /parlance server verify: Interrupted\.\n$/)
  t.throws(() => process.kill(Number(fs.readFileSync(pidFile, 'utf8')), 0), { code: 'ESRCH' })
})
