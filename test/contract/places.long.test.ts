/** The places of keys: nested and literal dots, arrays, prefixes with a text, and the requests of saveMissing. */
import i18next27 from 'i18next'
import i18next23 from 'i18next23'
import t, { type Test } from 'tap'
import { isError, oneOf, openWeb, segment } from './server.ts'

const { server, acme, web } = await openWeb(t)
const flat = await server.project(acme.key, 'flat', 'en', 'i18next-json-flat')
let serial = 0

type Step = ['PUT' | 'POST', unknown] | ['KEY', string, unknown]

async function play(t: Test, path: string, steps: Step[]): Promise<void> {
  for (const step of steps) {
    const reply =
      step[0] === 'KEY'
        ? await server.put(`${path}/${segment(step[1])}`, acme.key, { value: step[2] })
        : await server.call(step[0], path, { key: acme.key, body: step[1] })
    t.equal(reply.status, 200, `${JSON.stringify(step).slice(0, 100)}: ${reply.text.slice(0, 160)}`)
  }
}

const libraries: [string, typeof i18next27][] = [
  ['27', i18next27],
  ['23', i18next23 as never],
]

async function finds(
  t: Test,
  resource: object,
  key: string,
  options: Record<string, unknown>,
  result: unknown,
  extra = {},
) {
  for (const [version, library] of libraries) {
    const app = library.createInstance()
    await app.init({
      lng: 'en',
      fallbackLng: false,
      nsSeparator: false,
      resources: { en: { translation: resource } },
      ...extra,
    } as never)
    const found = (app.t as unknown as (key: string, options: object) => unknown)(key, options)
    t.strictSame(found, result, `i18next ${version}: t(${JSON.stringify(key).slice(0, 60)})`)
  }
}

