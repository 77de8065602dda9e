import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import git from 'isomorphic-git'
import t from 'tap'
import { hashObject, type ObjectType } from '../../../src/store/objects/objects.ts'
import { type FinishedPack, PackBuilder } from '../../../src/store/objects/pack-builder.ts'
import { Tree } from '../../../src/store/objects/tree.ts'

const noGit = spawnSync('git', ['--version']).status === 0 ? false : 'there is no system git to judge by'
const run = (cwd: string, args: string[]): string => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: 'pipe' })

const bundle = (keys: number, changed: number, value: string): Buffer => {
  const lines = Array.from({ length: keys }, (_, i) => {
    const noise = createHash('md5').update(String(i)).digest('hex')
    return `  "section.item${i}.label": "Text ${noise} ${i === changed ? value : 'for the user'}"`
  })
  return Buffer.from(`{\n${lines.join(',\n')}\n}\n`)
}

interface History {
  builder: PackBuilder
  head: string
  objects: { type: ObjectType; id: string; bytes: Buffer }[]
}

/** A history of one bundle per commit, as the store writes it. */
const history = (commits: number, keys = 250): History => {
  const builder = new PackBuilder()
  const objects: History['objects'] = []
  const add = (
    type: ObjectType,
    bytes: Buffer,
    base?: { id: string; bytes: Buffer },
  ): { id: string; bytes: Buffer } => {
    const id = hashObject(type, bytes)
    builder.add(type, id, bytes, base)
    objects.push({ type, id, bytes })
    return { id, bytes }
  }
  let blob: { id: string; bytes: Buffer } | undefined
  let tree = Tree.EMPTY
  let head = ''
  for (let i = 0; i < commits; i++) {
    blob = add('blob', bundle(keys, i % keys, `for the user ${i}`), blob)
    const next = tree.changed([{ name: `common${i % 20}.json`, kind: 'blob', id: blob.id }])
    add('tree', next.bytes, tree)
    tree = next
    const who = `Ann <ann@example.com> ${1700000000 + i} +0000`
    const parent = head === '' ? '' : `parent ${head}\n`
    head = add('commit', Buffer.from(`tree ${tree.id}\n${parent}author ${who}\ncommitter ${who}\n\nchange ${i}\n`)).id
  }
  return { builder, head, objects }
}

const save = (cwd: string, { name, pack, index }: FinishedPack): string => {
  const stem = path.join(cwd, '.git/objects/pack', name)
  fs.writeFileSync(`${stem}.pack`, pack)
  fs.writeFileSync(`${stem}.idx`, index)
  return stem
}

t.test('git accepts a pack of 150 commits and builds the same index of it', { skip: noGit }, async t => {
  const cwd = t.testdir()
  run(cwd, ['init', '-q', '-b', 'main'])
  const { builder, head, objects } = history(150)
  const finished = await builder.finish()
  const stem = save(cwd, finished)
  fs.writeFileSync(path.join(cwd, '.git/refs/heads/main'), `${head}\n`)

  const own = path.join(cwd, 'own.idx')
  const name = run(cwd, ['index-pack', '--strict', '-o', own, `${stem}.pack`]).trim()
  t.equal(`pack-${name}`, finished.name)
  t.ok(fs.readFileSync(own).equals(finished.index), 'byte for byte')
  t.equal(run(cwd, ['fsck', '--full', '--strict', '--no-dangling']), '')
  t.equal(run(cwd, ['rev-list', '--count', 'main']).trim(), '150')
  const verified = run(cwd, ['verify-pack', '-v', `${stem}.idx`])
  t.match(verified, /: ok/)
  const depths = [...verified.matchAll(/chain length = (\d+)/g)].map(match => Number(match[1]))
  t.equal(Math.max(...depths), 40)
  for (const { id, type, bytes } of objects.slice(-60)) {
    t.ok(execFileSync('git', ['cat-file', type, id], { cwd }).equals(bytes), `${type} ${id}`)
  }
})

