import t from 'tap'
import { FLAT, failure, file, fragment, json, pushed } from './pushing.ts'

/** An object nested so deep, around a text. */
const nested = (depth: number, inner: unknown = 'x') => {
  let value = inner
  for (let at = 0; at < depth; at++) value = { a: value }
  return value
}

t.test('a body that nests is meant as shown, one that does not is split at its dots', async t => {
  const table: [object, object][] = [
    [{ 'a.b': 'x' }, { a: { b: 'x' } }],
    [
      { 'a.b': 'x', c: { d: 'y' } },
      { 'a.b': 'x', c: { d: 'y' } },
    ],
    [{ 'a.b': 'x', c: {} }, { 'a.b': 'x' }],
    [{ 'Loading...': 'x' }, { 'Loading...': 'x' }],
    [{ 'Hello. World': 'x' }, { 'Hello. World': 'x' }],
    [{ 'Loading._one': 'x' }, { 'Loading._one': 'x' }],
    [{ 'a._one.b': 'x' }, { a: { _one: { b: 'x' } } }],
    [{ 'a.b_one': 'x' }, { a: { b_one: 'x' } }],
    [{ ' a': 'x' }, { ' a': 'x' }],
    [{ 'list.0': 'x' }, { list: { 0: 'x' } }],
    [
      { a: 'x', 'a.b': 'y' },
      { a: 'x', 'a.b': 'y' },
    ],
    [
      { 'a.b': 'y', a: 'x' },
      { a: 'x', 'a.b': 'y' },
    ],
    [
      { item_one: 'x', 'item_one.y': 'z' },
      { item_one: 'x', 'item_one.y': 'z' },
    ],
  ]
  for (const [body, expected] of table) t.strictSame(json(pushed(body)), expected, JSON.stringify(body))
})

t.test('a form of an empty member', async t => {
  t.strictSame(pushed({ a: { _one: 'x' } }).rows(), [{ key: 'a.', message: { cardinal: { one: 'x' } } }])
  t.strictSame(json(pushed({ a: { _one: 'x' } })), { a: { _one: 'x' } })
})

t.test('empty objects and arrays vanish, but not where items would move', async t => {
  t.strictSame(json(pushed({ a: {}, b: [], c: ['x', {}, []], d: { e: [{}] } })), { c: ['x'] })
  for (const body of [{ a: [{}, 'x'] }, { a: [[], [], 'x'] }, { a: ['x', { b: {} }, { c: 'y' }] }]) {
    t.match(
      failure('unfit', () => fragment(body)),
      '"a.',
      JSON.stringify(body),
    )
  }
})

t.test('a key stands once', async t => {
  const twice: object[] = [
    { a: { b: 'x' }, 'a.b': 'y' },
    { a: { b_one: 'x' }, 'a.b_other': 'y' },
    { a: { b: { c: 'x' } }, 'a.b': { c: 'y' } },
    { list: ['x'], 'list.0': 'y' },
  ]
  for (const body of twice) {
    t.match(
      failure('unfit', () => fragment(body)),
      /\["[^\]]+\] and \["/,
      JSON.stringify(body),
    )
    t.ok(failure('unfit', () => fragment(body, FLAT)))
  }
})

t.test('what a leaf may be', async t => {
  t.match(
    failure('unfit', () => fragment({ a: 1, b: { c: null }, d: [true] })),
    '"a", "b.c", "d.0".',
  )
  const bad: object[] = [
    { '': 'x' },
    { 'a\0': 'x' },
    { a: '\0' },
    { '\ud800': 'x' },
    { a: '\udc00' },
    { 'a\0': { b: 'x' } },
    { a: { 'b\ud800': 'x', c: 'y' } },
    { a: { c: 'y', 'b\0': 'x' } },
    { ['x'.repeat(1025)]: 'y' },
    { ['x'.repeat(1000)]: { ['y'.repeat(24)]: 'z' } },
    { a: 'x'.repeat(100_001) },
  ]
  for (const body of bad)
    t.ok(
      failure('unfit', () => fragment(body)),
      JSON.stringify(body).slice(0, 50),
    )
  const good: object[] = [
    { ['x'.repeat(1024)]: 'y' },
    { ['😀'.repeat(1000)]: { ['y'.repeat(23)]: 'z' } },
    { a: '😀'.repeat(100_000) },
    { '': { '': 'x' } },
    { ' ': 'x' },
    { a: '' },
  ]
  for (const body of good) t.doesNotThrow(() => fragment(body), JSON.stringify(body).slice(0, 50))
})

t.test('at most 32 segments', async t => {
  t.doesNotThrow(() => fragment(nested(32)))
  t.match(
    failure('unfit', () => fragment(nested(33))),
    '32 segments',
  )
  t.match(
    failure('unfit', () => fragment(nested(100_000))),
    '32 segments',
  )
  t.match(
    failure('unfit', () => fragment({ a: nested(100_000, []) })),
    '32 segments',
  )
  t.doesNotThrow(() => fragment({ [Array(32).fill('a').join('.')]: 'x' }))
  t.match(
    failure('unfit', () => fragment({ [Array(33).fill('a').join('.')]: 'x' })),
    '32 segments',
  )
  t.doesNotThrow(() => fragment({ [`Wait${'.'.repeat(40)}`]: 'x' }), 'a literal key is one segment')
})

t.test('a small body cannot unfold into gigabytes', async t => {
  const members = Object.fromEntries(Array.from({ length: 70_000 }, (_, at) => [`k${at}`, '']))
  t.match(
    failure('unfit', () => fragment({ ['x'.repeat(1000)]: members })),
    'too long for their number',
  )
  t.match(
    failure('unfit', () => fragment({ ['x'.repeat(10_000)]: members })),
    '1024 characters',
  )
})

t.test('a bundle cannot be changed from outside', async t => {
  const bundle = pushed({ item_one: 'x', item_other: 'y' })
  const before = file(bundle)
  const message = bundle.message('item') as { cardinal: { one: string } }
  message.cardinal.one = 'changed'
  bundle.rows()[0]!.message = 'changed'
  t.equal(file(bundle), before)
  t.equal(bundle.message('item_one'), undefined, 'a form is no key')
})
