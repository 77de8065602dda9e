// It restores what it changes, so it shares its process (test/groups.mjs).
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import isomorphic from 'isomorphic-git'
import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { slices } from '../../../src/scheduling/slices.ts'
import { hashObject, ObjectReader, type ObjectType } from '../../../src/store/objects/objects.ts'
import { PackBuilder } from '../../../src/store/objects/pack-builder.ts'
import { renderIndex } from '../../../src/store/objects/pack-index.ts'

const noGit = spawnSync('git', ['--version']).status === 0 ? false : 'there is no system git to judge by'
const who = { name: 'Ann', email: 'ann@example.com', date: '1700000000 +0000' }
const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: who.name,
  GIT_AUTHOR_EMAIL: who.email,
  GIT_AUTHOR_DATE: who.date,
  GIT_COMMITTER_NAME: who.name,
  GIT_COMMITTER_EMAIL: who.email,
  GIT_COMMITTER_DATE: who.date,
}
const git = (cwd: string, args: string[], input: string | Buffer = ''): Buffer =>
  execFileSync('git', args, { cwd, env, input, stdio: 'pipe', maxBuffer: 2 ** 28 })

/**
 * A repository with one file that changes a line a commit; unpacked, as `git commit` leaves it, unless packed later.
 */
const repository = (cwd: string, commits: number): string => {
  git(cwd, ['init', '-q', '-b', 'main'])
  git(cwd, ['config', 'gc.auto', '0'])
  // With several threads git cuts its chains at random places.
  git(cwd, ['config', 'pack.threads', '1'])
  const stream: string[] = []
  for (let i = 0; i < commits; i++) {
    const lines = Array.from(
      { length: 200 },
      (_, k) => `"key.${k}": "text ${k * 7919} ${k === i % 200 ? i : ''}"`,
    ).join('\n')
    stream.push(`commit refs/heads/main\ncommitter Ann <ann@example.com> ${1700000000 + i} +0000\ndata 2\nm\n`)
    for (const file of [`web/locales/de/common.json`, `web/locales/de/n${i % 50}.json`]) {
      stream.push(`M 100644 inline ${file}\ndata ${Buffer.byteLength(lines)}\n${lines}\n`)
    }
  }
  git(cwd, ['-c', 'fastimport.unpackLimit=1', 'fast-import', '--quiet'], stream.join(''))
  git(cwd, ['tag', '-a', '-m', 'first release', 'web/1.0', 'main'])
  return path.join(cwd, '.git')
}

interface Listed {
  id: string
  type: ObjectType
  bytes: Buffer
}

/** Every object of the repository, as git itself reads it. */
const listed = (cwd: string): Listed[] => {
  const output = git(cwd, ['cat-file', '--batch', '--batch-all-objects'])
  const objects: Listed[] = []
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at)
    const [id, type, size] = output.toString('latin1', at, end).split(' ')
    objects.push({ id: id!, type: type as ObjectType, bytes: output.subarray(end + 1, end + 1 + Number(size)) })
    at = end + 2 + Number(size)
  }
  return objects
}

const readsAll = (reader: ObjectReader, objects: Listed[]): boolean =>
  objects.every(({ id, type, bytes }) => {
    const object = reader.read(id)
    return object?.type === type && object.bytes.equals(bytes)
  })

const deepest = (cwd: string): number => {
  const folder = path.join(cwd, '.git/objects/pack')
  const indexes = fs.readdirSync(folder).filter(file => file.endsWith('.idx'))
  const shown = git(folder, ['verify-pack', '-v', ...indexes]).toString()
  return Math.max(0, ...[...shown.matchAll(/chain length = (\d+)/g)].map(match => Number(match[1])))
}

t.test('ids are those of git', { skip: noGit }, async t => {
  const cwd = t.testdir()
  git(cwd, ['init', '-q'])
  for (const content of ['', '{}\n', 'äöü\0\xff']) {
    t.equal(hashObject('blob', Buffer.from(content)), git(cwd, ['hash-object', '--stdin'], content).toString().trim())
  }
  t.equal(hashObject('tree', Buffer.alloc(0)), '4b825dc642cb6eb9a060e54bf8d69288fbee4904')
})

