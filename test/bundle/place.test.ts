/** The places of keys that are pushed into a stored bundle. */
import fc from 'fast-check'
import i18next from 'i18next'
import t from 'tap'
import { putKey } from '../../src/bundle/edit-key.ts'
import { placeByName } from '../../src/bundle/place.ts'
import type { Bundle } from '../../src/bundle/resource.ts'
import { file, json, parsed, pushed, written } from './pushing.ts'
import { accepted } from './resources.ts'

t.test('placeByName', async t => {
  const table: [string, string[]][] = [
    ['a', ['a']],
    ['a.b.c', ['a', 'b', 'c']],
    ['a b.c', ['a b', 'c']],
    ['Loading...', ['Loading...']],
    ['.a', ['.a']],
    ['a.', ['a.']],
    ['a..b', ['a..b']],
    ['a. b', ['a. b']],
    ['a .b', ['a .b']],
    ['a.b ', ['a.b ']],
    ['\u00a0a.b', ['\u00a0a.b']],
    ['list.0', ['list', '0']],
  ]
  for (const [key, place] of table) t.strictSame(placeByName(key), place, key)
})

/** [what is stored, what is pushed, the file after] */
const MEETINGS: [stored: object, body: object, after: object][] = [
  [{ v: { '1.0': 'x' } }, { 'v.1.0': 'y' }, { v: { '1.0': 'y' } }],
  [{ v: { '1.0': 'x' } }, { 'v.1.0.beta': 'y' }, { v: { '1.0': 'x', '1.0.beta': 'y' } }],
  [{ v: { 1: { 0: { beta: 'y' } } } }, { v: { '1.0': 'x' } }, { v: { '1.0': 'x', '1.0.beta': 'y' } }],
  [{ v: { '1.0': 'x' } }, { v: { 1: { 0: { beta: 'y' } } } }, { v: { '1.0': 'x', '1.0.beta': 'y' } }],
  [{ a: 'x' }, { a: { b: 'y' } }, { a: 'x', 'a.b': 'y' }],
  [{ a: { b: 'y', c: 'z' } }, { a: 'x' }, { a: 'x', 'a.b': 'y', 'a.c': 'z' }],
  [{ a: { b: { c: 'y' } } }, { 'a.b': 'x' }, { a: { b: 'x', 'b.c': 'y' } }],
  [{ a: 'x' }, { a: { '1.0': 'y' } }, { a: 'x', 'a.1.0': 'y' }],
  [{ a: { b: 'x' }, 'a.b': { c: 'y' } }, { a: 'z' }, { a: 'z', 'a.b': 'x', 'a.b.c': 'y' }],
  [{ a: 'z' }, { a: { b: 'x' }, 'a.b': { c: 'y' } }, { a: 'z', 'a.b': 'x', 'a.b.c': 'y' }],
  [{ item_one: { x: 'y' } }, { item_one: 'z' }, { item_one: 'z', 'item_one.x': 'y' }],
  [{ item_one: 'z' }, { item_one: { x: 'y' } }, { item_one: 'z', 'item_one.x': 'y' }],
  [{ item_one: { x: 'y' }, item: 't' }, { item_one: 'z' }, { item: 't', item_one: 'z', 'item_one.x': 'y' }],
  [{ v: { '1.0': 'x' } }, { 'v.1.0_one': 'y' }, { v: { '1.0': 'x', '1.0_one': 'y' } }],
  [{ v: { '1.0': 'x' } }, { 'v.1.1': 'y', 'v.1.2.b': 'z' }, { v: { '1.0': 'x', '1.1': 'y', '1.2.b': 'z' } }],
  [{ v: { '1.0': 'x' } }, { v: { 1: { 1: 'y' } } }, { v: { '1.0': 'x', '1.1': 'y' } }],
  [{ v: { 1: { 0: 'x' } } }, { v: { '1.1': 'y' } }, { v: { 1: { 0: 'x', 1: 'y' } } }],
  [{ 'a.b': { c: 'x' } }, { 'a.b.d': 'y', 'a.e.f': 'z' }, { 'a.b': { c: 'x', d: 'y' }, 'a.e.f': 'z' }],
  [{ a: { e: 'x' } }, { 'a.b': { c: 'y' } }, { a: { b: { c: 'y' }, e: 'x' } }],
  [{ 'a.b': 'x', n: { m: 'o' } }, { 'a.c': 'y' }, { a: { c: 'y' }, 'a.b': 'x', n: { m: 'o' } }],
  [
    { n: { m: 'o' } },
    { a: { 'b.c': 'x', b: { c: { d: 'y' } } } },
    { a: { 'b.c': 'x', b: { c: { d: 'y' } } }, n: { m: 'o' } },
  ],
  [{ list: ['a'] }, { 'list.0': 'b' }, { list: ['b'] }],
  [{ list: ['a'] }, { 'list.2': 'c', 'list.1': 'b' }, { list: ['a', 'b', 'c'] }],
  [{ list: ['a'] }, { list: ['a', 'b'] }, { list: ['a', 'b'] }],
  [
    { n: 'o' },
    { faq: [{ question: 'Q', answer: 'A' }, { title: 'T' }, 'E'] },
    { faq: [{ question: 'Q', answer: 'A' }, { title: 'T' }, 'E'], n: 'o' },
  ],
  [{ n: 'o' }, { l: [[['a'], 'b'], 'c'] }, { l: [[['a'], 'b'], 'c'], n: 'o' }],
  [{ list: ['a'] }, { 'list.2': 'c' }, { list: ['a'], 'list.2': 'c' }],
  [{ list: ['a'] }, { 'list.01': 'c' }, { list: ['a'], 'list.01': 'c' }],
  [{ list: ['a'] }, { 'list.foo': 'c' }, { list: ['a'], 'list.foo': 'c' }],
  [{ x: { list: [['a']] } }, { 'x.list.0.foo': 'c' }, { x: { list: [['a']] }, 'x.list.0.foo': 'c' }],
  [{ list: ['a'] }, { 'list.0.x': 'c' }, { list: ['a'], 'list.0.x': 'c' }],
  [{ list: ['a'] }, { 'list.1.t': 'b', 'list.1.u': 'c' }, { list: ['a', { t: 'b', u: 'c' }] }],
  [{ list: ['a'] }, { 'list.1_one': 'b' }, { list: ['a'], 'list.1_one': 'b' }],
  [{ list: ['a', { t: 'b' }] }, { 'list.1': 'c' }, { list: ['a', 'c'], 'list.1.t': 'b' }],
  [{ list: ['a', 'b'] }, { list: 'x' }, { list: 'x', 'list.0': 'a', 'list.1': 'b' }],
  [{ list: { 0: 'a' } }, { list: ['x', 'b'] }, { list: ['x', 'b'] }],
  [{ list: ['a'] }, { list: { 0: 'x', 1: 'b' } }, { list: ['x', 'b'] }],
  [{ list: { 0: 'a', title: 't' } }, { list: ['x'] }, { list: { 0: 'x', title: 't' } }],
  [{ list: { 3: 'd' } }, { list: ['x'] }, { list: { 0: 'x', 3: 'd' } }],
  [{ list: ['a'] }, { list: { 1: 'b', n: { m: 'c' } } }, { list: ['a', 'b'], 'list.n.m': 'c' }],
  [{ 'list.0': 'a', n: { m: 'o' } }, { list: ['x', 'b'] }, { 'list.0': 'x', 'list.1': 'b', n: { m: 'o' } }],
  [{ 'l.0.0': 'a', n: { m: 'o' } }, { l: [['x', 'b']] }, { 'l.0.0': 'x', 'l.0.1': 'b', n: { m: 'o' } }],
]

