import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { parseBundle, renderBundle } from '../../../src/bundle/canonical.ts'
import { gapsOf } from '../../../src/bundle/leaf-changes.ts'
import { join, type LeafName } from '../../../src/bundle/message.ts'
import type { Bundle } from '../../../src/bundle/resource.ts'
import { shown } from '../../../src/cli/sync/conflicts.ts'
import { type Base, fateOf, type Merge, merge, resolved, textOf, withLeaves } from '../../../src/cli/sync/merge.ts'
import { resource, text } from '../../bundle/resources.ts'

type Content = Record<string, unknown>
const bundle = (content: object): Bundle => parseBundle(Buffer.from(JSON.stringify(content)), 'i18next-json')
const contentOf = (made: Bundle): Content => JSON.parse(renderBundle(made).toString())
const texts = (made: Bundle): [string, string][] =>
  made.tree.entries().flatMap(entry => entry.leaves().map(([leaf, text]): [string, string] => [join(leaf), text]))
const baseOf =
  (known?: Bundle): Base =>
  leaf =>
    known && (textOf(known, leaf) ?? null)
const merged = (base: Content | undefined, local: Content, server: Content): Merge =>
  merge(bundle(local), bundle(server), baseOf(base && bundle(base)))
const pulled = ({ local, server, pull }: Merge) => contentOf(withLeaves(local, server, pull))
const pushed = ({ local, server, push }: Merge) => contentOf(withLeaves(server, local, push))
const pruned = ({ local, server, push, deleted }: Merge) => contentOf(withLeaves(server, local, [...push, ...deleted]))
const names = (leaves: LeafName[]) => leaves.map(join).sort()

t.test('one leaf', async t => {
  const rows: [string, string | null | undefined, string | undefined, string | undefined, string][] = [
    ['equal', 'x', 'x', 'x', 'same'],
    ['both made it', null, 'x', 'x', 'same'],
    ['both deleted it', 'x', undefined, undefined, 'same'],
    ['changed there', 'x', 'x', 'y', 'pull'],
    ['new there', null, undefined, 'y', 'pull'],
    ['deleted there', 'x', 'x', undefined, 'pull'],
    ['blanked there', 'x', 'x', '', 'pull'],
    ['changed here', 'x', 'y', 'x', 'push'],
    ['new here', null, 'y', undefined, 'push'],
    ['new here, waiting there', null, 'y', '', 'push'],
    ['deleted here', 'x', undefined, 'x', 'deleted'],
    ['deleted here, blanked there', 'x', undefined, '', 'deleted'],
    ['deleted here, edited there', 'x', undefined, 'y', 'pull'],
    ['deleted here, translated there', '', undefined, 'y', 'pull'],
    ['deleted there, edited here', 'x', 'y', undefined, 'conflict'],
    ['edited by both', 'x', 'y', 'z', 'conflict'],
    ['made by both', null, 'y', 'z', 'conflict'],
    ['nothing said here', 'x', '', 'x', 'pull'],
    ['nothing said here, edited there', 'x', '', 'z', 'pull'],
    ['nothing said here, deleted there', 'x', '', undefined, 'pull'],
    ['waiting here, not there', null, '', undefined, 'same'],
    ['unknown, here alone', undefined, 'y', undefined, 'push'],
    ['unknown, there alone', undefined, undefined, 'z', 'pull'],
    ['unknown, waiting here', undefined, '', 'z', 'pull'],
    ['unknown, waiting here alone', undefined, '', undefined, 'same'],
    ['unknown, waiting there', undefined, 'y', '', 'push'],
    ['unknown, two texts', undefined, 'y', 'z', 'conflict'],
  ]
  for (const [name, base, local, server, fate] of rows) t.equal(fateOf(base, local, server), fate, name)
})

t.test('a file', async t => {
  const base = { nav: { home: 'Home', help: 'Help' }, old: 'Old', gone: 'Gone' }
  const made = merged(
    base,
    { nav: { home: 'Start', help: 'Help', about: 'About' }, old: 'Old' },
    { nav: { home: 'Home', help: 'Support' }, gone: 'Gone', 'Hello. World': 'Hi' },
  )
  t.strictSame(made.conflicts, [])
  t.strictSame(pulled(made), { 'Hello. World': 'Hi', nav: { about: 'About', help: 'Support', home: 'Start' } })
  t.strictSame(pushed(made), {
    'Hello. World': 'Hi',
    gone: 'Gone',
    nav: { about: 'About', help: 'Support', home: 'Start' },
  })
  t.strictSame(pruned(made), pulled(made))
  t.strictSame(names(made.deleted), ['gone'])
})