t.test('every object is read, however git has stored it', { skip: noGit }, async t => {
  const cwd = t.testdir()
  const gitDir = repository(cwd, 120)
  const objects = listed(cwd)
  t.same([...new Set(objects.map(object => object.type))].sort(), ['blob', 'commit', 'tag', 'tree'])
  const check = (name: string): void => {
    const reader = new ObjectReader(gitDir)
    t.ok(readsAll(reader, objects), name)
    t.ok(
      objects.every(({ id }) => reader.has(id)),
      `${name}: they are there`,
    )
    t.notOk(reader.has('0'.repeat(40)), `${name}: nothing else is`)
    reader.close()
  }
  check('as fast-import wrote it')

  git(cwd, ['gc', '--aggressive', '--prune=now', '-q'])
  t.ok(deepest(cwd) > 20, 'chains are deep')
  check('gc --aggressive')

  git(cwd, ['-c', 'repack.useDeltaBaseOffset=false', 'repack', '-adfq', '--depth=200', '--window=10'])
  t.ok(deepest(cwd) > 50, "chains are deeper than git's default")
  check('REF_DELTA')

  const folder = path.join(gitDir, 'objects/pack')
  const pack = fs.readdirSync(folder).find(file => file.endsWith('.pack'))!
  const index = path.join(folder, pack.replace(/pack$/, 'idx'))
  fs.rmSync(index)
  git(cwd, ['index-pack', '--index-version=2,0x100', '-o', index, path.join(folder, pack)])
  t.ok(fs.readFileSync(index).length > 1072 + objects.length * 30, 'the index has its table of 64-bit offsets')
  check('64-bit offsets')

  git(cwd, ['config', 'core.compression', '0'])
  git(cwd, ['repack', '-adFq'])
  check('stored, not deflated')

  const bytes = fs.readFileSync(path.join(folder, fs.readdirSync(folder).find(file => file.endsWith('.pack'))!))
  fs.rmSync(folder, { recursive: true })
  fs.mkdirSync(folder)
  git(cwd, ['unpack-objects', '-q'], bytes)
  t.same(fs.readdirSync(folder), [])
  check('loose')
})

t.test('packs written here, and loose objects and packs of isomorphic-git, are read', async t => {
  const dir = t.testdir()
  await isomorphic.init({ fs, dir, defaultBranch: 'main' })
  const gitDir = path.join(dir, '.git')
  const builder = new PackBuilder()
  const blobs = Array.from({ length: 90 }, (_, i) =>
    Buffer.from(`${'line of text\n'.repeat(500)}${i}\n${'more\n'.repeat(100)}`),
  )
  for (const [i, bytes] of blobs.entries()) {
    const base = blobs[i - 1]
    builder.add('blob', hashObject('blob', bytes), bytes, base && { id: hashObject('blob', base), bytes: base })
  }
  const { name, pack, index } = await builder.finish()
  const folder = path.join(gitDir, 'objects/pack')
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(path.join(folder, `${name}.pack`), pack)
  fs.writeFileSync(path.join(folder, `${name}.idx`), index)
  const reader = new ObjectReader(gitDir)
  t.ok(blobs.every(bytes => reader.read(hashObject('blob', bytes))?.bytes.equals(bytes)))

  const oid = await isomorphic.writeBlob({ fs, dir, blob: Buffer.from('loose') })
  t.equal(reader.read(oid)?.bytes.toString(), 'loose')
  const packed = await isomorphic.packObjects({ fs, dir, oids: [oid], write: true })
  await isomorphic.indexPack({ fs, dir, filepath: `.git/objects/pack/${packed.filename}` })
  fs.rmSync(path.join(gitDir, 'objects', oid.slice(0, 2)), { recursive: true })
  t.equal(reader.read(oid)?.bytes.toString(), 'loose', 'from the pack it moved to')
  reader.close()
})

t.test('what is not there is undefined, and so is what is no id', async t => {
  const reader = new ObjectReader(path.join(t.testdir(), 'nowhere'))
  for (const id of ['0'.repeat(40), '', '../../../etc/passwd', 'HEAD', 'F'.repeat(40)])
    t.equal(reader.read(id), undefined, id)
  reader.refresh()
  reader.close()
})

t.test(
  'new objects are found without a notice, and after close the files are opened again',
  { skip: noGit },
  async t => {
    const cwd = t.testdir()
    const gitDir = repository(cwd, 5)
    const reader = new ObjectReader(gitDir)
    t.ok(readsAll(reader, listed(cwd)))
    git(cwd, ['commit', '-q', '--allow-empty', '-m', 'loose'])
    t.ok(readsAll(reader, listed(cwd)))
    git(cwd, ['repack', '-q'])
    git(cwd, ['prune-packed', '-q'])
    t.ok(readsAll(reader, listed(cwd)))
    reader.close()
    t.ok(readsAll(reader, listed(cwd)))
    reader.close()
  },
)

