import fs from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { eventually } from '../../contract/server.ts'
import { noGit } from '../../http/git-client.ts'
import { git } from '../git-cli.ts'
import { open, Word } from './scene.ts'

if (noGit) t.bailout(noGit)
// Much of it waits for processes of git, which are slow to start on a busy machine.
t.setTimeout(0)

/** Accounts that are a database, as the ones of a server are. */
class Rows extends Word {
  override async snapshot(file: string) {
    const { digest, organizations } = await super.snapshot(file)
    fs.rmSync(file)
    const database = new Sqlite(file)
    database.exec(`create table word (word); insert into word values ('${digest}')`)
    database.close()
    return { digest, organizations }
  }
}

const DELAYS = { check: 300_000, checkStep: [20, 20] as const, recheck: 300, trouble: 600_000 }

t.test(
  'what the remote has is checked in the background; what could not be restored is reported until it is mended',
  async t => {
    const root = t.testdir()
    const folder = join(root, 'disk')
    const word = new Rows('one')
    word.organizations = ['acme', 'other']
    const first = await open(t, join(folder, '{organization}.git'), { word, delays: DELAYS })
    first.backup.start()
    for (const id of ['acme', 'other']) await first.put(id, '1')
    for (const id of ['acme', 'other']) t.ok(await first.reaches(id, join(folder, `${id}.git`)))
    const checked = (id: string, since = 0) => eventually(() => (first.backup.status(id).lastCheck ?? 0) > since)
    t.ok((await checked('acme')) && (await checked('other')))
    t.equal(first.backup.status('acme').state, 'ok')
    t.equal(first.backup.troubled, false)
    const check = join(first.dataDir, 'backup', 'check')
    t.ok(await eventually(() => !fs.existsSync(check)), 'nothing of it is left')
    await first.close()

    const path = join(folder, 'acme.git')
    const blob = git(path, 'rev-parse', 'main:web/locales/de/common.json').trim()
    fs.rmSync(join(path, 'objects', blob.slice(0, 2), blob.slice(2)))
    const second = await open(t, join(folder, '{organization}.git'), {
      word,
      dataDir: first.dataDir,
      delays: { ...DELAYS, check: 1 },
    })
    second.backup.start()
    t.equal(second.backup.status('acme').lastCheck, first.backup.status('acme').lastCheck, 'remembered')
    t.ok(await eventually(() => second.backup.status('acme').state === 'failing'))
    t.match(second.backup.status('acme').error, /^The repository of acme at the backup remote is damaged.*Move it away/)
    t.equal(second.backup.troubled, true, 'at once')
    t.ok(await eventually(() => second.backup.status('other').state === 'ok'), 'the other is none the worse')
    await second.put('acme', '2')
    t.ok(await eventually(() => git(path, 'log', '-1', '--format=%s') === '2\n'), 'a push does not notice')
    t.equal(second.backup.status('acme').state, 'failing')

    fs.renameSync(path, join(root, 'aside'))
    await second.put('acme', '3')
    t.ok(await eventually(() => second.backup.status('acme').state === 'ok'), 'as it was set to')
    t.equal(second.backup.troubled, false)
  },
)

t.test('damaged accounts are a problem of every organization', async t => {
  const root = t.testdir()
  const folder = join(root, 'disk')
  const word = new Word('no database at all')
  word.organizations = ['acme']
  const { backup, put } = await open(t, join(folder, '{organization}.git'), { word, delays: DELAYS })
  backup.start()
  await put('acme', '1')
  t.ok(await eventually(() => backup.status('acme').state === 'failing'))
  t.match(backup.status('acme').error, /parlance-accounts at the backup remote is damaged/)
})

t.test('no check where it is turned off, and none of what was never pushed', async t => {
  const root = t.testdir()
  const folder = join(root, 'disk')
  const { backup, put, reaches, dataDir } = await open(t, join(folder, '{organization}.git'), {
    delays: { ...DELAYS, check: 0 },
  })
  backup.start()
  await put('acme', '1')
  t.ok(await reaches('acme', join(folder, 'acme.git')))
  t.equal(backup.status('acme').lastCheck, undefined)
  t.notOk(fs.existsSync(join(dataDir, 'backup', 'checks.json')))
})