t.test('the forms of a plural, and contexts, merge one by one', async t => {
  const base = { item_one: '{{count}} element', item_few: 'el', item_many: 'el', friend: 'Przyjaciel' }
  const made = merged(
    base,
    { ...base, item_few: '{{count}} elementy', friend_female: 'Przyjaciółka' },
    { ...base, item_many: '{{count}} elementów', item_other: '', friend: 'Kolega' },
  )
  const both = { ...base, item_few: '{{count}} elementy', item_many: '{{count}} elementów', item_other: '' }
  t.strictSame(pulled(made), { ...both, friend: 'Kolega', friend_female: 'Przyjaciółka' })
  t.strictSame(pulled(made), pushed(made))
  const one = merged(base, { ...base, item_one: 'a' }, { ...base, item_one: 'b', item_few: 'c' })
  t.strictSame(
    one.conflicts.map(({ leaves: _, ...conflict }) => conflict),
    [{ key: 'item', base: { item_one: '{{count}} element' }, local: { item_one: 'a' }, server: { item_one: 'b' } }],
  )
  t.strictSame(pulled(resolved(one, () => 'local')), { ...base, item_one: 'a', item_few: 'c' })
  t.strictSame(pulled(resolved(one, () => 'server')), { ...base, item_one: 'b', item_few: 'c' })
  t.strictSame(pushed(resolved(one, () => 'local')), { ...base, item_one: 'a', item_few: 'c' })
})

t.test('arrays', async t => {
  const made = merged({ list: ['a', 'b', 'c'] }, { list: ['A', 'b', 'c'] }, { list: ['a', 'b', 'C', 'd'] })
  t.strictSame(pulled(made), { list: ['A', 'b', 'C', 'd'] })
  t.strictSame(pushed(made), { list: ['A', 'b', 'C', 'd'] })
  const mixed = merged({}, {}, { list: [{ t: 'a' }, 'b', [{ u: 'c' }]] })
  t.strictSame(pulled(mixed), { list: [{ t: 'a' }, 'b', [{ u: 'c' }]] }, 'objects and texts as they stand')
  const hole = merged(
    { list: ['a', 'b', 'c'], x: 'x' },
    { list: ['a', 'b', 'c', 'd'], x: 'y' },
    { list: ['a'], x: 'x' },
  )
  t.strictSame(
    hole.conflicts.map(({ leaves: _, ...conflict }) => conflict),
    [
      {
        key: 'list',
        base: { 'list.1': 'b', 'list.2': 'c' },
        local: { 'list.1': 'b', 'list.2': 'c', 'list.3': 'd' },
        server: {},
      },
    ],
  )
  t.strictSame(pulled(resolved(hole, () => 'local')), { list: ['a', 'b', 'c', 'd'], x: 'y' })
  t.strictSame(pushed(resolved(hole, () => 'local')), { list: ['a', 'b', 'c', 'd'], x: 'y' })
  t.strictSame(pulled(resolved(hole, () => 'server')), { list: ['a'], x: 'y' })
  const waiting = merged({}, { list: ['', [''], 'b'], empty: ['', ''] }, {})
  t.strictSame(pushed(waiting), { list: ['', [''], 'b'] }, 'an empty item holds the place of others')
  const gone = merged({ list: ['a'], x: 'x' }, { list: ['a', ''], x: 'x' }, { x: 'x' })
  t.strictSame([gone.conflicts, pulled(gone)], [[], { x: 'x' }], 'and is no conflict')
  const shorter = merged({ list: ['a', 'b'] }, { list: ['a'] }, { list: ['a', 'b'] })
  t.strictSame([names(shorter.deleted), pruned(shorter)], [['list.1'], { list: ['a'] }])
  const unnamed = merged({ '': ['a'] }, { '': ['a', 'b'] }, {})
  t.strictSame(pulled(resolved(unnamed, () => 'server')), {}, 'the empty name is one, too')
  const dotted = merged({ 'a.b': ['a'] }, { 'a.b': 'x', a: { b: ['x'] } }, { 'a.b': 'y' })
  t.strictSame(pulled(resolved(dotted, () => 'server')), { 'a.b': 'y' }, 'a key of the very name of an array')
  const object = merged({ list: ['a', 'b'] }, { list: ['a', 'b'], x: 'x' }, { list: { 1: 'b' } })
  t.strictSame(pulled(object), { list: { 1: 'b' }, x: 'x' }, 'an object there leaves no hole here')
  const back = merged({ list: ['a', 'b'] }, { list: { 1: 'b' } }, { list: ['a', 'b'], x: 'x' })
  t.strictSame(pruned(back), { list: { 1: 'b' }, x: 'x' }, 'nor the other way round')
})