t.test('packs replaced beneath an open reader, opened by it or not, do no harm', { skip: noGit }, async t => {
  const cwd = t.testdir()
  const gitDir = repository(cwd, 30)
  const warm = new ObjectReader(gitDir)
  const cold = new ObjectReader(gitDir)
  const objects = listed(cwd)
  t.ok(readsAll(warm, objects))
  git(cwd, ['repack', '-adfq', '--depth=3'])
  t.ok(readsAll(warm, objects))
  t.ok(readsAll(cold, objects))
  const held = (): string[] => fs.readdirSync('/proc/self/fd').map(fd => linkOf(`/proc/self/fd/${fd}`))
  warm.refresh()
  cold.refresh()
  if (process.platform === 'linux') {
    t.same(
      held().filter(file => file.startsWith(cwd) && file.endsWith('(deleted)')),
      [],
      'no removed file is held open',
    )
  }
  warm.close()
  cold.close()
  if (process.platform === 'linux')
    t.same(
      held().filter(file => file.startsWith(cwd)),
      [],
      'close closes all',
    )
})

const linkOf = (file: string): string => {
  try {
    return fs.readlinkSync(file)
  } catch {
    return ''
  }
}

t.test('reads go on while another process repacks again and again', { skip: noGit }, async t => {
  const cwd = t.testdir()
  const gitDir = repository(cwd, 40)
  const objects = listed(cwd)
  const reader = new ObjectReader(gitDir)
  const { spawn } = await import('node:child_process')
  const script = 'for i in 1 2 3 4 5 6; do git repack -adfq --depth=$i --window=$i; git repack -adfq --depth=1$i; done'
  const child = spawn('sh', ['-c', script], { cwd, env, stdio: 'ignore' })
  let done = false
  const ended = new Promise(resolve => child.on('exit', resolve)).then(() => (done = true))
  let rounds = 0
  while (!done) {
    // After a close the reader meets the folder in every state.
    if (rounds % 2) reader.close()
    if (!readsAll(reader, objects)) t.fail(`an object was lost in round ${rounds}`)
    rounds++
    await new Promise(resolve => setImmediate(resolve))
  }
  await ended
  t.ok(rounds > 2, `${rounds} rounds`)
  reader.close()
})

t.test('a pack that is away while it is looked for and back when the folder is listed is looked into', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const { stem, objects } = await smallPack(gitDir)
  const ends = ['.idx', '.pack']
  const reader = new ObjectReader(gitDir)
  t.ok(readsAll(reader, objects))
  for (const look of [() => reader.read(objects[0]!.id), () => reader.has(objects[0]!.id)]) {
    reader.close()
    for (const end of ends) fs.renameSync(stem + end, `${stem}.away${end}x`)
    // Looking for a loose file is what comes between the two.
    const { readFileSync, existsSync } = fs
    const back = () => {
      Object.assign(fs, { readFileSync, existsSync })
      for (const end of ends) fs.renameSync(`${stem}.away${end}x`, stem + end)
    }
    fs.readFileSync = ((at: string) => {
      back()
      return readFileSync(at)
    }) as typeof readFileSync
    fs.existsSync = at => {
      back()
      return existsSync(at)
    }
    t.ok(look())
  }
  reader.close()
})

t.test('more packs than it holds open are all read, with a bounded number of files', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const ids: string[] = []
  for (let i = 0; i < 150; i++) {
    const builder = new PackBuilder()
    const bytes = Buffer.from(`content ${i}`)
    const id = hashObject('blob', bytes)
    builder.add('blob', id, bytes)
    ids.push(id)
    const { name, pack, index } = await builder.finish()
    fs.writeFileSync(path.join(gitDir, 'objects/pack', `${name}.pack`), pack)
    fs.writeFileSync(path.join(gitDir, 'objects/pack', `${name}.idx`), index)
  }
  const reader = new ObjectReader(gitDir)
  t.ok(ids.every((id, i) => reader.read(id)?.bytes.toString() === `content ${i}`))
  if (process.platform === 'linux') {
    const held = fs.readdirSync('/proc/self/fd').filter(fd => linkOf(`/proc/self/fd/${fd}`).startsWith(gitDir))
    t.equal(held.length, 128)
  }
  reader.close()
})

