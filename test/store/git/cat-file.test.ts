import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { CatFile } from '../../../src/store/git/cat-file.ts'
import { eventually } from '../../contract/server.ts'
import { git } from '../git-cli.ts'
import { noProcesses, processesIn } from '../git-processes.ts'

const MIB = 2 ** 20

t.test('objects of every size, asked for at once', async t => {
  const folder = t.testdir()
  git(folder, 'init', '-q')
  const gitDir = join(folder, '.git')
  const sizes = [0, 1, 100, 65_535, 65_536, 70_000, 3 * MIB, 33 * MIB, 2]
  const ids = sizes.map(size => {
    writeFileSync(join(folder, 'file'), Buffer.alloc(size, `${size}\n`))
    return git(folder, 'hash-object', '-w', 'file').trim()
  })
  const objects = await CatFile.start(gitDir, new AbortController().signal)
  t.teardown(() => objects.close())
  const read = async (id: string) => {
    const object = await objects.read(id)
    return (
      object &&
      `${object.type} ${createHash('sha1').update(`blob ${object.bytes.length}\0`).update(object.bytes).digest('hex')}`
    )
  }
  const missing = 'f'.repeat(40)
  const found = await Promise.all([...ids, missing, ...ids].map(read))
  const expected = ids.map((id, at) => (sizes[at]! > 32 * MIB ? undefined : `blob ${id}`))
  t.strictSame(
    found,
    [...expected, undefined, ...expected],
    'in turn; not one that is too large, nor one that is not there',
  )
  const unread = objects.read(ids[6]!)
  objects.close()
  await t.rejects(unread, { code: 'unavailable' }, 'what was asked for fails')
  await t.rejects(objects.read(ids[0]!), { code: 'unavailable' }, 'and what is asked then')
  if (!noProcesses) t.ok(await eventually(() => processesIn(gitDir).length === 0), 'the process is gone')
})

t.test('who leaves ends it, before and meanwhile', async t => {
  const folder = t.testdir()
  git(folder, 'init', '-q')
  const left = new AbortController()
  const objects = await CatFile.start(join(folder, '.git'), left.signal)
  const reason = new Error('left')
  left.abort(reason)
  await t.rejects(objects.read('f'.repeat(40)), reason)
  await t.rejects(CatFile.start(join(folder, '.git'), left.signal), reason)
})
