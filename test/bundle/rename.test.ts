import fc from 'fast-check'
import t from 'tap'
import { renameKeys } from '../../src/bundle/edit-key.ts'
import { overwrite } from '../../src/bundle/merge.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { FLAT, failure, file, fragment, json, parsed, pushed, renamedKey, written } from './pushing.ts'
import { accepted, keyName, nestingResource } from './resources.ts'

/** [what is stored, from, to, the file after] */
const RENAMES: [stored: object, from: string, to: string, after: object][] = [
  [{ a: 'x' }, 'a', 'b', { b: 'x' }],
  [{ nav: { home: 'h', away: 'w' } }, 'nav.home', 'menu.start', { menu: { start: 'h' }, nav: { away: 'w' } }],
  [
    { item: 't', item_one: '1', item_other: 'n', item_ordinal_two: '2' },
    'item',
    'thing',
    { thing: 't', thing_one: '1', thing_other: 'n', thing_ordinal_two: '2' },
  ],
  [{ v: { '1.0': 'x', '2.0': 'y' } }, 'v.1.0', 'v.3', { v: { 3: 'x', '2.0': 'y' } }],
  [{ a: 'x' }, 'a', 'a.b', { a: { b: 'x' } }],
  [{ a: { b: 'x' } }, 'a.b', 'a', { a: 'x' }],
  [{ a: { b: 'x', c: 'y' } }, 'a.b', 'a', { a: 'x', 'a.c': 'y' }],
  [{ a: 'x', b: 'y' }, 'b', 'a.b', { a: 'x', 'a.b': 'y' }],
  [{ a: 'x' }, 'a', 'Loading...', { 'Loading...': 'x' }],
  [{ list: ['a', 'b'] }, 'list.1', 'b', { b: 'b', list: ['a'] }],
  [{ list: ['a'], b: 'b' }, 'b', 'list.1', { list: ['a', 'b'] }],
  [{ list: ['a'], b_one: 'b' }, 'b', 'list.1', { list: ['a'], 'list.1_one': 'b' }],
  [{ a: 'x' }, 'a', 'place_ordinal', { place_ordinal: 'x' }],
  [{ a: 'x' }, 'a', '__proto__', JSON.parse('{"__proto__":"x"}')],
]

t.test('a key moves with its text and all its forms', async t => {
  for (const [stored, from, to, after] of RENAMES) {
    const bundle = pushed(stored)
    const before = file(bundle)
    const renamed = renamedKey(bundle, from, to)!
    const name = `${from} to ${to} in ${before}`
    t.strictSame(json(renamed), after, name)
    t.strictSame(renamed.message(to), bundle.message(from), name)
    t.strictSame(parsed(file(renamed)).rows(), renamed.rows(), `${name}: reads back`)
    t.equal(file(bundle), before, 'the bundle given stays as it was')
  }
  const flat = overwrite(Bundle.empty(FLAT), fragment({ 'a.b_one': 'x' }, FLAT)).bundle
  t.strictSame(json(renamedKey(flat, 'a.b', 'c.d')!), { 'c.d_one': 'x' })
})

t.test('moves several keys at once', async t => {
  const bundle = pushed({ a: 'x', item_one: '1', item_other: 'n', list: ['p', 'q', 'r'], nav: { home: 'h' } })
  const names = [
    { from: 'a', to: 'nav.start' },
    { from: 'item', to: 'cart.item' },
    { from: 'list.2', to: 'last' },
    { from: 'list.1', to: 'middle' },
    { from: 'none', to: 'never' },
  ]
  const after = {
    cart: { item_one: '1', item_other: 'n' },
    last: 'r',
    list: ['p'],
    middle: 'q',
    nav: { home: 'h', start: 'x' },
  }
  const renamed = renameKeys(bundle, names)
  t.strictSame(json(renamed), after)
  t.strictSame(parsed(file(renamed)).rows(), renamed.rows(), 'reads back')
})

t.test('what cannot be', async t => {
  const bundle = pushed({ a: 'x', b: { c: 'y' }, item_one: '1', list: ['p', 'q'], nav: 'n' })
  t.equal(renamedKey(bundle, 'none', 'a'), undefined, 'what is not there meets nothing')
  t.equal(renamedKey(bundle, 'b', 'd'), undefined, 'an object is no key')
  t.equal(renamedKey(bundle, 'item_one', 'd'), undefined, 'nor is a form')
  for (const to of ['a', 'b.c', 'item', 'nav']) {
    t.match(
      failure('conflict', () => renamedKey(bundle, 'nav', to)),
      JSON.stringify(to),
    )
  }
  const unfit: [string, string, RegExp][] = [
    ['a', 'x_other', /form.*"x_other"/],
    ['item', 'x_ordinal', /"x"/],
    ['list.0', 'x', /"list\.0"/],
    ['item', 'x'.repeat(1022), /longer than/],
  ]
  for (const [from, to, message] of unfit) {
    t.match(
      failure('unfit', () => renamedKey(bundle, from, to)),
      message,
    )
  }
})

t.test('renaming there and back gives the same bytes in plain bundles', async t => {
  let count = 0
  fc.assert(
    fc.property(fc.uniqueArray(keyName, { minLength: 1, maxLength: 6 }), keyName, fc.nat(), (names, to, at) => {
      const bundle = written(...names)
      const { key } = bundle.rows()[at % bundle.size]!
      const besides = bundle.rows().some(row => row.key.startsWith(`${to}.`) || row.key.startsWith(`${to}_`))
      const there = besides ? undefined : accepted(() => renamedKey(bundle, key, to))
      if (!there) return true
      count++
      return file(renamedKey(there, to, key)!) === file(bundle)
    }),
    { numRuns: 1000 },
  )
  t.ok(count > 500, `${count} were renamed`)
})

t.test('a renamed key holds what it held, and all others too', async () => {
  fc.assert(
    fc.property(nestingResource, keyName, fc.nat(), (body, to, at) => {
      const brought = accepted(() => fragment(body))
      if (!brought) return true
      const bundle = pushed(body)
      const rows = bundle.rows()
      const { key } = rows[at % rows.length]!
      const renamed = accepted(() => renamedKey(bundle, key, to))
      if (!renamed) return true
      const back = parsed(file(renamed))
      return (
        back.size === bundle.size &&
        rows.every(row => JSON.stringify(back.message(row.key === key ? to : row.key)) === JSON.stringify(row.message))
      )
    }),
    { numRuns: 1000 },
  )
})
