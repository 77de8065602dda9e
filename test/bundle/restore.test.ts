import fc from 'fast-check'
import t from 'tap'
import { countChanges } from '../../src/bundle/diff.ts'
import { removeKey } from '../../src/bundle/edit-key.ts'
import type { JsonNode } from '../../src/bundle/json-node.ts'
import { fill, overwrite } from '../../src/bundle/merge.ts'
import { join, peel } from '../../src/bundle/message.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { holds, restoreBundle, restoreKey } from '../../src/bundle/revert.ts'
import { empty, FLAT, failure, file, fragment, json, NESTED, parsed, pushed, written } from './pushing.ts'
import { accepted, keyName, nestingResource, resource } from './resources.ts'

const flat = (body: unknown) => overwrite(Bundle.empty(FLAT), fragment(body, FLAT)).bundle

/** [case, now, then, name, file after] */
const KEYS: [label: string, now: object, then: object, name: string, after: object][] = [
  ['a text that changed', { a: 'y', b: 'z' }, { a: 'x', b: 'old' }, 'a', { a: 'x', b: 'z' }],
  ['a text that was blanked', { a: '' }, { a: 'x' }, 'a', { a: 'x' }],
  ['an empty text', { a: 'x' }, { a: '' }, 'a', { a: '' }],
  ['a key that was deleted', { b: 'z' }, { a: 'x' }, 'a', { a: 'x', b: 'z' }],
  ['a key that came since', { a: 'x', nav: { home: 'h' } }, { a: 'x' }, 'nav.home', { a: 'x' }],
  ['a key that is the same', { a: 'x', b: 'z' }, { a: 'x' }, 'a', { a: 'x', b: 'z' }],
  ['a key that neither has', { a: 'x' }, { a: 'y' }, 'b', { a: 'x' }],
  ['the last key', { a: 'x' }, {}, 'a', {}],
  ['into an empty bundle', {}, { nav: { home: 'h' }, a: 'x' }, 'nav.home', { nav: { home: 'h' } }],
  [
    'a plural: forms that came go, forms that went come',
    { item_one: '1 new', item_few: 'few' },
    { item_one: '1', item_other: 'n' },
    'item',
    { item_one: '1', item_other: 'n' },
  ],
  [
    'a text and forms of both kinds',
    { item: 'only' },
    { item: 't', item_one: '1', item_ordinal_two: '2nd' },
    'item',
    { item: 't', item_one: '1', item_ordinal_two: '2nd' },
  ],
  ['a text where a plural is now', { item_one: '1' }, { item: 't' }, 'item', { item: 't' }],
  ['a plural where a text is now', { item: 't' }, { item_one: '1' }, 'item', { item_one: '1' }],
  [
    'one form',
    { item_one: '1 new', item_other: 'n new' },
    { item_one: '1', item_other: 'n' },
    'item_one',
    { item_one: '1', item_other: 'n new' },
  ],
  ['one form of a key that is gone', {}, { item_one: '1', item_other: 'n' }, 'item_one', { item_one: '1' }],
  ['one form that came since', { item_one: '1', item_other: 'n' }, { item_one: '1' }, 'item_other', { item_one: '1' }],
  ['one form beside a text', { item: 't' }, { item_one: '1' }, 'item_one', { item: 't', item_one: '1' }],
  [
    'an ordinal form',
    { place_ordinal_one: 'x', place_one: 'c' },
    { place_ordinal_one: '1st' },
    'place_ordinal_one',
    { place_ordinal_one: '1st', place_one: 'c' },
  ],
  [
    'its place: a segment with a dot',
    { v: { '2.0': 'y' } },
    { v: { '1.0': 'x' } },
    'v.1.0',
    { v: { '1.0': 'x', '2.0': 'y' } },
  ],
  [
    'its place: literal at the top',
    { 'b.c': 'z', x: { y: 'n' } },
    { 'a.b': 'x', x: { y: 'n' } },
    'a.b',
    { 'a.b': 'x', 'b.c': 'z', x: { y: 'n' } },
  ],
  ['its place: an item at the end', { list: ['p'] }, { list: ['p', 'q'] }, 'list.1', { list: ['p', 'q'] }],
  ['its place: an array again', { a: 'x' }, { list: [{ t: 'p' }] }, 'list.0.t', { a: 'x', list: [{ t: 'p' }] }],
  ['its place: an item without its array', { a: 'x' }, { list: ['p', 'q'] }, 'list.1', { a: 'x', 'list.1': 'q' }],
  [
    'its place: an object where an array was',
    { list: { a: 'x' } },
    { list: ['p'] },
    'list.0',
    { list: { 0: 'p', a: 'x' } },
  ],
  [
    'its place: what is there stays where it is',
    { v: { 1: { 0: 'y' } } },
    { v: { '1.0': 'x' } },
    'v.1.0',
    { v: { 1: { 0: 'x' } } },
  ],
  ['a text where it needs a node', { a: 'x' }, { a: { b: 'y' } }, 'a.b', { a: 'x', 'a.b': 'y' }],
  ['a node where its text goes', { a: { b: 'y' } }, { a: 'x' }, 'a', { a: 'x', 'a.b': 'y' }],
  [
    'a middle item that changed',
    { list: ['p', 'new', 'r'] },
    { list: ['p', 'q', 'r'] },
    'list.1',
    { list: ['p', 'q', 'r'] },
  ],
  [
    'the last item that was a plural',
    { list: ['p', 'q'] },
    { list: ['p'], 'list.1_one': '1' },
    'list.1',
    { list: ['p'], 'list.1_one': '1' },
  ],
  ['__proto__', {}, JSON.parse('{"__proto__":"x"}'), '__proto__', JSON.parse('{"__proto__":"x"}')],
]

