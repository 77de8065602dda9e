import { execFileSync, spawnSync } from 'node:child_process'
import fc from 'fast-check'
import t from 'tap'
import { Failure } from '../../../src/bundle/errors.ts'
import { Tree, type TreeEntry } from '../../../src/store/objects/tree.ts'

const noGit = spawnSync('git', ['--version']).status === 0 ? false : 'there is no system git to judge by'
const git = (cwd: string, args: string[], input = ''): string =>
  execFileSync('git', args, { cwd, input, encoding: 'utf8' }).trim()

const idOf = (n: number): string => n.toString(16).padStart(40, '0')
const blob = (name: string, n = 1): TreeEntry => ({ name, kind: 'blob', id: idOf(n) })
const folder = (name: string, n = 1): TreeEntry => ({ name, kind: 'tree', id: idOf(n) })
const without = (tree: Tree, name: string): Tree => tree.changed([{ name, kind: 'blob', id: null }])
/** The server puts plain entries; any other mode of a file is patched in. */
const put = (tree: Tree, { mode, ...entry }: TreeEntry): Tree => {
  const plain = tree.changed([entry])
  if (mode === undefined) return plain
  const bytes = Buffer.from(plain.bytes)
  bytes.write(mode, bytes.indexOf(`100644 ${entry.name}\0`), 'latin1')
  return Tree.parse(bytes)
}
const treeOf = (entries: TreeEntry[]): Tree => entries.reduce(put, Tree.EMPTY)

/** git's trees of the same entries; it sorts them itself. */
const mktrees = (cwd: string, trees: Iterable<TreeEntry>[]): string[] => {
  const types: Record<string, string> = { '40000': 'tree', '160000': 'commit' }
  const lines = trees.map(entries =>
    Array.from(entries, ({ name, kind, id, mode = kind === 'tree' ? '40000' : '100644' }) => {
      return `${mode.padStart(6, '0')} ${types[mode] ?? 'blob'} ${id}\t${name}\0`
    }).join(''),
  )
  return git(cwd, ['mktree', '-z', '--missing', '--batch'], `${lines.join('\0')}\0`).split('\n')
}

t.test('the empty tree', async t => {
  t.equal(Tree.EMPTY.id, '4b825dc642cb6eb9a060e54bf8d69288fbee4904')
  t.same(Tree.EMPTY.entries(), [])
  t.equal(Tree.EMPTY.get('a'), undefined)
  t.equal(without(Tree.EMPTY, 'a'), Tree.EMPTY)
  t.equal(Tree.parse(Buffer.alloc(0)), Tree.EMPTY)
  t.equal(without(treeOf([blob('a')]), 'a'), Tree.EMPTY)
})

t.test('a folder sorts as if its name ended in a slash', async t => {
  const tree = treeOf([folder('a'), blob('a.json'), blob('a-b'), blob('a0'), folder('ab'), blob('Z'), blob('é')])
  t.same(
    tree.entries().map(entry => entry.name),
    ['Z', 'a-b', 'a.json', 'a', 'a0', 'ab', 'é'],
  )
  for (const entry of tree.entries()) t.same(tree.get(entry.name), entry)
  for (const name of ['', 'a/', 'A', 'a.', 'a.jso', 'a.json0', 'e', 'aa']) t.equal(tree.get(name), undefined, name)
})

t.test('names in any case', async t => {
  const names = ['Web', 'web', 'WEB.x', 'we', 'web-2', 'WEb', 'a', 'Z', '@b', '`b', 'web/']
  const tree = treeOf([
    ...names.slice(0, 6).map(name => blob(name)),
    folder('wEB'),
    ...names.slice(6, 10).map(name => blob(name)),
  ])
  for (const name of [...names, 'wEb', 'A', 'z', '', 'w', '`B', 'webs']) {
    const like = tree.entries().filter(entry => entry.name.toLowerCase() === name.toLowerCase())
    t.same(tree.namesLike(name).sort(), like.map(entry => entry.name).sort(), name)
  }
  t.same(Tree.EMPTY.namesLike('a'), [])
})

