/** Refused starts: a second server beside a stalled one, and a folder of a newer Parlance. */
import fs from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { kill, launch, start } from './process.ts'
import { dataFolder } from './server.ts'

t.setTimeout(0)

t.test('holds the lock of the folder while the server is stalled, and releases it when it is killed', async t => {
  const dataDir = dataFolder(t)
  const first = await start(t, dataDir)
  const acme = await first.server.organization()
  const web = await first.server.project(acme.key, 'web')
  await first.server.put(`${web}/bundles/en/common`, acme.key, { a: 'x' })
  first.child.kill('SIGSTOP')
  const second = launch(dataDir)
  t.equal((await second.exit).code, 1)
  t.match(second.output(), /in use by another Parlance server; stop that one/)
  t.equal(second.output().trim().split('\n').length, 1, second.output())
  first.child.kill('SIGCONT')
  t.equal(
    (await first.server.put(`${web}/bundles/en/common`, acme.key, { b: 'y' })).status,
    200,
    'the stalled server continues',
  )
  first.child.kill('SIGSTOP')
  await kill(first)
  const third = await start(t, dataDir)
  t.strictSame((await third.server.get(`${web}/bundles/en/common`, acme.key)).json, { a: 'x', b: 'y' })

  third.child.kill('SIGTERM')
  await third.exit
  const version = join(dataDir, 'version')
  t.equal(fs.readFileSync(version, 'utf8'), '1\n')
  fs.writeFileSync(version, '2\n')
  const before = fs.readdirSync(dataDir)
  const older = launch(dataDir)
  t.equal((await older.exit).code, 1)
  t.match(older.output(), /was written by a newer Parlance \(version 2, this one knows 1\): run that one, or restore/)
  t.equal(older.output().trim().split('\n').length, 1, older.output())
  t.same(fs.readdirSync(dataDir), before, 'no file is changed')
})
