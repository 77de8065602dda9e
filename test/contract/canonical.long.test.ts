/** Canonical bytes: the order of keys and forms, and the same bytes for any order of the writes. */
import t from 'tap'
import { openWeb, segment } from './server.ts'

const { server, acme, web } = await openWeb(t)
const flat = await server.project(acme.key, 'flat', 'en', 'i18next-json-flat')
let serial = 0

const lines = (...rows: string[]) => `{\n${rows.map(row => `  ${row}`).join(',\n')}\n}\n`

t.test('writes keys in code-unit order, and forms in CLDR order after their text', async t => {
  const path = `${web}/bundles/en/order`
  const names = [
    'item_ordinal_two',
    'item_other',
    'b',
    'item_x',
    'item_zero',
    'a',
    'item',
    'Z',
    'item_many',
    'itemA',
    'item_one',
    'é',
    'item_ordinal_one',
    'z',
    'item_two',
    '\uff61',
    '😀',
    '10',
    '2',
    '_',
    'item_few',
    'item_ordinal',
  ]
  await server.must('PUT', path, { key: acme.key, body: Object.fromEntries(names.map(name => [name, 'x'])) })
  const order = [
    '10',
    '2',
    'Z',
    '_',
    'a',
    'b',
    'item',
    'item_zero',
    'item_one',
    'item_two',
    'item_few',
    'item_many',
    'item_other',
    'item_ordinal_one',
    'item_ordinal_two',
    'itemA',
    'item_ordinal',
    'item_x',
    'z',
    'é',
    '😀',
    '\uff61',
  ]
  t.equal((await server.get(path, acme.key)).text, lines(...order.map(name => `${JSON.stringify(name)}: "x"`)))
})

t.test('writes numeric names in code-unit order at every depth and in a flat project', async t => {
  const body = '{"n":{"2":"b","10":"a","1":"c"},"2":"b","10":"a"}'
  await server.must('PUT', `${web}/bundles/en/numbers`, { key: acme.key, body })
  t.equal(
    (await server.get(`${web}/bundles/en/numbers`, acme.key)).text,
    '{\n  "10": "a",\n  "2": "b",\n  "n": {\n    "1": "c",\n    "10": "a",\n    "2": "b"\n  }\n}\n',
  )
  await server.must('PUT', `${flat}/bundles/en/numbers`, { key: acme.key, body })
  t.equal(
    (await server.get(`${flat}/bundles/en/numbers`, acme.key)).text,
    lines('"10": "a"', '"2": "b"', '"n.1": "c"', '"n.10": "a"', '"n.2": "b"'),
  )
})

t.test('stores strings as sent', async t => {
  const body = {
    e1: 'é',
    e2: 'e\u0301',
    ctl: '\u0000'.replace('\u0000', '\u0001'),
    sep: '\u2028',
    slash: 'a/b',
    del: '\u007f',
    bom: '\ufeffx',
    nl: 'a\r\nb',
  }
  await server.must('PUT', `${web}/bundles/en/strings`, { key: acme.key, body })
  const read = await server.get(`${web}/bundles/en/strings`, acme.key)
  t.strictSame(read.json, body)
  t.equal(
    read.text,
    `${JSON.stringify(Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`,
  )
})

/** All permutations of the items. */
function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, at) =>
    permutations([...items.slice(0, at), ...items.slice(at + 1)]).map(rest => [item, ...rest]),
  )
}

const sets: string[][] = [
  ['a', 'a.b', 'a.b.c', 'a.c'],
  ['a.b.c', 'a.b', 'x', 'a.d'],
  ['item', 'item_one', 'item_other', 'item_x'],
  ['Loading...', 'Loading', 'Loading.x', 'Loading._one'],
  ['Hello. World', 'Hello', 'Hello.x', 'Hello. World.x'],
  ['v.1', 'v.1.0', 'v.1.0.beta', 'v'],
  ['a_one', 'a.b', 'a', 'a.b_one'],
  ['a_one.b', 'a_one', 'a', 'a_other'],
  ['x.', 'x', 'x.y', 'x..z'],
  ['p.q.r', 'p.q', 'p.q.r.s', 'p'],
  ['p.q_one', 'p.q_one.z', 'p.q.z', 'p.q'],
  ['list.0', 'list.1', 'list', 'list.0.t'],
  ['__proto__', '__proto__.a', 'constructor', 'constructor.name'],
]

for (const set of sets) {
  t.test(`writes the same bytes for any order of ${set.join(', ')}`, async t => {
    for (const project of [web, flat]) {
      const seen = new Map<string, string>()
      // A form is refused at a text by PUT key, so forms and texts of one base come by POST, one key a request.
      const write = async (order: string[]) => {
        const path = `${project}/bundles/en/o${++serial}`
        for (const key of order)
          await server.must('POST', path, {
            key: acme.key,
            body: `{${JSON.stringify(key)}:${JSON.stringify(`t ${key}`)}}`,
          })
        seen.set((await server.get(path, acme.key)).text, order.join(' < '))
      }
      await Promise.all(permutations(set).map(write))
      t.equal(seen.size, 1, `${project}: ${JSON.stringify([...seen], null, 1)}`)
      const path = `${project}/bundles/en/o${++serial}`
      const texts = set.filter(key => !/_(zero|one|two|few|many|other)$/.test(key))
      if (texts.length === set.length) {
        for (const key of set)
          await server.must('PUT', `${path}/${segment(key)}`, { key: acme.key, body: { value: `t ${key}` } })
        t.ok(seen.has((await server.get(path, acme.key)).text), 'PUT key writes the same bytes')
      }
      const body = `{${set.map(key => `${JSON.stringify(key)}:${JSON.stringify(`t ${key}`)}`).join(',')}}`
      const whole = `${project}/bundles/en/o${++serial}`
      const reply = await server.put(whole, acme.key, body)
      t.equal(reply.status, 200, 'all in one body')
      t.ok(
        seen.has((await server.get(whole, acme.key)).text),
        `one push writes the same bytes: ${(await server.get(whole, acme.key)).text}`,
      )
    }
  })
}

t.test('writes the same bytes when a read bundle is pushed again', async t => {
  const bodies = [
    { v: { '1.0': 'x', '2': { '': 'e', 'a.b': 'c' } }, l: ['a', { t: 'b', u: ['c', 'd'] }], 'x.': '1' },
    { a: 'x', 'a.b': 'y', c: { d: 'D', 'd.e': 'E' }, item: 'I', item_one: '1', item_ordinal_few: 'f' },
    { 'Loading...': 'x', n: { 'Hello. World': 'y' }, 'literal.dot': 'z' },
    { one: '1', _one: '2', x_: '3', p_ordinal: '4', menu_one: { title: '5' } },
  ]
  for (const body of bodies) {
    const path = `${web}/bundles/en/f${++serial}`
    await server.must('PUT', path, { key: acme.key, body })
    const first = await server.get(path, acme.key)
    t.strictSame(first.json, body, 'every key has its place')
    const copy = `${web}/bundles/en/f${++serial}`
    await server.must('PUT', copy, { key: acme.key, body: first.bytes })
    const second = await server.get(copy, acme.key)
    t.equal(second.text, first.text)
    t.equal(second.headers.etag, first.headers.etag)
  }
})
