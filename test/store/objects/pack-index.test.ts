import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { slices } from '../../../src/scheduling/slices.ts'
import { type IndexEntry, PackIndex, renderIndex } from '../../../src/store/objects/pack-index.ts'

const noGit = spawnSync('git', ['--version']).status === 0 ? false : 'there is no system git to judge by'
const idOf = (n: number): string => createHash('sha1').update(String(n)).digest('hex')
const checksum = Buffer.alloc(20, 9)
const indexOf = (entries: IndexEntry[]) => renderIndex(entries, checksum, slices())
const key = (id: string): Buffer => Buffer.from(id, 'hex')

const entriesOf = (count: number, offset: (i: number) => number): IndexEntry[] =>
  Array.from({ length: count }, (_, i) => ({ id: idOf(i), crc: (i * 2654435761) % 2 ** 32, offset: offset(i) }))

t.test('every object is found and no other, in windows and by halving', async t => {
  const directory = t.testdir()
  for (const count of [0, 1, 2, 255, 20000]) {
    const file = path.join(directory, `${count}.idx`)
    const entries = entriesOf(count, i => 12 + i)
    fs.writeFileSync(file, await indexOf(entries))
    const index = new PackIndex(file)
    t.equal(index.count, count)
    t.ok(index.packChecksum.equals(checksum))
    t.ok(entries.every(({ id, offset }) => index.find(key(id)) === offset))
    t.ok(
      entriesOf(count + 500, i => i)
        .slice(count)
        .every(({ id }) => index.find(key(id)) === undefined),
    )
    for (const edge of ['00', '01', 'fe', 'ff']) t.equal(index.find(key(edge.repeat(20))), undefined)
    index.close()
  }
})

t.test('offsets from 2 GiB on come back whole', async t => {
  const file = path.join(t.testdir(), 'large.idx')
  const offsets = [12, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 5]
  fs.writeFileSync(file, await indexOf(entriesOf(offsets.length, i => offsets[i]!)))
  const index = new PackIndex(file)
  t.same(
    offsets.map((_, i) => index.find(key(idOf(i)))),
    offsets,
  )
  index.close()
})

t.test('git reads the index, 64-bit offsets and checksums too', { skip: noGit }, async t => {
  const entries = entriesOf(300, i => 12 + i * 2 ** 25)
  const shown = execFileSync('git', ['show-index'], { input: await indexOf(entries), encoding: 'utf8' })
  const expected = entries.map(({ id, crc, offset }) => `${offset} ${id} (${crc.toString(16).padStart(8, '0')})`)
  t.same(shown.trim().split('\n').sort(), expected.sort())
})

t.test('a damaged index is refused by name', async t => {
  const directory = t.testdir()
  const good = await indexOf(entriesOf(10, i => (i === 0 ? 2 ** 33 : 12 + i)))
  const changed = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(good)
    bytes.writeUInt32BE(value, at)
    return bytes
  }
  const refused: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    'without magic': changed(0, 1),
    'of version 1': good.subarray(8),
    'of version 3': changed(4, 3),
    'cut off': good.subarray(0, good.length - 1),
    'cut in the fan-out': good.subarray(0, 500),
    'too long': Buffer.concat([good, Buffer.alloc(8 * 10)]),
    'with more objects than bytes': changed(8 + 255 * 4, 0x7fffffff),
    'with a falling fan-out': changed(8, 10_000),
  }
  for (const [name, bytes] of Object.entries(refused)) {
    const file = path.join(directory, 'broken.idx')
    fs.writeFileSync(file, bytes)
    t.throws(() => new PackIndex(file), { name: 'Failure', code: 'unavailable', message: /broken\.idx/ }, name)
  }
  const offsetsAt = 8 + 1024 + 10 * 24
  const row = [...entriesOf(10, i => i)].sort((a, b) => (a.id < b.id ? -1 : 1)).findIndex(({ id }) => id === idOf(0))
  for (const bytes of [changed(offsetsAt + row * 4, 0x80000001), changed(offsetsAt + 40, 0xffffffff)]) {
    const file = path.join(directory, 'offsets.idx')
    fs.writeFileSync(file, bytes)
    const index = new PackIndex(file)
    t.throws(() => index.find(key(idOf(0))), Failure, 'an offset past the table, or beyond any file')
    index.close()
  }
})

t.test('a file that is not there says ENOENT, so that a reader can look again', async t => {
  t.throws(() => new PackIndex(path.join(t.testdir(), 'gone.idx')), { code: 'ENOENT' })
})