t.test('isomorphic-git reads the pack', { skip: noGit }, async t => {
  const dir = t.testdir()
  await git.init({ fs, dir, defaultBranch: 'main' })
  const { builder, head, objects } = history(50)
  fs.mkdirSync(path.join(dir, '.git/objects/pack'), { recursive: true })
  save(dir, await builder.finish())
  fs.writeFileSync(path.join(dir, '.git/refs/heads/main'), `${head}\n`)
  t.equal((await git.log({ fs, dir, cache: {} })).length, 50)
  const cache = {}
  for (const { id, type, bytes } of objects) {
    const read = await git.readObject({ fs, dir, oid: id, format: 'content', cache })
    t.ok(read.type === type && Buffer.from(read.object as Uint8Array).equals(bytes), `${type} ${id}`)
  }
})

t.test('the builder gives back what it holds, before and after it is finished', async t => {
  const { builder, objects } = history(100)
  const check = (): boolean =>
    objects.every(({ id, type, bytes }) => {
      const got = builder.get(id)
      return builder.has(id) && got?.type === type && got.bytes.equals(bytes)
    })
  t.ok(check())
  t.equal(builder.count, 300)
  t.ok(builder.bytes < 400_000, `a hundred bundles of 23 KB are held as deltas, ${builder.bytes} bytes`)
  await builder.finish()
  t.ok(check())
  t.equal(builder.get('0'.repeat(40)), undefined)
  t.notOk(builder.has('0'.repeat(40)))
})

t.test('the same objects in the same order give the same bytes', async t => {
  const first = history(60)
  const finished = await first.builder.finish()
  t.same(await first.builder.finish(), finished)
  t.same(await history(60).builder.finish(), finished)
})

t.test('finishing in slices lets the event loop go on', async t => {
  const builder = new PackBuilder()
  for (let i = 0; i < 400; i++) {
    const bytes = bundle(250, i % 250, `unlike ${i}`)
    builder.add('blob', hashObject('blob', bytes), bytes)
  }
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await builder.finish()
  clearImmediate(timer)
  t.ok(turns > 20, `${turns} turns of the loop`)
})

t.test('an object added twice is written once, and nothing can come too late', async t => {
  const builder = new PackBuilder()
  const bytes = Buffer.from('{}\n')
  const id = hashObject('blob', bytes)
  builder.add('blob', id, bytes)
  builder.add('blob', id, bytes)
  t.equal(builder.count, 1)
  t.equal(builder.bytes, 3)
  await builder.finish()
  t.throws(() => builder.add('blob', hashObject('blob', Buffer.from('x')), Buffer.from('x')), /too late/)
})

t.test('what was added last can be dropped, and added again', async t => {
  const { builder, objects } = history(3)
  const whole = await history(3).builder.finish()
  const { bytes } = builder
  const added = Buffer.from('added')
  const id = hashObject('blob', added)
  builder.add('blob', id, added)
  builder.truncate(objects.length)
  t.equal(builder.get(id), undefined)
  t.same([builder.count, builder.bytes], [objects.length, bytes])
  builder.truncate(objects.length)
  builder.add('blob', id, added)
  t.same(builder.get(id)?.bytes, added)
  builder.truncate(objects.length)
  t.same(await builder.finish(), whole)
  t.throws(() => builder.truncate(0), /finished pack/)
})

