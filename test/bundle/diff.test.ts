import t from 'tap'
import { parseBundle } from '../../src/bundle/canonical.ts'
import { countChanges, diffBundles, sameMessage } from '../../src/bundle/diff.ts'

const bundle = (resource: object) => parseBundle(Buffer.from(JSON.stringify(resource)), 'i18next-json')

t.test('keys are compared by their messages', async t => {
  const before = bundle({ a: 'x', gone: 'y', item: 'Item', item_one: 'one', nav: { home: 'Home', same: 's' } })
  const after = bundle({
    a: 'z',
    item: 'Item',
    item_one: 'one',
    item_other: 'n',
    nav: { home: 'Home', same: 's' },
    new: '',
  })
  const changes = diffBundles(before, after)
  t.strictSame(changes, [
    { key: 'a', before: 'x', after: 'z' },
    { key: 'gone', before: 'y', after: null },
    {
      key: 'item',
      before: { text: 'Item', cardinal: { one: 'one' } },
      after: { text: 'Item', cardinal: { one: 'one', other: 'n' } },
    },
    { key: 'new', before: null, after: '' },
  ])
  t.strictSame(countChanges(changes), { added: 1, updated: 2, removed: 1 })
})

t.test('a key that only moved has not changed', async t => {
  t.strictSame(diffBundles(bundle({ a: { b: 'x' } }), bundle({ 'a.b': 'x' })), [])
})

t.test('messages are the same when they hold the same texts', async t => {
  t.ok(sameMessage('x', 'x'))
  t.ok(sameMessage(null, null))
  t.notOk(sameMessage('x', null))
  t.notOk(sameMessage('', null))
  t.notOk(sameMessage('x', { cardinal: { one: 'x' } }))
})