t.test('new keys and what is stored', async t => {
  for (const [stored, body, after] of MEETINGS) {
    const bundle = pushed(stored, body)
    t.strictSame(json(bundle), after, `${JSON.stringify(stored)} and ${JSON.stringify(body)}`)
    t.equal(file(parsed(file(bundle))), file(bundle))
  }
})

function permutations<T>(list: T[]): T[][] {
  if (list.length < 2) return [list]
  return list.flatMap((item, at) => permutations(list.toSpliced(at, 1)).map(rest => [item, ...rest]))
}

/**
 * Pairs of members that hide each other, as i18next searches only one: `v: { "1.0": … }` beside `v: { 1: { 0: … } }`.
 */
const nested = fc.dictionary(
  fc.constantFrom('a', 'a.b', 'b', '1', '1.0'),
  fc.oneof(
    fc.constant('x'),
    fc.dictionary(fc.constantFrom('a', 'b', '0', '1.0', 'b.a'), fc.constantFrom<unknown>('y', ['l'], { c: 'z' })),
  ),
  { maxKeys: 3 },
)
const name = fc
  .array(fc.constantFrom('a', 'b', 'c', '0', '1'), { minLength: 1, maxLength: 4 })
  .map(all => all.join('.'))

t.test('what i18next finds it finds after a key came by its name, and that one too', async () => {
  const app = i18next.createInstance()
  await app.init({ resources: {}, showSupportNotice: false } as never)
  const Store = app.services.resourceStore.constructor as new (
    data: object,
  ) => { getResource(language: string, namespace: string, key: string): unknown }
  const found = (bundle: Bundle) => {
    const store = new Store({ en: { shop: json(bundle) } })
    return (key: string) => store.getResource('en', 'shop', key)
  }
  fc.assert(
    fc.property(
      fc.array(nested, { minLength: 1, maxLength: 2 }),
      fc.uniqueArray(name, { minLength: 1 }),
      (bodies, names) => {
        let bundle = accepted(() => pushed(...bodies))
        // A body may hide its own texts.
        const all = bundle?.rows().map(({ key }) => key) ?? []
        if (!bundle || all.some(key => typeof found(bundle!)(key) !== 'string')) return true
        for (const key of names.filter(key => !all.includes(key))) {
          bundle = putKey(bundle, key, 'new').bundle
          all.push(key)
          if (found(bundle)(key) !== 'new' || all.some(key => typeof found(bundle!)(key) !== 'string')) return false
        }
        return true
      },
    ),
    { numRuns: 1000 },
  )
})

t.test('the order of single writes changes nothing', async t => {
  const sets = [
    ['a', 'a.b', 'a.b.c'],
    ['a', 'a.b', 'a.b.c', 'a.b.c.d', 'a.c'],
    ['a', 'a.b.c', 'a.b.d.e'],
    ['item', 'item_one', 'item_other', 'item_one.x', 'item_one.x.y'],
    ['a.b_one', 'a.b_one.c', 'a', 'a.b'],
    ['Loading...', 'Loading', 'Loading.x', 'Loading._one'],
  ]
  for (const set of sets) {
    const files = new Set(permutations(set).map(order => file(written(...order))))
    t.equal(files.size, 1, set.join(' '))
  }
  t.strictSame(json(written('a.b.c', 'a', 'a.b')), { a: 'a', 'a.b': 'a.b', 'a.b.c': 'a.b.c' })
})
