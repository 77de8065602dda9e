/** The zip of an export, as other programs read it. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { zipOf } from '../../../src/cli/local/zip.ts'
import { Problem } from '../../../src/cli/problem.ts'
import { unzip } from '../../http/unzip.ts'

const files = [
  { path: 'de/common.json', bytes: Buffer.from('{\n  "a": "Größe"\n}\n'.repeat(1000)) },
  { path: 'größe/leer.json', bytes: Buffer.alloc(0) },
]

t.test('holds each file under its name, the same bytes each time', async t => {
  const bytes = zipOf(files)
  t.same(
    [...unzip(bytes)],
    files.map(({ path, bytes }) => [path, bytes]),
  )
  t.ok(bytes.length < 2000, 'compressed')
  t.same(zipOf(files), bytes)
  t.equal(unzip(zipOf([])).size, 0)
})

t.test('is read by unzip', { skip: !hasUnzip() && 'unzip is not installed' }, async t => {
  const path = join(t.testdir(), 'a.zip')
  writeFileSync(path, zipOf(files))
  t.match(execFileSync('unzip', ['-t', path], { encoding: 'utf8' }), /No errors detected/)
})

t.test('refuses more files than the format counts', async t => {
  const many = Array.from({ length: 65_536 }, (_, at) => ({ path: `${at}`, bytes: Buffer.alloc(0) }))
  t.throws(() => zipOf(many), new Problem('That is more than a zip holds: 65,535 files of 4 GiB together.'))
})

function hasUnzip(): boolean {
  try {
    return execFileSync('unzip', ['-v']).length > 0
  } catch {
    return false
  }
}
