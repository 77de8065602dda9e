import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newFolder } from './new-folder.ts'

t.test('creates several folders with files within the folder of the test', async t => {
  const one = newFolder(t, { de: { 'a.json': '{}' }, 'b.bin': Buffer.from([1]) })
  const other = newFolder(t)
  t.equal(readFileSync(join(one, 'de/a.json'), 'utf8'), '{}')
  t.strictSame(readFileSync(join(one, 'b.bin')), Buffer.from([1]))
  t.strictSame(readdirSync(other), [])
  t.equal(readdirSync(t.testdirName).length, 2)
})

t.test('adds a folder beside the content of t.testdir(), which throws when called again', async t => {
  const own = t.testdir({ 'a.json': '{}' })
  const more = newFolder(t)
  t.ok(more.startsWith(own))
  t.throws(() => t.testdir(), { message: /newFolder\(t\)/ })
  t.equal(readFileSync(join(own, 'a.json'), 'utf8'), '{}')
})
