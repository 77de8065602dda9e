import t from 'tap'
import { mergeJson } from '../../src/project/merge-json.ts'
import { changedPart } from '../../src/project/outside-edit.ts'

const text = (value: unknown) => JSON.stringify(value)

t.test('merges the changes of both sides', async t => {
  const base = { a: '1', b: { c: '2', d: '3' }, e: '4' }
  const theirs = { a: '1', b: { c: 'theirs', d: '3' }, e: '4', new: 'theirs' }
  const mine = { a: 'mine', b: { c: '2', d: '3', x: 'mine' } }
  t.same(JSON.parse(text(mergeJson(base, theirs, mine))), {
    a: 'mine',
    b: { c: 'theirs', d: '3', x: 'mine' },
    new: 'theirs',
  })
})

t.test('where both changed, the person wins, but removes nothing that changed', async t => {
  t.same(JSON.parse(text(mergeJson({ a: '1', b: '1' }, { a: '2', b: '2' }, { a: '3' }))), { a: '3', b: '2' })
  t.same(mergeJson({ a: ['1'] }, { a: ['2'] }, { a: ['3'] }), { a: ['3'] })
  t.same(mergeJson(undefined, { a: '1' }, ['x']), ['x'])
})

t.test('members called like inherited ones', async t => {
  const parse = (json: string) => JSON.parse(json)
  const merged = mergeJson(parse('{}'), parse('{"constructor":"x"}'), parse('{"__proto__":"y"}'))
  t.equal(text(merged), '{"constructor":"x","__proto__":"y"}')
  t.equal(text(changedPart(parse('{}'), parse('{"__proto__":"y","toString":"z"}'))), '{"__proto__":"y","toString":"z"}')
})

t.test('what an edit brings', async t => {
  t.equal(
    text(changedPart({ a: '1', b: { c: '2', d: '3' } }, { a: '1', b: { c: '2', d: 'x' }, e: ['4'] })),
    '{"b":{"d":"x"},"e":["4"]}',
  )
  t.equal(text(changedPart(undefined, { a: '1' })), '{"a":"1"}')
})