const examples: { what: string; steps: Step[]; nested: object; flat: object; order?: false }[] = [
  {
    what: 'a dotted key is split',
    steps: [['POST', { 'a.b.c': 'Deep' }]],
    nested: { a: { b: { c: 'Deep' } } },
    flat: { 'a.b.c': 'Deep' },
  },
  {
    what: 'a dotted key by PUT key is split',
    steps: [['KEY', 'a.b.c', 'Deep']],
    nested: { a: { b: { c: 'Deep' } } },
    flat: { 'a.b.c': 'Deep' },
  },
  {
    what: 'a dotted form is split',
    steps: [
      ['POST', { 'a.b_one': '1' }],
      ['KEY', 'a.b_other', 'n'],
    ],
    nested: { a: { b_one: '1', b_other: 'n' } },
    flat: { 'a.b_one': '1', 'a.b_other': 'n' },
  },
  {
    what: 'nested, then dotted: the same key',
    steps: [
      ['PUT', { a: { b: 'x' } }],
      ['PUT', { 'a.b': 'y' }],
    ],
    nested: { a: { b: 'y' } },
    flat: { 'a.b': 'y' },
  },
  {
    what: 'dotted, then nested: the same key',
    steps: [
      ['PUT', { 'a.b': 'x' }],
      ['PUT', { a: { b: 'y' } }],
    ],
    nested: { a: { b: 'y' } },
    flat: { 'a.b': 'y' },
  },
  {
    what: 'a segment with a dot stays',
    steps: [['PUT', { v: { '1.0': 'x' } }]],
    nested: { v: { '1.0': 'x' } },
    flat: { 'v.1.0': 'x' },
  },
  {
    what: 'however it is addressed later',
    steps: [
      ['PUT', { v: { '1.0': 'x' } }],
      ['KEY', 'v.1.0', 'y'],
    ],
    nested: { v: { '1.0': 'y' } },
    flat: { 'v.1.0': 'y' },
  },
  {
    what: 'also by a dotted push',
    steps: [
      ['PUT', { v: { '1.0': 'x' } }],
      ['PUT', { 'v.1.0': 'z' }],
    ],
    nested: { v: { '1.0': 'z' } },
    flat: { 'v.1.0': 'z' },
  },
  {
    what: 'also by a nested push',
    steps: [
      ['PUT', { v: { '1.0': 'x' } }],
      ['PUT', { v: { 1: { 0: 'z' } } }],
    ],
    nested: { v: { '1.0': 'z' } },
    flat: { 'v.1.0': 'z' },
  },
  {
    what: 'a nested place is not moved by a literal push',
    steps: [
      ['PUT', { v: { 1: { 0: 'x' } } }],
      ['PUT', { v: { '1.0': 'z' } }],
    ],
    nested: { v: { 1: { 0: 'z' } } },
    flat: { 'v.1.0': 'z' },
  },
  {
    what: 'a saveMissing of it changes nothing',
    steps: [
      ['PUT', { v: { '1.0': 'x' } }],
      ['POST', { 'v.1.0': 'v.1.0' }],
    ],
    nested: { v: { '1.0': 'x' } },
    flat: { 'v.1.0': 'x' },
  },
  {
    what: 'an empty segment stays',
    steps: [
      ['PUT', { x: { '': 'e', y: '1' } }],
      ['KEY', 'x.', 'E'],
    ],
    nested: { x: { '': 'E', y: '1' } },
    flat: { 'x.': 'E', 'x.y': '1' },
  },
  {
    what: 'arrays stay arrays',
    steps: [['PUT', { list: ['a', 'b'], o: [{ t: 'A' }, { t: 'B', u: ['x'] }] }]],
    nested: { list: ['a', 'b'], o: [{ t: 'A' }, { t: 'B', u: ['x'] }] },
    flat: { 'list.0': 'a', 'list.1': 'b', 'o.0.t': 'A', 'o.1.t': 'B', 'o.1.u.0': 'x' },
  },
  {
    what: 'an item is edited in its place',
    steps: [
      ['PUT', { list: ['a', 'b'] }],
      ['KEY', 'list.1', 'B'],
    ],
    nested: { list: ['a', 'B'] },
    flat: { 'list.0': 'a', 'list.1': 'B' },
  },
  {
    what: 'an item deep in arrays',
    steps: [
      ['PUT', { o: [{ t: 'A' }, { t: 'B' }] }],
      ['KEY', 'o.1.t', 'C'],
    ],
    nested: { o: [{ t: 'A' }, { t: 'C' }] },
    flat: { 'o.0.t': 'A', 'o.1.t': 'C' },
  },
  {
    what: 'an item by saveMissing is there already',
    steps: [
      ['PUT', { list: ['a', 'b'] }],
      ['POST', { 'list.0': 'z' }],
    ],
    nested: { list: ['a', 'b'] },
    flat: { 'list.0': 'a', 'list.1': 'b' },
  },
  {
    what: 'an item by a dotted push',
    steps: [
      ['PUT', { list: ['a', 'b'] }],
      ['PUT', { 'list.0': 'z' }],
    ],
    nested: { list: ['z', 'b'] },
    flat: { 'list.0': 'z', 'list.1': 'b' },
  },
  {
    what: 'an untranslated item is filled',
    steps: [
      ['PUT', { list: ['', 'b'] }],
      ['POST', { 'list.0': 'z' }],
    ],
    nested: { list: ['z', 'b'] },
    flat: { 'list.0': 'z', 'list.1': 'b' },
  },
  {
    what: 'nested where the body shows it',
    steps: [
      ['PUT', { n: { 'a.b': 'x' } }],
      ['POST', { m: { 'c.d': 'y' } }],
    ],
    nested: { n: { 'a.b': 'x' }, m: { 'c.d': 'y' } },
    flat: { 'n.a.b': 'x', 'm.c.d': 'y' },
  },
  {
    what: 'dots are meant when the body nests elsewhere',
    steps: [['PUT', { 'a.b': 'x', n: { m: 'y' } }]],
    nested: { 'a.b': 'x', n: { m: 'y' } },
    flat: { 'a.b': 'x', 'n.m': 'y' },
  },
  {
    what: 'and are split when it does not',
    steps: [['PUT', { 'a.b': 'x', n: 'y' }]],
    nested: { a: { b: 'x' }, n: 'y' },
    flat: { 'a.b': 'x', n: 'y' },
  },
  {
    what: 'Loading...',
    steps: [['POST', { 'Loading...': 'x' }]],
    nested: { 'Loading...': 'x' },
    flat: { 'Loading...': 'x' },
  },
  {
    what: 'Hello. World',
    steps: [['POST', { 'Hello. World': 'x' }]],
    nested: { 'Hello. World': 'x' },
    flat: { 'Hello. World': 'x' },
  },
  {
    what: 'Loading._one',
    steps: [
      ['POST', { 'Loading._one': '1' }],
      ['POST', { 'Loading._other': 'n' }],
    ],
    nested: { 'Loading._one': '1', 'Loading._other': 'n' },
    flat: { 'Loading._one': '1', 'Loading._other': 'n' },
  },
  {
    what: 'the same by PUT key',
    steps: [
      ['KEY', 'Loading...', 'x'],
      ['KEY', 'Hello. World', 'y'],
      ['KEY', 'Done._one', '1'],
      ['KEY', 'Ready.', { other: 'n' }],
    ],
    nested: { 'Done._one': '1', 'Hello. World': 'y', 'Loading...': 'x', 'Ready._other': 'n' },
    flat: { 'Done._one': '1', 'Hello. World': 'y', 'Loading...': 'x', 'Ready._other': 'n' },
  },
  {
    what: 'white space at the edges of segments',
    steps: [
      ['POST', { ' a.b': '1' }],
      ['POST', { 'a .b': '2' }],
      ['POST', { 'c.b ': '3' }],
      ['POST', { 'd.\tb': '4' }],
      ['POST', { 'e.\u00a0b': '5' }],
    ],
    nested: { ' a.b': '1', 'a .b': '2', 'c.b ': '3', 'd.\tb': '4', 'e.\u00a0b': '5' },
    flat: { ' a.b': '1', 'a .b': '2', 'c.b ': '3', 'd.\tb': '4', 'e.\u00a0b': '5' },
  },
  {
    what: 'white space within a segment is nothing',
    steps: [
      ['POST', { 'a b.c d': '1' }],
      ['POST', { 'v1.2 is out': '2' }],
    ],
    nested: { 'a b': { 'c d': '1' }, v1: { '2 is out': '2' } },
    flat: { 'a b.c d': '1', 'v1.2 is out': '2' },
  },
  {
    what: 'dots at the edges',
    steps: [
      ['POST', { '.a': '1' }],
      ['POST', { 'b.': '2' }],
      ['POST', { 'c..d': '3' }],
      ['POST', { '.': '4' }],
      ['POST', { '..': '5' }],
    ],
    nested: { '.': '4', '..': '5', '.a': '1', 'b.': '2', 'c..d': '3' },
    flat: { '.': '4', '..': '5', '.a': '1', 'b.': '2', 'c..d': '3' },
  },
  {
    what: 'a prefix that is a text',
    steps: [
      ['POST', { a: 'x' }],
      ['POST', { 'a.b': 'y' }],
    ],
    nested: { a: 'x', 'a.b': 'y' },
    flat: { a: 'x', 'a.b': 'y' },
  },
  {
    what: 'whichever came first',
    steps: [
      ['POST', { 'a.b': 'y' }],
      ['POST', { a: 'x' }],
    ],
    nested: { a: 'x', 'a.b': 'y' },
    flat: { a: 'x', 'a.b': 'y' },
  },
  {
    what: 'and in one body',
    steps: [['PUT', { 'a.b': 'y', a: 'x' }]],
    nested: { a: 'x', 'a.b': 'y' },
    flat: { a: 'x', 'a.b': 'y' },
  },
  {
    what: 'and by PUT key',
    steps: [
      ['KEY', 'a.b', 'y'],
      ['KEY', 'a', 'x'],
    ],
    nested: { a: 'x', 'a.b': 'y' },
    flat: { a: 'x', 'a.b': 'y' },
  },
  {
    what: 'an untranslated prefix is one too',
    steps: [
      ['POST', { a: '' }],
      ['POST', { 'a.b': 'y' }],
    ],
    nested: { a: '', 'a.b': 'y' },
    flat: { a: '', 'a.b': 'y' },
  },
  {
    what: 'a prefix deeper down',
    steps: [
      ['POST', { a: { b: 'x' } }],
      ['POST', { 'a.b.c.d': 'y' }],
    ],
    nested: { a: { b: 'x', 'b.c.d': 'y' } },
    flat: { 'a.b': 'x', 'a.b.c.d': 'y' },
  },
  {
    what: 'a prefix deeper down, later',
    steps: [
      ['POST', { 'a.b.c.d': 'y' }],
      ['POST', { 'a.b': 'x' }],
    ],
    nested: { a: { b: 'x', 'b.c.d': 'y' } },
    flat: { 'a.b': 'x', 'a.b.c.d': 'y' },
  },
  {
    what: 'a prefix that stands literally',
    steps: [
      ['PUT', { v: { '1.0': 'x' } }],
      ['POST', { 'v.1.0.beta': 'y' }],
    ],
    nested: { v: { '1.0': 'x', '1.0.beta': 'y' } },
    flat: { 'v.1.0': 'x', 'v.1.0.beta': 'y' },
  },
  {
    what: 'a prefix that is only a plural is none',
    steps: [
      ['POST', { a_one: '1' }],
      ['POST', { 'a.b': 'y' }],
    ],
    nested: { a: { b: 'y' }, a_one: '1' },
    flat: { 'a.b': 'y', a_one: '1' },
  },
  {
    what: 'forms under a text',
    steps: [
      ['POST', { a: 'x' }],
      ['POST', { 'a.b_one': '1' }],
      ['POST', { 'a.b_other': 'n' }],
    ],
    nested: { a: 'x', 'a.b_one': '1', 'a.b_other': 'n' },
    flat: { a: 'x', 'a.b_one': '1', 'a.b_other': 'n' },
  },
  {
    what: 'a suffix on a branch is no form',
    steps: [
      ['PUT', { menu_one: { title: 'T' } }],
      ['KEY', 'menu_one.title', 'U'],
    ],
    nested: { menu_one: { title: 'U' } },
    flat: { 'menu_one.title': 'U' },
  },
  {
    what: 'empty objects and arrays vanish',
    steps: [['PUT', { a: 'x', o: {}, l: [], d: { e: {} } }]],
    nested: { a: 'x' },
    flat: { a: 'x' },
  },
  {
    what: 'a form in an array of objects',
    steps: [
      ['PUT', { l: [{ i_one: '1', i_other: 'n' }] }],
      ['KEY', 'l.0.i_one', 'x'],
    ],
    nested: { l: [{ i_one: 'x', i_other: 'n' }] },
    flat: { 'l.0.i_one': 'x', 'l.0.i_other': 'n' },
  },
  {
    what: 'own-property names nest like any other',
    steps: [
      ['PUT', JSON.parse('{"__proto__":{"a":"1"},"constructor":{"prototype":{"x":"2"}},"toString":"3"}')],
      ['KEY', '__proto__.b', '4'],
    ],
    nested: JSON.parse('{"__proto__":{"a":"1","b":"4"},"constructor":{"prototype":{"x":"2"}},"toString":"3"}'),
    flat: JSON.parse('{"__proto__.a":"1","__proto__.b":"4","constructor.prototype.x":"2","toString":"3"}'),
  },
]