t.test('trees do not change, and versions with the same names do not mix up their ids', async t => {
  const first = treeOf([blob('a', 1), blob('b', 2)])
  const before = first.id
  const second = put(first, blob('a', 3))
  const third = without(put(second, blob('aa', 4)), 'b')
  t.equal(first.id, before)
  t.equal(first.get('a')?.id, idOf(1))
  t.equal(second.get('a')?.id, idOf(3))
  t.equal(second.get('b')?.id, idOf(2))
  t.same(
    third.entries().map(entry => entry.name),
    ['a', 'aa'],
  )
  t.equal(put(first, blob('a', 1)), first, 'what changes nothing is the same tree')
  t.equal(without(first, 'c'), first)
})

t.test('many changes at once are what they are one after the other', async t => {
  const name = fc.stringMatching(/^[a-c]{1,2}[.-]?[a-c]?$/)
  const entry = fc.record({
    name,
    kind: fc.constantFrom('blob', 'tree') as fc.Arbitrary<TreeEntry['kind']>,
    n: fc.nat(3),
  })
  const before = fc.array(fc.record({ entry, executable: fc.boolean() }), { maxLength: 20 })
  const change = fc.record({ entry, goes: fc.boolean() })
  const after = fc.uniqueArray(change, { maxLength: 20, selector: ({ entry }) => entry.name })
  const property = fc.property(before, after, (before, after) => {
    const tree = before.reduce((tree, { entry: { name, kind, n }, executable }) => {
      const mode = kind === 'blob' && executable ? { mode: '100755' } : {}
      return put(tree, { name, kind, id: idOf(n), ...mode })
    }, Tree.EMPTY)
    const changes = after.map(({ entry: { name, kind, n }, goes }) => ({ name, kind, id: goes ? null : idOf(n) }))
    const each = changes.reduce((tree, change) => Tree.parse(tree.changed([change]).bytes), tree)
    const all = tree.changed(changes)
    t.strictSame(all.entries(), each.entries())
    t.equal(all.id, each.id)
    if (each.id === tree.id) t.equal(all, tree)
    for (const { name } of all.entries()) t.strictSame(all.get(name), each.get(name))
  })
  fc.assert(property, { numRuns: 500 })
})

t.test('a name is there once, file or folder', async t => {
  const tree = treeOf([blob('a.b'), blob('a'), folder('a', 2)])
  t.same(tree.entries(), [blob('a.b'), folder('a', 2)])
  t.same(put(tree, blob('a', 3)).entries(), [blob('a', 3), blob('a.b')])
})

t.test(
  'modes that are not ours are read, preserved, and replaced by the plain one when the entry is written again',
  async t => {
    const odd: TreeEntry[] = [
      { ...blob('exe'), mode: '100755' },
      { ...blob('link'), mode: '120000' },
      { ...blob('sub'), mode: '160000' },
    ]
    const tree = treeOf([...odd, folder('src')])
    t.same(Tree.parse(tree.bytes).entries(), [odd[0], odd[1], folder('src'), odd[2]])
    const changed = without(put(put(tree, blob('new', 5)), folder('src', 6)), 'exe')
    t.same(changed.get('link'), odd[1])
    t.same(changed.get('sub'), odd[2])
    t.same(put(tree, blob('exe', 7)).get('exe'), blob('exe', 7))
  },
)

t.test('a zero-padded mode and a name that is not UTF-8 survive a rewrite byte for byte', async t => {
  const id = Buffer.alloc(20, 7)
  const old = Buffer.concat([Buffer.from('040000 a\0'), id, Buffer.from('100644 \xff\xfe\0', 'latin1'), id])
  const tree = Tree.parse(old)
  t.same(tree.get('a'), { name: 'a', kind: 'tree', id: id.toString('hex'), mode: '040000' })
  const back = without(put(tree, blob('b')), 'b')
  t.ok(back.bytes.equals(old))
})

t.test('entries git could not hold are refused', async t => {
  for (const name of ['', '.', '..', '.git', '.GIT', 'a/b', 'a\0b', '\ud800']) {
    t.throws(() => put(Tree.EMPTY, blob(name)), { name: 'Failure', code: 'invalid' }, JSON.stringify(name))
  }
  for (const id of ['', 'abc', idOf(1).toUpperCase().replaceAll('0', 'A'), `${idOf(1)}0`]) {
    t.throws(() => put(Tree.EMPTY, { ...blob('a'), id }), { code: 'invalid' }, id)
  }
})

