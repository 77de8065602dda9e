import t from 'tap'
import { fill, type MergeOutcome, overwrite } from '../../src/bundle/merge.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { empty, FLAT, failure, file, filled, fragment, json, pushed } from './pushing.ts'

const counts = ({ added, updated, unchanged, skipped }: MergeOutcome) => ({ added, updated, unchanged, skipped })
const stored = pushed({ a: 'x', blank: '', item_one: '1', item_other: 'n', same: 's' })
const body = { a: 'y', blank: 'b', item_one: '1', item_few: 'f', same: 's', fresh: 'z', item: 'text' }

t.test('overwrite: pushed values win', async t => {
  const outcome = overwrite(stored, fragment(body))
  t.strictSame(counts(outcome), { added: 1, updated: 3, unchanged: 1, skipped: 0 })
  t.strictSame(json(outcome.bundle), {
    a: 'y',
    blank: 'b',
    fresh: 'z',
    item: 'text',
    item_one: '1',
    item_few: 'f',
    item_other: 'n',
    same: 's',
  })
})

t.test('fill: what is stored stays, leaf by leaf', async t => {
  const outcome = fill(stored, fragment(body))
  t.strictSame(counts(outcome), { added: 1, updated: 2, unchanged: 1, skipped: 1 })
  t.strictSame(json(outcome.bundle), {
    a: 'x',
    blank: 'b',
    fresh: 'z',
    item: 'text',
    item_one: '1',
    item_few: 'f',
    item_other: 'n',
    same: 's',
  })
  t.strictSame(
    outcome.details.find(detail => detail.key === 'a'),
    { key: 'a', result: 'skipped', reason: 'a text is stored already' },
  )
  t.strictSame(outcome.details.map(detail => detail.key).sort(), ['a', 'blank', 'fresh', 'item'])
})

t.test('an empty value registers a key and never clears a text', async t => {
  for (const merge of [overwrite, fill]) {
    const outcome = merge(stored, fragment({ a: '', blank: '', fresh: '', item_one: '', item_many: '' }))
    t.strictSame(counts(outcome), { added: 1, updated: 1, unchanged: 1, skipped: 1 })
    t.match(outcome.details.find(detail => detail.key === 'a')?.reason, 'never clears')
    t.match(json(outcome.bundle), { a: 'x', blank: '', fresh: '', item_one: '1', item_many: '', item_other: 'n' })
  }
})

t.test('no change: the very same bundle', async t => {
  for (const same of [{}, { a: 'x' }, { item_one: '1' }, { a: '' }]) {
    t.equal(overwrite(stored, fragment(same)).bundle, stored)
    t.equal(fill(stored, fragment(same)).bundle, stored)
  }
  t.equal(fill(stored, fragment({ a: 'other' })).bundle, stored)
  t.equal(overwrite(empty, fragment({ a: {} })).bundle, empty)
})

t.test('a merge does not modify the given bundle', async t => {
  const before = file(stored)
  overwrite(stored, fragment({ a: { b: 'x' }, item_one: { c: 'd' }, same: 'other', list: ['x'] }))
  t.equal(file(stored), before)
})

t.test('saveMissing sends the forms of a plural one by one', async t => {
  t.strictSame(filled({ item_one: '1' }, { item_other: 'n' }, { 'nav.item_ordinal_two': '2' }).rows(), [
    { key: 'item', message: { cardinal: { one: '1', other: 'n' } } },
    { key: 'nav.item', message: { ordinal: { two: '2' } } },
  ])
})

t.test('an array item cannot become a plural', async t => {
  t.match(
    failure('unfit', () => filled({ list: ['x'] }, { 'list.0_one': 'y' })),
    '"list.0"',
  )
})

t.test('flat bundles', async t => {
  const flat = (resource: object) => fragment(resource, FLAT)
  const first = fill(Bundle.empty(FLAT), flat({ a: { b: 'x' }, list: ['y'] })).bundle
  const second = overwrite(first, flat({ 'a.b': 'z', a: 't', 'list.foo': 'w', 'a.b.c_one': '1' })).bundle
  t.strictSame(json(second), { a: 't', 'a.b': 'z', 'a.b.c_one': '1', 'list.0': 'y', 'list.foo': 'w' })
})