t.test('one key goes back, and nothing else changes', async t => {
  for (const [told, stored, was, name, after] of KEYS) {
    const [now, then] = [pushed(stored), pushed(was)]
    const [before, source] = [file(now), file(then)]
    const { bundle, changes } = restoreKey(now, then, name)
    t.strictSame(json(bundle), after, told)
    t.equal(file(parsed(file(bundle))), file(bundle), `${told}: reads back`)
    t.equal(file(now), before, `${told}: the bundle given stays`)
    t.equal(file(then), source, `${told}: and the other`)
    const { key } = peel(name)
    const expected = { key, before: now.message(key) ?? null, after: bundle.message(key) ?? null }
    t.strictSame(changes, bundle === now ? [] : [expected], told)
    t.equal(restoreKey(bundle, then, name).bundle, bundle, `${told}: again changes nothing`)
  }
})

t.test('what an array cannot do', async t => {
  const going = failure('unfit', () => restoreKey(pushed({ list: ['p', 'q', 'r'] }), pushed({ list: ['p'] }), 'list.1'))
  t.match(going, /"list\.1"/)
  const plural = () => restoreKey(pushed({ list: ['p', 'q'] }), pushed({ 'list.0_one': '1' }), 'list.0')
  t.match(failure('unfit', plural), /"list\.0"/)
  const form = () => restoreKey(pushed({ list: ['p'] }), pushed({ 'list.0_one': '1' }), 'list.0_one')
  t.match(failure('unfit', form), /array/)
})

t.test('across formats', async t => {
  const nested = pushed({ a: { b: 'x' }, v: { '1.0': 'y' }, list: ['p'] })
  const lines = flat({ 'a.b': 'x', 'v.1.0': 'y', 'list.0': 'p' })
  t.equal(file(restoreBundle(Bundle.empty(FLAT), nested, FLAT).bundle), file(lines))
  t.strictSame(restoreBundle(lines, nested, FLAT).changes, [], 'the same messages are no change')
  t.strictSame(json(restoreBundle(nested, lines, NESTED).bundle), {
    a: { b: 'x' },
    v: { 1: { 0: 'y' } },
    list: { 0: 'p' },
  })
  t.strictSame(json(restoreKey(flat({ c: 'z' }), nested, 'v.1.0').bundle), { c: 'z', 'v.1.0': 'y' })
  t.strictSame(json(restoreKey(pushed({ a: { c: 'z' } }), lines, 'a.b').bundle), { a: { b: 'x', c: 'z' } })
  t.strictSame(json(restoreKey(pushed({ a: 't' }), lines, 'a.b').bundle), { a: 't', 'a.b': 'x' })
})

t.test('what a bundle holds', async t => {
  const bundle = pushed({ a: 'x', item_one: '1', both: 'b', both_other: 'n', nav: { home: 'h' } })
  for (const name of ['a', 'item', 'item_one', 'both', 'both_other', 'nav.home']) t.ok(holds(bundle, name), name)
  for (const name of ['nav', 'a_one', 'item_other', 'item_ordinal_one', 'both_one', 'b'])
    t.notOk(holds(bundle, name), name)
})

/** A random bundle after several pushes. */
const bundle = fc.array(fc.oneof(resource, nestingResource), { maxLength: 3 }).map(bodies =>
  bodies.reduce<Bundle>((made, body, index) => {
    const write = index % 2 === 0 ? overwrite : fill
    return accepted(() => write(made, fragment(body)).bundle) ?? made
  }, empty),
)

const RUNS = { numRuns: 1000 }