for (const { what, steps, nested, flat: literal } of examples) {
  t.test(`places: ${what}`, async t => {
    for (const [project, expected] of [
      [web, nested],
      [flat, literal],
    ] as const) {
      const path = `${project}/bundles/en/p${++serial}`
      await play(t, path, steps)
      const read = await server.get(path, acme.key)
      t.equal(JSON.stringify(sorted(read.json)), JSON.stringify(sorted(expected)), project)
      const copy = `${project}/bundles/en/p${++serial}`
      await server.must('PUT', copy, { key: acme.key, body: read.bytes })
      t.equal((await server.get(copy, acme.key)).text, read.text, 'pushed again, it is the same file')
    }
    t.equal(({} as Record<string, unknown>).a, undefined, 'nothing is polluted')
  })
}

/** Sorts members at every depth, so that only names, places and texts are compared. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)])
}

t.test('returns an error with both names when a body has a key twice', async t => {
  for (const [body, names] of [
    ['{"a":{"b":"x"},"a.b":"y"}', ['a.b']],
    ['{"v":{"1.0":"x","1":{"0":"y"}}}', ['v.1.0']],
    ['{"l":["x"],"l.0":"y"}', ['l.0']],
    ['{"a":{"i_one":"x"},"a.i_one":"y"}', ['a.i']],
    ['{"n":{"a":{"b":"x"},"a.b":"x"}}', ['n.a.b']],
  ] as const) {
    for (const project of [web, flat]) {
      const path = `${project}/bundles/en/twice`
      for (const method of ['PUT', 'POST']) {
        const reply = await server.call(method, path, { key: acme.key, body })
        isError(t, reply, 422, `${method} ${body}`)
        for (const name of names) t.ok(reply.json?.error.includes(name), `names ${name}: ${reply.json?.error}`)
      }
      t.equal((await server.get(path, acme.key)).text, '{}\n')
    }
  }
})

t.test('returns an error with the keys when leaves are no text', async t => {
  const path = `${web}/bundles/en/leaves`
  for (const value of ['5', '0', '-1.5', '1e400', 'true', 'false', 'null']) {
    for (const [body, key] of [
      [`{"good":"x","alpha":${value}}`, 'alpha'],
      [`{"n":{"beta":${value}}}`, 'n.beta'],
      [`{"l":["x",${value}]}`, 'l.1'],
      [`{"gamma_one":${value}}`, 'gamma'],
    ] as const) {
      const reply = await server.put(path, acme.key, body)
      isError(t, reply, 422, body)
      t.ok(reply.json?.error.includes(key), `names ${key}: ${reply.json?.error}`)
      isError(t, await server.post(path, acme.key, body), 422, `POST ${body}`)
    }
  }
  t.equal((await server.get(path, acme.key)).text, '{}\n', 'nothing of such a body is stored')
  for (const body of ['{"l":["a",{},"b"]}', '{"l":[[],"b"]}', '{"l":["a",{"x":{}},"b"]}', '{"l":[{},{"t":"x"}]}']) {
    isError(t, await server.put(path, acme.key, body), 422, `${body}: it would move its neighbours`)
  }
  for (const body of ['{"":"x"}', '{"a":"x","":"y"}'])
    isError(t, await server.put(path, acme.key, body), 422, `an empty key: ${body}`)
})

t.test('finds keys beside and beyond an array', async t => {
  const path = `${web}/bundles/en/array`
  await play(t, path, [['PUT', { list: ['a', 'b'] }]])
  for (const [key, text] of [
    ['list.2', 'c'],
    ['list.5', 'f'],
    ['list.x', 'X'],
    ['list.0.t', 'T'],
    ['list', 'L'],
    ['list.01', 'o'],
    ['list.-1', 'm'],
  ] as const) {
    const reply = await server.put(`${path}/${segment(key)}`, acme.key, { value: text })
    oneOf(t, reply.status, [200, 422], key)
    const resource = (await server.get(path, acme.key)).json
    if (reply.status === 200) await finds(t, resource, key, {}, text)
    await finds(t, resource, 'list.1', {}, 'b')
    t.notMatch(JSON.stringify(resource), /null/, 'no hole')
  }
})

t.test('finds names with a dot after others are added beside them', async t => {
  const path = `${web}/bundles/en/changelog`
  await play(t, path, [['PUT', { log: { '1.0': 'First', '2.0': ['a'] }, 'app.js': { title: 'Main' } }]])
  const written = ['log.1.1', 'log.1.2.beta', 'log.2.0.x', 'app.js.text', 'app.css.title', 'log.3.0']
  for (const key of written) await play(t, path, [['KEY', key, `new ${key}`]])
  const resource = (await server.get(path, acme.key)).json
  for (const key of written) await finds(t, resource, key, {}, `new ${key}`)
  await finds(t, resource, 'log.1.0', {}, 'First')
  await finds(t, resource, 'log.2.0.0', {}, 'a')
  await finds(t, resource, 'app.js.title', {}, 'Main')
})

t.test('stores the requests of saveMissing so that i18next finds them', async t => {
  const recorded: [string, Record<string, unknown>[], [string, Record<string, unknown>, unknown][], object?][] = [
    ['plain', [{ hello: 'hello' }], [['hello', {}, 'hello']]],
    ['with a default', [{ hello: 'Hello there' }], [['hello', {}, 'Hello there']]],
    ['dotted', [{ 'a.b.c': 'Deep' }], [['a.b.c', {}, 'Deep']]],
    [
      'natural',
      [{ 'Hello, world! It is: fine.': 'Hello, world! It is: fine.' }],
      [['Hello, world! It is: fine.', {}, 'Hello, world! It is: fine.']],
    ],
    ['natural with a sentence in it', [{ 'Hello world. How are you?': 'x' }], [['Hello world. How are you?', {}, 'x']]],
    [
      'count',
      [{ item_one: 'item' }, { item_other: 'item' }],
      [
        ['item', { count: 1 }, 'item'],
        ['item', { count: 3 }, 'item'],
      ],
    ],
    [
      'count with defaults',
      [{ item_other: '{{count}} items' }, { item_one: '{{count}} item' }],
      [
        ['item', { count: 1 }, '1 item'],
        ['item', { count: 3 }, '3 items'],
      ],
    ],
    [
      'count 0 with defaultValue_zero',
      [{ item_one: 'one' }, { item_other: 'n' }, { item_zero: 'none' }],
      [
        ['item', { count: 0 }, 'none'],
        ['item', { count: 2 }, 'n'],
      ],
    ],
    ['without plurals', [{ item: '{{count}} items' }], [['item', { count: 3 }, '3 items']]],
    [
      'text, then forms',
      [{ item: 'item' }, { item_one: 'one' }, { item_other: 'n' }],
      [
        ['item', {}, 'item'],
        ['item', { count: 1 }, 'one'],
        ['item', { count: 5 }, 'n'],
      ],
    ],
    [
      'forms, then text',
      [{ item_other: 'n' }, { item_one: 'one' }, { item: 'item' }],
      [
        ['item', {}, 'item'],
        ['item', { count: 1 }, 'one'],
        ['item', { count: 5 }, 'n'],
      ],
    ],
    [
      'ordinal',
      [
        { place_ordinal_one: '{{count}}st' },
        { place_ordinal_two: '{{count}}nd' },
        { place_ordinal_few: '{{count}}rd' },
        { place_ordinal_other: '{{count}}th' },
      ],
      [
        ['place', { count: 1, ordinal: true }, '1st'],
        ['place', { count: 22, ordinal: true }, '22nd'],
        ['place', { count: 3, ordinal: true }, '3rd'],
        ['place', { count: 11, ordinal: true }, '11th'],
      ],
    ],
    ['context', [{ friend: 'A friend' }], [['friend', { context: 'male' }, 'A friend']]],
    [
      'context and count',
      [{ friend_one: 'f' }, { friend_other: 'fs' }],
      [['friend', { context: 'male', count: 2 }, 'fs']],
    ],
    [
      'array items',
      [{ 'arr.0': 'a' }, { 'arr.1': 'b' }],
      [
        ['arr.0', {}, 'a'],
        ['arr.1', {}, 'b'],
      ],
    ],
    ['object members', [{ 'obj.x': '1' }], [['obj.x', {}, '1']]],
    [
      'a whole array',
      [{ arr: ['a', 'b'] }],
      [
        ['arr', { returnObjects: true }, ['a', 'b']],
        ['arr.1', {}, 'b'],
      ],
    ],
    ['a whole object', [{ obj: { x: '1', y: '2' } }], [['obj', { returnObjects: true }, { x: '1', y: '2' }]]],
    [
      'under a string',
      [{ present: 'P' }, { 'present.sub': 'S' }],
      [
        ['present', {}, 'P'],
        ['present.sub', {}, 'S'],
      ],
    ],
    [
      'before the string',
      [{ 'present.sub': 'S' }, { present: 'P' }],
      [
        ['present', {}, 'P'],
        ['present.sub', {}, 'S'],
      ],
    ],
    ['__proto__', [JSON.parse('{"__proto__":"p"}')], [['__proto__', {}, 'p']]],
    ['updateMissing', [{ present: 'old' }, { present: 'new default' }], [['present', {}, 'old']]],
    ['an odd key', [{ 'a/b: c? 100% #1 & "q"': 'odd' }], [['a/b: c? 100% #1 & "q"', {}, 'odd']]],
  ]
  for (const [what, bodies, expected] of recorded) {
    for (const parallel of [false, true]) {
      const path = `${web}/bundles/en/m${++serial}`
      const send = (body: unknown) => server.post(path, acme.key, body, { 'content-type': 'application/json' })
      const replies = parallel ? await Promise.all(bodies.map(send)) : []
      if (!parallel) for (const body of bodies) replies.push(await send(body))
      t.ok(
        replies.every(reply => reply.status === 200),
        `${what}: all registered`,
      )
      if (parallel && what === 'updateMissing') continue
      const resource = (await server.get(path, acme.key)).json
      for (const [key, options, result] of expected) await finds(t, resource, key, options, result)
    }
  }
  const path = `${web}/bundles/en/m${++serial}`
  isError(t, await server.post(path, acme.key, { num: 5 }), 422, 'a number as default')
  const empty = await server.post(path, acme.key, { emptyd: '' })
  t.equal(empty.json?.added, 1, 'an empty default registers the key')
  t.strictSame((await server.get(path, acme.key)).json, { emptyd: '' })
  t.equal((await server.post(path, acme.key, { emptyd: 'filled' })).json?.updated, 1, 'and may be filled later')
})