t.test('an object beyond 4 GiB is found in a pack with holes', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const builder = new PackBuilder()
  const bytes = Buffer.from('far away')
  const id = hashObject('blob', bytes)
  builder.add('blob', id, bytes)
  const { pack } = await builder.finish()
  const checksum = pack.subarray(-20)
  const offset = 2 ** 32 + 4711
  const stem = path.join(gitDir, 'objects/pack/pack-far')
  const fd = fs.openSync(`${stem}.pack`, 'w')
  fs.writeSync(fd, pack.subarray(0, 12), 0, 12, 0)
  fs.writeSync(fd, pack.subarray(12), 0, pack.length - 12, offset)
  fs.closeSync(fd)
  fs.writeFileSync(`${stem}.idx`, await renderIndex([{ id, offset, crc: 0 }], checksum, slices()))
  const reader = new ObjectReader(gitDir)
  t.equal(reader.read(id)?.bytes.toString(), 'far away')
  reader.close()
})

/** A pack of a text, two deltas and a tree, with its files' paths. */
const smallPack = async (gitDir: string) => {
  const builder = new PackBuilder()
  const objects: Listed[] = []
  let base: { id: string; bytes: Buffer } | undefined
  for (const change of ['one', 'two', 'three']) {
    const bytes = Buffer.from(`${'a text that stays '.repeat(35)}${change}${' and its end'.repeat(5)}`)
    const id = hashObject('blob', bytes)
    builder.add('blob', id, bytes, base)
    objects.push({ id, type: 'blob', bytes })
    base = { id, bytes }
  }
  const commit = Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n')
  const id = hashObject('commit', commit)
  builder.add('commit', id, commit)
  objects.push({ id, type: 'commit', bytes: commit })
  const { name, pack, index } = await builder.finish()
  const stem = path.join(gitDir, 'objects/pack', name)
  fs.writeFileSync(`${stem}.pack`, pack)
  fs.writeFileSync(`${stem}.idx`, index)
  return { stem, objects, pack, index }
}

/** The right bytes, a Failure, or nothing; never an object that is not what its id says. */
const neverWrong = (gitDir: string, objects: Listed[]): { wrong: number; failed: number; missing: number } => {
  const result = { wrong: 0, failed: 0, missing: 0 }
  const reader = new ObjectReader(gitDir)
  for (const { id, type, bytes } of objects) {
    try {
      const object = reader.read(id)
      if (object === undefined) result.missing++
      else if (object.type !== type || !object.bytes.equals(bytes)) result.wrong++
    } catch (error) {
      if (error instanceof Failure && error.code === 'unavailable' && error.message.includes(id)) result.failed++
      else result.wrong++
    }
  }
  reader.close()
  return result
}

t.test('whichever byte of a pack is flipped, no wrong byte is served', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const { stem, objects, pack } = await smallPack(gitDir)
  t.same(neverWrong(gitDir, objects), { wrong: 0, failed: 0, missing: 0 })
  let harmless = 0
  for (let at = 0; at < pack.length; at++) {
    for (const mask of [0x01, 0x80, 0xff]) {
      const bytes = Buffer.from(pack)
      bytes[at]! ^= mask
      fs.writeFileSync(`${stem}.pack`, bytes)
      const { wrong, failed, missing } = neverWrong(gitDir, objects)
      if (wrong || missing) t.fail(`byte ${at} ^ ${mask}: ${wrong} wrong, ${missing} missing`)
      if (failed === 0) harmless++
    }
  }
  t.ok(harmless < 20, `${harmless} flips went unnoticed, in bits that mean nothing (zlib's header, the pack version)`)
})

t.test('whichever byte of an index is flipped, no wrong byte is served', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const { stem, objects, index } = await smallPack(gitDir)
  for (let at = 0; at < index.length; at++) {
    const bytes = Buffer.from(index)
    bytes[at]! ^= 0xff
    fs.writeFileSync(`${stem}.idx`, bytes)
    const { wrong } = neverWrong(gitDir, objects)
    if (wrong) t.fail(`byte ${at}: ${wrong} wrong`)
  }
  t.pass()
})

