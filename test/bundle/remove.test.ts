import fc from 'fast-check'
import t from 'tap'
import { removeKey } from '../../src/bundle/edit-key.ts'
import { overwrite } from '../../src/bundle/merge.ts'
import { peel } from '../../src/bundle/message.ts'
import type { Bundle } from '../../src/bundle/resource.ts'
import { failure, file, fragment, json, parsed, pushed, written } from './pushing.ts'
import { accepted, keyName, nestingResource } from './resources.ts'

const stored = {
  text: 'x',
  both: 'b',
  both_one: '1',
  item_one: '1',
  item_other: 'n',
  place_ordinal_one: '1st',
  nav: { home: 'h', deep: { only: 'o' } },
  v: { '1.0': 'x' },
  'Loading...': 'l',
  list: ['a', { t: 'b' }, ['c', 'd']],
}

/** [the name, what the key still holds, what is gone from the file, what is in its place] */
const REMOVALS: [name: string, key: string, message: unknown, after: Record<string, unknown>][] = [
  ['text', 'text', undefined, { text: undefined }],
  ['both', 'both', undefined, { both: undefined, both_one: undefined }],
  ['both_one', 'both', 'b', { both_one: undefined }],
  ['item', 'item', undefined, { item_one: undefined, item_other: undefined }],
  ['item_one', 'item', { cardinal: { other: 'n' } }, { item_one: undefined }],
  ['place_ordinal_one', 'place', undefined, { place_ordinal_one: undefined }],
  ['place', 'place', undefined, { place_ordinal_one: undefined }],
  ['nav.home', 'nav.home', undefined, { nav: { deep: { only: 'o' } } }],
  ['nav.deep.only', 'nav.deep.only', undefined, { nav: { home: 'h' } }],
  ['v.1.0', 'v.1.0', undefined, { v: undefined }],
  ['Loading...', 'Loading...', undefined, { 'Loading...': undefined }],
  ['list.2.1', 'list.2.1', undefined, { list: ['a', { t: 'b' }, ['c']] }],
]

t.test('a key goes with all its forms, a form alone, and nothing else changes', async t => {
  for (const [name, key, message, after] of REMOVALS) {
    const bundle = pushed(stored)
    const before = file(bundle)
    const removal = removeKey(bundle, name)
    t.equal(removal?.key, key, name)
    t.strictSame(removal?.message, message, name)
    t.strictSame(json(removal!.bundle), JSON.parse(JSON.stringify({ ...stored, ...after })), name)
    t.strictSame(parsed(file(removal!.bundle)).rows(), removal!.bundle.rows(), `${name}: reads back`)
    t.equal(file(bundle), before, 'the bundle given stays as it was')
  }
})

t.test('what is not there', async t => {
  for (const name of [
    'none',
    'nav',
    'nav.deep',
    'text_one',
    'item_few',
    'item_ordinal_one',
    'place_one',
    'list',
    'list.1',
    'v',
    'v.1',
    'toString',
    '__proto__',
    'place_ordinal',
  ]) {
    t.equal(removeKey(pushed(stored), name), undefined, name)
  }
})

t.test('the items of an array stay under their keys', async t => {
  for (const name of ['list.0', 'list.1.t', 'list.2.0']) {
    t.match(
      failure('unfit', () => removeKey(pushed(stored), name)),
      name === 'list.1.t' ? '"list.1"' : JSON.stringify(name),
    )
  }
  const emptied = ['list.2.1', 'list.2.0', 'list.1.t', 'list.0'].reduce<Bundle>(
    (bundle, name) => removeKey(bundle, name)!.bundle,
    pushed(stored),
  )
  t.strictSame((json(emptied) as { list: unknown }).list, undefined, 'one after the other from the end')
})

t.test('a key that stands beside a text stays there when the text goes', async t => {
  t.strictSame(json(removeKey(pushed({ a: 'x', 'a.b': 'y' }), 'a')!.bundle), { 'a.b': 'y' })
})

t.test('the last key leaves an empty bundle', async t => {
  const { bundle } = removeKey(pushed({ a: { b: 'x' } }), 'a.b')!
  t.equal(bundle.size, 0)
  t.equal(file(bundle), '{}\n')
})

t.test('deleted and written again: the bytes of one that was never deleted', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(keyName, { minLength: 1, maxLength: 6 }), fc.nat(), (names, at) => {
      const name = names[at % names.length]!
      const bundle = written(...names)
      const less = removeKey(bundle, name)!.bundle
      const gone = names.filter(other => other === name || peel(other).key === name)
      return file(overwrite(less, fragment(Object.fromEntries(gone.map(name => [name, name])))).bundle) === file(bundle)
    }),
    { numRuns: 1000 },
  )
})

t.test('after any removal the other keys are unchanged and parse to the same bundle', async () => {
  fc.assert(
    fc.property(nestingResource, fc.nat(), (body, at) => {
      const brought = accepted(() => fragment(body))
      if (!brought) return true
      const bundle = pushed(body)
      const rows = bundle.rows()
      const { key } = rows[at % rows.length]!
      const removal = accepted(() => removeKey(bundle, key))
      if (!removal) return true
      const rest = JSON.stringify(rows.filter(row => row.key !== key))
      return (
        JSON.stringify(removal.bundle.rows()) === rest && JSON.stringify(parsed(file(removal.bundle)).rows()) === rest
      )
    }),
    { numRuns: 800 },
  )
})