/** Three versions of one file: the second and the third are the first with a few changes. */
const list = fc.record({ list: fc.array(text, { minLength: 1, maxLength: 4 }) })
const content = fc.oneof(
  resource,
  fc.tuple(resource, list).map(([made, array]) => ({ ...made, ...array })),
)
const versions = fc
  .tuple(content, content, content, fc.boolean())
  .map(([one, two, three, related]) => (related ? [one, { ...one, ...two }, { ...one, ...three }] : [one, two, three]))
  .map(contents => {
    try {
      return contents.map(bundle)
    } catch {
      return undefined
    }
  })
  .filter((made): made is Bundle[] => made !== undefined)

t.test('as a slow reference has it, and twice as once', async t => {
  let conflicts = 0
  let arrays = 0
  const property = fc.property(versions, fc.boolean(), fc.boolean(), ([base, local, server], knows, keepsLocal) => {
    const known = knows ? base : undefined
    const made = merge(local!, server!, baseOf(known))
    conflicts += made.conflicts.length
    // Of an array that both changed, one side has all its say.
    const chosen = made.conflicts.filter(({ key, leaves }) => leaves.some(leaf => leaf.key !== key))
    if (chosen.length > 0) arrays++
    const side = keepsLocal ? 'local' : 'server'
    const done = resolved(made, () => side)
    const file = withLeaves(local!, server!, done.pull)
    const stored = withLeaves(server!, local!, [...done.push, ...done.deleted])
    if (gapsOf(file.tree).length + gapsOf(stored.tree).length > 0) throw new Error('a hole')
    const inArray = (name: string) =>
      /(?:^|\.)\d+(?:\.|_|$)/.test(name) || chosen.some(({ key }) => name.startsWith(`${key}.`))
    const wanted = reference(known && texts(known), texts(local!), texts(server!), side)
    const plain = (list: [string, string][]) => list.filter(([name]) => !inArray(name)).sort()
    assert.deepEqual(plain(texts(file)), plain(wanted.file))
    assert.deepEqual(plain(texts(stored)), plain(wanted.stored))
    // What is pulled is what both had last from then on.
    const again = merge(file, server!, baseOf(server))
    if (again.pull.length + again.conflicts.length > 0) throw new Error('a second pull changes something')
    const afterBoth = merge(file, stored, baseOf(stored))
    const left = [afterBoth.push, afterBoth.pull, afterBoth.deleted].map(names)
    if (afterBoth.conflicts.length > 0 || left[0]!.length + left[2]!.length > 0)
      throw new Error(`something is left: ${left}`)
    return true
  })
  fc.assert(property, { numRuns: 800 })
  t.ok(conflicts > 50 && arrays > 0, 'there were conflicts, in arrays too')
})

/** By whole lists of texts, a rule after the other. */
function reference(
  base: [string, string][] | undefined,
  local: [string, string][],
  server: [string, string][],
  side: string,
) {
  const [was, here, there] = [base && new Map(base), new Map(local), new Map(server)]
  const all = new Set([...here.keys(), ...there.keys()])
  const file: [string, string][] = []
  const stored: [string, string][] = []
  for (const name of all) {
    const [l, s] = [here.get(name), there.get(name)]
    const hereSays = l !== '' && (was ? l !== was.get(name) : l !== undefined)
    const thereSays = was ? s !== was.get(name) && !(s === '' && hereSays) : s !== undefined && s !== ''
    let result: string | undefined
    if (l === '' && s === undefined && !was?.has(name)) {
      file.push([name, ''])
      continue
    }
    if (!hereSays) result = s
    else if (!thereSays) result = l
    else if (l === undefined) result = s
    else result = l === s || side === 'local' ? l : s
    if (result === undefined) continue
    file.push([name, result])
    stored.push([name, result])
  }
  return { file, stored }
}

t.test('a conflict is shown with what each side has, and what none had before', t => {
  const show = (...sides: [Content, Content, Content]) => {
    const [conflict] = merged(...sides).conflicts
    return shown({ file: { path: 'de/common.json' } } as Parameters<typeof shown>[0], conflict!).split('\n')
  }
  t.strictSame(show({}, { a: 'x' }, { a: 'y' }), [
    'de/common.json: a',
    '  base    (none)',
    '  yours   "x"',
    '  theirs  "y"',
  ])
  t.strictSame(show({ a: 'x' }, { a: 'y' }, {}), [
    'de/common.json: a',
    '  base    "x"',
    '  yours   "y"',
    '  theirs  (deleted)',
  ])
  t.end()
})