t.test('malformed trees are refused by id, never half read', async t => {
  const good = treeOf([blob('a'), blob('b'), folder('c')]).bytes
  const cases: Record<string, Buffer> = {
    'cut in an id': good.subarray(0, good.length - 1),
    'cut in a name': Buffer.from('100644 a'),
    'no mode': Buffer.concat([Buffer.from(' a\0'), Buffer.alloc(20)]),
    'no name': Buffer.concat([Buffer.from('100644 \0'), Buffer.alloc(20)]),
    'a mode of letters': Buffer.concat([Buffer.from('10x644 a\0'), Buffer.alloc(20)]),
    'a mode too long': Buffer.concat([Buffer.from('1006440 a\0'), Buffer.alloc(20)]),
    unsorted: Buffer.concat([treeOf([blob('b')]).bytes, treeOf([blob('a')]).bytes]),
    'a name twice': Buffer.concat([treeOf([blob('a')]).bytes, treeOf([blob('a')]).bytes]),
  }
  for (const [name, bytes] of Object.entries(cases)) {
    const tree = Tree.parse(bytes)
    t.throws(() => tree.get('a'), { name: 'Failure', code: 'unavailable', message: new RegExp(tree.id) }, name)
    t.throws(() => tree.entries(), Failure, name)
  }
  for (let length = 1; length < good.length; length++) {
    const whole = length % 29 === 0
    if (!whole) t.throws(() => Tree.parse(good.subarray(0, length)).entries(), Failure, `cut at ${length}`)
  }
})

t.test('git agrees with every tree that random edits lead to', { skip: noGit }, async t => {
  const cwd = t.testdir()
  git(cwd, ['init', '-q'])
  const name = fc.oneof(
    fc.constantFrom('a', 'a.b', 'a-b', 'a0', 'ab', 'A', 'de', 'de-AT', 'de.json', 'ü', '\u{1f600}', '\uffee', ' x'),
    fc.string({ unit: fc.constantFrom('a', '.', '-', '/', '0', '\u00e9', '\u{10000}'), minLength: 1, maxLength: 4 }),
  )
  const valid = name.filter(candidate => !candidate.includes('/') && candidate !== '.' && candidate !== '..')
  const built: { id: string; entries: TreeEntry[] }[] = []
  const edit = fc.record({ name: valid, remove: fc.boolean(), folder: fc.boolean(), n: fc.nat(999), exe: fc.boolean() })
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 40, size: 'max' }), edits => {
      let tree = Tree.EMPTY
      const model = new Map<string, TreeEntry>()
      for (const { name, remove, folder: isFolder, n, exe } of edits) {
        const entry = isFolder ? folder(name, n) : exe ? { ...blob(name, n), mode: '100755' } : blob(name, n)
        if (remove) model.delete(name)
        else model.set(name, entry)
        tree = remove ? without(tree, name) : put(tree, entry)
      }
      for (const entry of model.values()) t.same(tree.get(entry.name), entry)
      const again = Tree.parse(tree.bytes)
      t.same(again.entries(), tree.entries())
      built.push({ id: tree.id, entries: [...model.values()] })
      return tree.entries().length === model.size
    }),
    { numRuns: 60 },
  )
  const expected = mktrees(
    cwd,
    built.map(({ entries }) => entries),
  )
  for (const [at, { id, entries }] of built.entries()) t.equal(id, expected[at], JSON.stringify(entries))
})

t.test("a large folder, built in any order, equals git's", { skip: noGit }, async t => {
  const cwd = t.testdir()
  git(cwd, ['init', '-q'])
  const entries = Array.from({ length: 3000 }, (_, i) => (i % 3 ? blob(`n${i}.json`, i) : folder(`n${i}`, i)))
  const [expected] = mktrees(cwd, [entries])
  const shuffled = entries.map((entry, i) => ({ entry, at: (i * 7919) % 3000 })).sort((a, b) => a.at - b.at)
  const tree = treeOf(shuffled.map(({ entry }) => entry))
  t.equal(tree.id, expected)
  t.ok(entries.every(entry => tree.get(entry.name)?.id === entry.id))
})
