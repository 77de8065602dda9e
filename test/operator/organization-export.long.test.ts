import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { kill, start as startProcess } from '../contract/process.ts'
import { git } from '../contract/server.ts'
import { startServer } from '../http/server.ts'
import { parlance } from './parlance.ts'

t.setTimeout(0)

const run = (t: Test, dataDir: string, organization: string, output: string, env?: Record<string, string>) =>
  parlance(t, ['server', 'organization', 'export', organization, '--output', output, '--json', '--data-dir', dataDir], {
    ...(env && { env }),
  })

/** Clones a bundle with the stock git; returns the clone's folder. */
function clone(bundle: string, into: string): string {
  const { status, stderr } = spawnSync('git', ['clone', '-q', bundle, into], { encoding: 'utf8' })
  if (status !== 0 || stderr !== '') throw new Error(`git clone ended with ${status}: ${stderr}`)
  return into
}

t.test('beside a server: what was acknowledged before is in it, and it clones', async t => {
  const server = await startServer(t)
  const folder = t.testdirName
  const acme = await server.organization('Ann')
  const other = await server.organization('Otto')
  await server.project(acme.key, 'web')
  const file = join(folder, 'acme.bundle')
  for (let n = 0; n < 5; n++) {
    await server.put('/api/projects/web/bundles/en/common', acme.key, { [`k${n}`]: 'text' })
    const exported = await run(t, server.dataDir, n % 2 ? acme.id : acme.slug, file)
    t.equal(exported.code, 0, exported.errors)
    const { revision, bytes, ...rest } = exported.json
    t.strictSame(rest, { organization: { id: acme.id, slug: acme.slug }, file, tags: 0 })
    t.equal(bytes, fs.statSync(file).size)
    const copy = clone(file, join(folder, `clone${n}`))
    t.equal(git(copy, 'rev-parse', 'HEAD').trim(), revision)
    t.match(JSON.parse(fs.readFileSync(join(copy, 'web/locales/en/common.json'), 'utf8')), { [`k${n}`]: 'text' })
    t.equal(git(copy, 'status', '--porcelain'), '')
    t.equal(git(copy, 'log', '--oneline').trim().split('\n').length, n + 2)
  }
  const empty = await run(t, server.dataDir, other.slug, join(folder, 'other.bundle'))
  t.equal(empty.code, 1)
  t.match(empty.json, { error: /no commits yet/ })
  t.notOk(fs.existsSync(server.repository(other.id)), 'none is created for it')

  for (const [organization, output, message] of [
    ['nobody', file, /no organization "nobody"/],
    [acme.slug, join(folder, 'nowhere/x.bundle'), /no folder/],
  ] as const) {
    const refused = await run(t, server.dataDir, organization, output)
    t.equal(refused.code, 1)
    t.match(refused.json.error, message)
  }
  const alone = await run(t, server.dataDir, acme.slug, join(folder, 'alone.bundle'), { PATH: '/nonexistent' })
  t.equal(alone.code, 1)
  t.match(alone.json, { error: /needs git 2\.36/ })
  t.strictSame(
    fs.readdirSync(folder).filter(name => name.includes('bundle')),
    ['acme.bundle'],
    'nothing is left of what failed',
  )
})

t.test('after a kill: what only the journal has is in it, tags too, and no lock is left', async t => {
  const folder = t.testdir()
  const dataDir = join(folder, 'data')
  const server = await startProcess(t, dataDir)
  const acme = await server.server.organization('Ann')
  await server.server.project(acme.key, 'web')
  await server.server.commits(acme.id)
  const work = server.server.repository(acme.id)
  const who = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', '-c', 'safe.directory=*']
  execFileSync('git', [...who, '-C', work, 'tag', '-a', '-m', 'first', 'web/1.0'])
  for (let n = 0; n < 10; n++) {
    await server.server.put(`/api/projects/web/bundles/en/n${n}`, acme.key, { a: `text ${n}` })
  }
  await kill(server)

  const file = join(folder, 'acme.bundle')
  fs.writeFileSync(file, 'an older one')
  const exported = await run(t, dataDir, acme.slug, file)
  t.equal(exported.code, 0, exported.errors)
  t.equal(exported.json.tags, 1)
  const copy = clone(file, join(folder, 'clone'))
  t.equal(git(copy, 'log', '--oneline').trim().split('\n').length, 11)
  t.equal(git(copy, 'tag').trim(), 'web/1.0')
  t.equal(fs.readdirSync(join(copy, 'web/locales/en')).length, 10)
  const verified = await parlance(t, ['server', 'verify', '--json', '--data-dir', dataDir])
  t.strictSame(verified.json.findings, [])

  const again = await startProcess(t, dataDir)
  await again.server.put('/api/projects/web/bundles/en/later', acme.key, { a: 'b' })
  const plain = await parlance(t, [
    'server',
    'organization',
    'export',
    'nobody',
    '--output',
    file,
    '--data-dir',
    dataDir,
  ])
  t.match(plain.errors, /^parlance server organization export: There is no organization "nobody"[^\n]*\n$/)
  const text = await parlance(t, ['server', 'organization', 'export', acme.id, '--output', file, '--data-dir', dataDir])
  t.match(text.output, /^Wrote .*acme\.bundle: .* KiB, main at [0-9a-f]{40}, 1 tag\.\n`git clone /)
  execFileSync('git', ['-C', copy, 'fetch', '-q', file, 'main'], { stdio: 'pipe' })
  t.match(git(copy, 'log', '--format=%s', '-1', 'FETCH_HEAD'), 'later')
  await kill(again)
})