t.test('wherever a pack or an index is cut off, it is refused', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const { stem, objects, pack, index } = await smallPack(gitDir)
  for (const [file, whole] of [[`${stem}.pack`, pack] as const, [`${stem}.idx`, index] as const]) {
    for (let length = 0; length < whole.length; length += 7) {
      fs.writeFileSync(file, whole.subarray(0, length))
      const result = neverWrong(gitDir, objects)
      if (result.failed !== objects.length)
        t.fail(`${path.basename(file)} cut to ${length} bytes: ${JSON.stringify(result)}`)
    }
    fs.writeFileSync(file, whole)
  }
  t.same(neverWrong(gitDir, objects), { wrong: 0, failed: 0, missing: 0 })
})

t.test('a pack without index, an index without pack and foreign files are passed over', async t => {
  const gitDir = t.testdir({
    objects: { pack: { 'pack-a.pack': 'x', 'pack-b.idx': 'x', tmp_pack_c: '', 'pack-d.keep': '' } },
  })
  const { objects } = await smallPack(gitDir)
  t.same(neverWrong(gitDir, objects), { wrong: 0, failed: 0, missing: 0 })
  t.equal(new ObjectReader(gitDir).read('0'.repeat(40)), undefined)
})

t.test('a damaged loose object is refused by id', { skip: noGit }, async t => {
  const cwd = t.testdir()
  git(cwd, ['init', '-q'])
  const content = 'the right content '.repeat(20)
  const id = git(cwd, ['hash-object', '-w', '--stdin'], content).toString().trim()
  const other = git(cwd, ['hash-object', '-w', '--stdin'], 'another').toString().trim()
  const fileOf = (id: string): string => path.join(cwd, '.git/objects', id.slice(0, 2), id.slice(2))
  const good = fs.readFileSync(fileOf(id))
  fs.chmodSync(fileOf(id), 0o644)
  const objects: Listed[] = [{ id, type: 'blob', bytes: Buffer.from(content) }]
  const gitDir = path.join(cwd, '.git')
  for (const bytes of [Buffer.alloc(0), good.subarray(0, 20), fs.readFileSync(fileOf(other)), Buffer.from('no zlib')]) {
    fs.writeFileSync(fileOf(id), bytes)
    t.same(neverWrong(gitDir, objects), { wrong: 0, failed: 1, missing: 0 })
  }
  for (let at = 0; at < good.length; at++) {
    const bytes = Buffer.from(good)
    bytes[at]! ^= 0x55
    fs.writeFileSync(fileOf(id), bytes)
    if (neverWrong(gitDir, objects).wrong) t.fail(`byte ${at}`)
  }
})

t.test('a ring of deltas ends', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const { stem, pack, objects } = await smallPack(gitDir)
  const [first, second] = objects as [Listed, Listed]
  // Two entries that each name the other as the base of an empty delta.
  const ring = (base: string): Buffer =>
    Buffer.concat([Buffer.of(0x70), Buffer.from(base, 'hex'), Buffer.from('789c030000000001', 'hex')])
  const header = Buffer.from(pack.subarray(0, 12))
  header.writeUInt32BE(2, 8)
  const entries = [ring(second.id), ring(first.id)]
  const checksum = Buffer.alloc(20, 1)
  fs.writeFileSync(`${stem}.pack`, Buffer.concat([header, ...entries, checksum]))
  const places = [
    { id: first.id, crc: 0, offset: 12 },
    { id: second.id, crc: 0, offset: 12 + entries[0]!.length },
  ]
  fs.writeFileSync(`${stem}.idx`, await renderIndex(places, checksum, slices()))
  t.throws(() => new ObjectReader(gitDir).read(first.id), { code: 'unavailable', message: /endless chain/ })
})

t.test('an entry that claims more than deflate can hold is refused before any memory is allocated', async t => {
  const gitDir = t.testdir({ objects: { pack: {} } })
  const id = '1'.repeat(40)
  const stem = path.join(gitDir, 'objects/pack/pack-bomb')
  const checksum = Buffer.alloc(20, 1)
  // A blob of 2^46 bytes.
  const entry = Buffer.concat([
    Buffer.from([0xb0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]),
    Buffer.from('789c030000000001', 'hex'),
  ])
  fs.writeFileSync(`${stem}.pack`, Buffer.concat([Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'), entry, checksum]))
  fs.writeFileSync(`${stem}.idx`, await renderIndex([{ id, crc: 0, offset: 12 }], checksum, slices()))
  t.throws(() => new ObjectReader(gitDir).read(id), { code: 'unavailable', message: /impossible size/ })
})