t.test('a base is used only where it may and pays', { skip: noGit }, async t => {
  const cwd = t.testdir()
  run(cwd, ['init', '-q'])
  const builder = new PackBuilder()
  const put = (type: ObjectType, text: string, base?: string): void => {
    const bytes = Buffer.from(text)
    const of = base === undefined ? undefined : { id: hashObject(type, Buffer.from(base)), bytes: Buffer.from(base) }
    builder.add(type, hashObject(type, bytes), bytes, of)
  }
  const long = 'a long line of text '.repeat(40)
  put('blob', long)
  put('blob', '', long)
  put('blob', 'x', long)
  put('blob', `${long}!`, long)
  put('blob', `${long}?`, 'not in this pack')
  put('blob', 'wholly another text, which shares nothing with the base', long)
  builder.add('tag', hashObject('tag', Buffer.from(long)), Buffer.from(long), {
    id: hashObject('blob', Buffer.from(long)),
    bytes: Buffer.from(long),
  })
  const stem = save(cwd, await builder.finish())
  const rows = run(cwd, ['verify-pack', '-v', `${stem}.idx`])
    .split('\n')
    .filter(line => / (blob|tag) /.test(line))
  t.equal(rows.length, 7)
  const deltas = rows.filter(row => row.split(/\s+/).length === 7)
  t.equal(deltas.length, 1)
  t.match(deltas[0], new RegExp(`^${hashObject('blob', Buffer.from(`${long}!`))}`))
})

t.test(
  'objects of every size around the limits of stored and deflated entries are read by git',
  { skip: noGit },
  async t => {
    const cwd = t.testdir()
    run(cwd, ['init', '-q'])
    const builder = new PackBuilder()
    const sizes = [0, 1, 14, 15, 16, 17, 511, 512, 513, 2047, 2048, 65535, 65536, 300_000]
    for (const size of sizes) {
      const bytes = Buffer.alloc(size, `size ${size}`)
      builder.add('blob', hashObject('blob', bytes), bytes)
    }
    const stem = save(cwd, await builder.finish())
    run(cwd, ['index-pack', '--strict', '-o', path.join(cwd, 'own.idx'), `${stem}.pack`])
    t.ok(fs.readFileSync(path.join(cwd, 'own.idx')).equals(fs.readFileSync(`${stem}.idx`)))
  },
)

t.test('an empty pack is one git accepts', { skip: noGit }, async t => {
  const cwd = t.testdir()
  run(cwd, ['init', '-q'])
  const stem = save(cwd, await new PackBuilder().finish())
  run(cwd, ['index-pack', '-o', path.join(cwd, 'own.idx'), `${stem}.pack`])
  t.ok(fs.readFileSync(path.join(cwd, 'own.idx')).equals(fs.readFileSync(`${stem}.idx`)))
})

t.test('git reads back all that is packed, in any order and against any base', { skip: noGit }, async t => {
  const cwd = t.testdir()
  run(cwd, ['init', '-q'])
  const content = fc.record({ head: fc.nat(900), change: fc.string({ maxLength: 30 }), base: fc.nat(20) })
  await fc.assert(
    fc.asyncProperty(fc.array(content, { minLength: 1, maxLength: 20, size: 'max' }), async contents => {
      const builder = new PackBuilder()
      const blobs: { id: string; bytes: Buffer }[] = []
      for (const { head, change, base } of contents) {
        const bytes = Buffer.from(`${'same text '.repeat(head).slice(0, head)}${change}${'tail '.repeat(90)}`)
        const blob = { id: hashObject('blob', bytes), bytes }
        builder.add('blob', blob.id, bytes, blobs[base])
        blobs.push(blob)
      }
      const finished = await builder.finish()
      const stem = save(cwd, finished)
      const output = execFileSync('git', ['cat-file', '--batch'], {
        cwd,
        input: blobs.map(blob => `${blob.id}\n`).join(''),
      })
      for (const file of [`${stem}.pack`, `${stem}.idx`]) fs.rmSync(file)
      const expected = blobs.flatMap(({ id, bytes }) => [
        Buffer.from(`${id} blob ${bytes.length}\n`),
        bytes,
        Buffer.from('\n'),
      ])
      return (
        output.equals(Buffer.concat(expected)) && blobs.every(({ id, bytes }) => builder.get(id)?.bytes.equals(bytes))
      )
    }),
    { numRuns: 40 },
  )
})
