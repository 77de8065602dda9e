import t from 'tap'
import { failure, fragment, NESTED } from './pushing.ts'

t.test('at most ten keys are named, then a count', async t => {
  const many = Object.fromEntries(Array.from({ length: 24 }, (_, at) => [`k${at}`, '{n, plural, one {a}}']))
  const message = failure('unfit', () => fragment(many))
  t.match(message, '"k0"')
  t.match(message, '"k9" and 14 more.')
  t.notMatch(message, '"k10"')
})

t.test('long names are shortened', async t => {
  t.ok(failure('unfit', () => fragment({ ['x'.repeat(900)]: '{n, plural, one {a}}' })).length < 300)
})

t.test('the refusal of an all-message file says what to do', async t => {
  const message = failure('unfit', () => fragment({ a: { message: 'x' } }))
  t.match(message, 'Every entry has the shape')
  t.match(message, 'push')
})

t.test('a body that is no object', async t => {
  for (const body of [[], 'x', null, 3, true, undefined]) t.ok(failure('unfit', () => fragment(body)))
})

t.test('old plurals', async t => {
  const refused: [string, object][] = [
    ['en', { a: { k: 'x', k_plural: 'y' } }],
    ['en', { 'a.k': 'x', 'a.k_plural': 'y' }],
    ['en', { list: [{ k: 'x', k_plural: 'y' }] }],
    ['xx', { k: 'x', k_plural_0: 'y' }],
    ['en', { k: 'x', k_plural_2: 'y', k_one: 'z' }],
    ['pl', { k_0: '{{count}} a', k_1: 'b', k_2: 'c' }],
    ['ru-RU', { a: { k_0: 'a', k_1: 'b', k_2: '{{ count, number }}' } }],
    ['ja', { k_0: '{{count}}' }],
    ['ar', { k_0: '{{count}}', k_1: '', k_2: '', k_3: '', k_4: '', k_5: '' }],
    ['ar', { k_0: '{{count}}', k_1: '', k_2: '', k_3: '', k_11: '', k_100: '' }],
  ]
  for (const [language, body] of refused) {
    t.match(
      failure('unfit', () => fragment(body, NESTED, language)),
      'v1-v3',
      `${language} ${JSON.stringify(body)}`,
    )
  }
  const accepted: [string, object][] = [
    ['en', { k_plural: 'y' }],
    ['en', { k: 'x', k_plural: 'y', k_other: 'z' }],
    ['en', { k: 'x', a: { k_plural: 'y' } }],
    ['en', { _plural: 'y', k: 'x' }],
    ['en', { k_0: '{{count}}', k_1: 'b' }],
    ['pl', { k_0: 'a', k_1: 'b', k_2: 'c' }],
    ['pl', { k_0: '{{count}}', k_1: 'b' }],
    ['pl', { k_0: '{{count}}', k_1: 'b', k_2: 'c', k_3: 'd' }],
    ['pl', { k_0: '{{count}}', k_1: 'b', k_2: 'c', k_few: 'd' }],
    ['pl', { k_0: '{{counter}}', k_1: 'b', k_2: 'c' }],
    ['en', { k: { x: '1' }, k_plural: 'y' }],
  ]
  for (const [language, body] of accepted) {
    t.doesNotThrow(() => fragment(body, NESTED, language), `${language} ${JSON.stringify(body)}`)
  }
})
