/** The zip of an export, as other programs read it. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { zipOf } from '../../../src/cli/local/zip.ts'
import { unzip } from '../../http/unzip.ts'

const files = [
  { path: 'de/common.json', bytes: Buffer.from('{\n  "a": "Größe"\n}\n'.repeat(1000)) },
  { path: 'größe/leer.json', bytes: Buffer.alloc(0) },
]

t.test('holds each file under its name, the same bytes each time', async t => {
  const bytes = await zipOf(files)
  t.same(
    [...unzip(bytes)],
    files.map(({ path, bytes }) => [path, bytes]),
  )
  t.ok(bytes.length < 2000, 'compressed')
  t.same(await zipOf(files), bytes)
  t.equal(unzip(await zipOf([])).size, 0)
})

t.test('is read by unzip', { skip: !hasUnzip() && 'unzip is not installed' }, async t => {
  const path = join(t.testdir(), 'a.zip')
  writeFileSync(path, await zipOf(files))
  t.match(execFileSync('unzip', ['-t', path], { encoding: 'utf8' }), /No errors detected/)
})

function hasUnzip(): boolean {
  try {
    return execFileSync('unzip', ['-v']).length > 0
  } catch {
    return false
  }
}
