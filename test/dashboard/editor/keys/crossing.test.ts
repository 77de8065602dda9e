/** Which new names would break the nesting of a namespace. */
import t from 'tap'
import { crossing, namesOf } from '../../../../src/dashboard/editor/keys/crossing.ts'

t.test('a text where others nest, and what nests where a text is', async t => {
  const present = [
    { key: 'order.title', source: 'Order' },
    { key: 'home', source: 'Home' },
    { key: 'item', source: { cardinal: { one: 'x', other: 'y' } } },
    { key: 'Loading...', source: 'Wait' },
    { key: 'own.deep', source: undefined },
  ]
  const rows: [name: string, found: string | undefined][] = [
    ['order', 'below order.title'],
    ['order.title.x', 'above order.title'],
    ['order.other', undefined],
    ['orde', undefined],
    ['home.a', 'above home'],
    ['home.a.b', 'above home'],
    ['homes.a', undefined],
    ['item.a', undefined],
    ['item_one.a', 'above item_one'],
    ['own', 'below own.deep'],
    ['own.deep.er', 'above own.deep'],
    ['Loading', undefined],
    ['home. Sentence', undefined],
  ]
  for (const [name, found] of rows) {
    const one = crossing([name], present)
    t.equal(one && `${one.is} ${one.key}`, found, name)
  }
  t.strictSame(crossing(['a', 'order_one', 'home.x'], present), { is: 'above', key: 'home' }, 'any of several')
  t.strictSame(namesOf({ key: 'a', source: { text: 'x', cardinal: { one: 'y' } } }), ['a', 'a_one'])
})