t.test('restores a whole bundle to the bytes of then, and reports every change', async t => {
  let changed = 0
  fc.assert(
    fc.property(bundle, bundle, (now, then) => {
      const restored = restoreBundle(now, then, NESTED)
      const model = new Map(now.rows().map(({ key, message }) => [key, message]))
      for (const { key, after } of restored.changes) {
        if (after === null) model.delete(key)
        else model.set(key, after)
      }
      changed += restored.changes.length
      const sorted = (rows: Iterable<[string, unknown]>) =>
        JSON.stringify([...rows].sort(([a], [b]) => (a < b ? -1 : 1)))
      return (
        file(restored.bundle) === file(then) &&
        sorted(model) === sorted(then.rows().map(({ key, message }) => [key, message] as [string, unknown])) &&
        restoreBundle(then, then, NESTED).changes.length === 0
      )
    }),
    RUNS,
  )
  t.ok(changed > 1000, `${changed} changes`)
})

t.test('any key: it is as it was, every other one too, and the file reads back', async t => {
  let count = 0
  const names = fc.oneof(keyName, fc.nat())
  fc.assert(
    fc.property(bundle, bundle, names, (now, then, pick) => {
      const leaves = [...now.tree.entries(), ...then.tree.entries()].flatMap(entry =>
        entry.leaves().map(([leaf]) => leaf),
      )
      const any = leaves.flatMap(leaf => [leaf.key, join(leaf)])
      const name = typeof pick === 'string' ? pick : (any[pick % (any.length || 1)] ?? 'a')
      const restored = accepted(() => restoreKey(now, then, name))
      if (!restored) return now.tree.plain === false
      if (restored.bundle !== now) count++
      const named = peel(name)
      const value = (from: Bundle) =>
        named.kind === 'text'
          ? JSON.stringify(from.message(name) ?? null)
          : JSON.stringify(from.tree.get(named.key)?.value(named) ?? null)
      const others = (from: Bundle) =>
        JSON.stringify(
          from.tree
            .entries()
            .flatMap(entry => entry.leaves().map(([leaf, text]) => [join(leaf), text] as const))
            .filter(([leaf]) => (named.kind === 'text' ? peel(leaf).key !== named.key : leaf !== name))
            .sort(([a], [b]) => (a < b ? -1 : 1)),
        )
      return (
        value(restored.bundle) === value(then) &&
        others(restored.bundle) === others(now) &&
        file(parsed(file(restored.bundle))) === file(restored.bundle) &&
        restoreKey(restored.bundle, then, name).bundle === restored.bundle &&
        restoreKey(now, now, name).bundle === now
      )
    }),
    RUNS,
  )
  t.ok(count > 250, `${count} keys were restored`)
})

/** Whether i18next, which goes into the object of the shortest name, misses a text: only a person's file does that. */
const hidesText = ({ tree }: Bundle) =>
  tree.entries().some(entry => entry.leaves().some(([leaf]) => !finds(tree.root, join(leaf))))

function finds(root: JsonNode, name: string): boolean {
  const branch = name.split('.').reduce((node, segment) => node?.nodes.get(segment), root as JsonNode | undefined)
  if (branch) return false
  if (root.holdsLeaf(name)) return true
  let node = root
  for (let rest = name; ; ) {
    const heads = Array.from(rest.matchAll(/\./g), ({ index }) => rest.slice(0, index))
    const next = heads.find(head => node.nodes.has(head))
    if (next === undefined) return node.holdsLeaf(rest)
    node = node.nodes.get(next)!
    rest = rest.slice(next.length + 1)
  }
}

t.test('a key that comes back hides no text, and is hidden by none, even where it did then', async t => {
  const then = pushed({ 'a.b': 'x', a: { b: { c: 'y' } }, nest: { n: 'n' } })
  t.ok(hidesText(then))
  for (const key of ['a.b', 'a.b.c']) {
    const { bundle } = restoreKey(removeKey(then, key)!.bundle, then, key)
    t.strictSame(json(bundle), { 'a.b': 'x', 'a.b.c': 'y', nest: { n: 'n' } }, key)
  }
})

t.test('a key that was deleted comes back to the very file', async t => {
  let count = 0
  fc.assert(
    fc.property(bundle, fc.nat(), (then, pick) => {
      const entries = then.tree.entries()
      const key = entries[pick % (entries.length || 1)]?.key
      const removal = key === undefined ? undefined : accepted(() => removeKey(then, key))
      // The name of a form is not a key.
      if (!removal || removal.message !== undefined || hidesText(then)) return true
      count++
      return file(restoreKey(removal.bundle, then, key!).bundle) === file(then)
    }),
    RUNS,
  )
  t.ok(count > 350, `${count} keys came back`)
})

t.test('what changes is counted in keys', async t => {
  const now = written('a', 'b', 'c')
  const then = pushed({ a: 'a', b: 'other', d_one: '1', d_other: 'n' })
  t.strictSame(countChanges(restoreBundle(now, then, NESTED).changes), { added: 1, updated: 1, removed: 1 })
})
