/** PUT of one key: names in the path, texts and forms, refusals, limits and shapes of the body. */
import i18next from 'i18next'
import t, { type Test } from 'tap'
import { isError, oneOf, openWeb, segment } from './server.ts'

const { server, acme, web } = await openWeb(t)
let serial = 0

const bundle = () => `${web}/bundles/en/k${++serial}`
const put = (path: string, key: string, value: unknown) => server.put(`${path}/${segment(key)}`, acme.key, { value })
const namespaceOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const message = async (path: string, key: string) =>
  (await server.model(acme.key, web, 'en', namespaceOf(path))).get(key)

async function stored(resource: Record<string, unknown>): Promise<string> {
  const path = bundle()
  await server.must('PUT', path, { key: acme.key, body: resource })
  return path
}

async function finds(t: Test, path: string, key: string, options: Record<string, unknown>, text: string) {
  const resource = (await server.get(path, acme.key)).json
  const app = i18next.createInstance()
  await app.init({ lng: 'en', fallbackLng: false, nsSeparator: false, resources: { en: { translation: resource } } })
  t.equal(app.t(key, options), text, `t(${JSON.stringify(key).slice(0, 60)})`)
}

t.test('stores a name with escapes unchanged after requests with similar names', async t => {
  // Compared by bytes: JSON.parse of Node 24 has this fault (nodejs/node#63785) in this process as well.
  for (const [before, sent, name] of [
    ['{"first":"x","\\\\":"y"}', '{"first":"x","\\"":"y"}', '"\\"": "y"'],
    ['{"first":"x","Say \\\\\\"hi":"y"}', '{"first":"x","Say \\"hi\\"":"y"}', '"Say \\"hi\\"": "y"'],
  ] as const) {
    await server.must('PUT', bundle(), { key: acme.key, body: before })
    const path = bundle()
    await server.must('PUT', path, { key: acme.key, body: sent })
    t.ok((await server.get(path, acme.key)).text.includes(name), sent)
    await server.must('PUT', `${path}/z`, { key: acme.key, body: { value: 'z' } })
    t.ok((await server.get(path, acme.key)).text.includes(name), 'after another write')
  }
})

t.test('stores and returns names of every kind', async t => {
  const keys = [
    'title',
    'friend_male',
    'nav.home',
    'a.b.c.d',
    'a/b',
    '/',
    '//',
    '/a/',
    'a:b',
    'ns:key',
    'with space',
    ' lead',
    'trail ',
  ]
  keys.push(
    'ключ',
    '日本語',
    'é',
    'e\u0301',
    '😀',
    '👩‍👩‍👧',
    'a%b',
    '%',
    '%41',
    '%2F',
    'a%2Fb',
    'a+b',
    'a&b=c',
    'a?b',
    'a#b',
    'a;b',
    'a,b',
  )
  keys.push(
    "it's",
    '"quoted"',
    '<b>',
    'back\\slash',
    'tab\tkey',
    'line\nfeed',
    '\u0001',
    '\u007f',
    '\u2028',
    'x_',
    '_one',
    'one',
    '_',
    '__proto__',
  )
  keys.push(
    'constructor',
    'toString',
    'hasOwnProperty',
    'prototype',
    '__proto__.x',
    'a.__proto__.b',
    'place_ordinal',
    '...',
    '....',
    'x.',
    '.x',
    'a..b',
  )
  keys.push(
    'Loading...',
    'Hello. World',
    'Hello, world! It is: fine.',
    '0',
    '10',
    'list.0',
    'item_plural',
    'step_0',
    'dryRun',
    'item_One',
    'common.json',
  )
  const path = bundle()
  for (const key of keys) {
    const reply = await put(path, key, `text of ${key}`)
    t.equal(reply.status, 200, segment(key))
    t.strictSame(reply.json, { key, namespace: namespaceOf(path), message: `text of ${key}` })
    t.match(reply.headers.etag, /^W\/"[0-9a-f]{40}"$/)
  }
  const model = await server.model(acme.key, web, 'en', namespaceOf(path))
  t.strictSame([...model.keys()].sort(), [...keys].sort(), 'one row a key')
  for (const key of keys) t.equal(model.get(key), `text of ${key}`, `the text of ${segment(key)}`)
  t.equal(({} as Record<string, unknown>).x, undefined, 'nothing is polluted')
  for (const key of [
    'title',
    'nav.home',
    'Loading...',
    'Hello. World',
    'a/b',
    '😀',
    '__proto__',
    'toString',
    'x.',
    '...',
    'a%2Fb',
  ]) {
    await finds(t, path, key, {}, `text of ${key}`)
  }
})

t.test('reads dots in a URL as part of the key', async t => {
  const path = bundle()
  for (const raw of [
    'a:b',
    'a+b',
    "it's",
    'a,b',
    'a;b',
    'a@b',
    'a!b',
    'a(b)',
    '~a',
    'a*b',
    'a$b',
    'a=b',
    'a&b',
    'nav.home',
  ]) {
    const reply = await server.put(`${path}/${raw}`, acme.key, { value: raw })
    t.equal(reply.status, 200, raw)
    t.equal(reply.json?.key, raw)
  }
})

t.test('merges a form into its plural', async t => {
  const path = bundle()
  const first = await put(path, 'item_one', '{{count}} item')
  t.strictSame(first.json, {
    key: 'item',
    namespace: namespaceOf(path),
    message: { cardinal: { one: '{{count}} item' } },
  })
  const second = await put(path, 'item_other', '{{count}} items')
  t.strictSame(second.json.message, { cardinal: { one: '{{count}} item', other: '{{count}} items' } })
  t.strictSame(
    (await put(path, 'item_one', 'a single item')).json.message.cardinal.other,
    '{{count}} items',
    'the other stays',
  )
  await finds(t, path, 'item', { count: 1 }, 'a single item')
  await finds(t, path, 'item', { count: 7 }, '7 items')
  const few = await put(path, 'item_few', 'few')
  t.equal(few.status, 200, 'a form that English lacks is stored')
  t.strictSame(few.json.message.cardinal, { one: 'a single item', few: 'few', other: '{{count}} items' })
  const read = await server.get(path, acme.key)
  t.equal(read.text, '{\n  "item_one": "a single item",\n  "item_few": "few",\n  "item_other": "{{count}} items"\n}\n')
})

t.test('stores dotted, odd and ordinal plurals', async t => {
  const path = bundle()
  for (const [leaf, base, kind, form] of [
    ['cart.line_one', 'cart.line', 'cardinal', 'one'],
    ['place_ordinal_two', 'place', 'ordinal', 'two'],
    ['cart.place_ordinal_few', 'cart.place', 'ordinal', 'few'],
    ['friend_male_one', 'friend_male', 'cardinal', 'one'],
    ['a_one_other', 'a_one', 'cardinal', 'other'],
    ['_ordinal_one', '_ordinal', 'cardinal', 'one'],
    ['Loading._one', 'Loading.', 'cardinal', 'one'],
    ['with space_many', 'with space', 'cardinal', 'many'],
    ['a/b_zero', 'a/b', 'cardinal', 'zero'],
    ['x__one', 'x_', 'cardinal', 'one'],
    ['__proto___one', '__proto__', 'cardinal', 'one'],
    ['line\nfeed_one', 'line\nfeed', 'cardinal', 'one'],
    ['z_ordinal_ordinal_one', 'z_ordinal', 'ordinal', 'one'],
  ] as const) {
    const reply = await put(path, leaf, leaf)
    t.equal(reply.status, 200, `${JSON.stringify(leaf)}: ${reply.text}`)
    t.strictSame(reply.json, { key: base, namespace: namespaceOf(path), message: { [kind]: { [form]: leaf } } })
    t.strictSame(await message(path, base), { [kind]: { [form]: leaf } }, 'in the model')
  }
  await finds(t, path, 'place', { count: 2, ordinal: true }, 'place_ordinal_two')
  await finds(t, path, 'cart.line', { count: 1 }, 'cart.line_one')
})

t.test('replaces a whole plural', async t => {
  const path = bundle()
  const value = { one: '1', other: 'n' }
  const made = await put(path, 'item', value)
  t.strictSame(made.json, { key: 'item', namespace: namespaceOf(path), message: { cardinal: value } })
  const replaced = await put(path, 'item', { other: 'N', few: 'F' })
  t.strictSame(replaced.json.message, { cardinal: { few: 'F', other: 'N' } }, 'the forms of the kind are replaced')
  const ordinal = await put(path, 'item_ordinal', { one: '1st', other: 'nth' })
  t.equal(ordinal.status, 200, ordinal.text)
  t.equal(ordinal.json?.key, 'item')
  t.strictSame(ordinal.json?.message, { cardinal: { few: 'F', other: 'N' }, ordinal: { one: '1st', other: 'nth' } })
  t.strictSame((await put(path, 'item', { one: 'x' })).json.message, {
    cardinal: { one: 'x' },
    ordinal: { one: '1st', other: 'nth' },
  })
  const beside = await stored({ title: 'Title' })
  t.strictSame((await put(beside, 'title', value)).json?.message, { text: 'Title', cardinal: value }, 'a text stays')
  t.strictSame((await server.get(beside, acme.key)).json, { title: 'Title', title_one: '1', title_other: 'n' })
  const dotted = bundle()
  t.strictSame((await put(dotted, 'cart.line', value)).json.key, 'cart.line')
  t.strictSame((await server.get(dotted, acme.key)).json, { cart: { line_one: '1', line_other: 'n' } })
  const alone = bundle()
  t.strictSame((await put(alone, 'rank_ordinal', { one: '1st' })).json, {
    key: 'rank',
    namespace: namespaceOf(alone),
    message: { ordinal: { one: '1st' } },
  })
})

t.test('returns 422 when a value does not fit its key', async t => {
  const cases: [Record<string, unknown>, string, unknown, string][] = [
    [{ i_one: '1', i_other: 'n' }, 'i', 'text', 'a text at the base of a plural'],
    [{ i_one: '1' }, 'i', '', 'an empty text at the base of a plural'],
    [{ i_ordinal_one: '1st' }, 'i', 'text', 'a text at the base of an ordinal plural'],
    [{ n: { i_other: 'n' } }, 'n.i', 'text', 'a text at a dotted base'],
    [{ title: 'T' }, 'title_one', 'x', 'a form at a text'],
    [{ title: 'T' }, 'title_ordinal_one', 'x', 'an ordinal form at a text'],
    [{ title: '' }, 'title_one', 'x', 'a form at an untranslated text'],
    [{ p_ordinal_one: '1st' }, 'p_one', 'x', 'a cardinal form at an ordinal plural'],
    [{ p_one: '1' }, 'p_ordinal_one', 'x', 'an ordinal form at a cardinal plural'],
    [{ t: 'T', p_ordinal_one: '1st', p: 'P' }, 'p_other', 'x', 'a cardinal form at an ordinal plural with a text'],
    [{ a: 'A' }, 'b', '{n, plural, one {x} other {y}}', 'ICU'],
    [{ a: 'A' }, 'b_one', '{n, select, a {x} other {y}}', 'ICU in a form'],
    [{ a: 'A' }, 'b', { one: '{n, plural, one {x} other {y}}', other: 'y' }, 'ICU in a whole plural'],
    [{ a: 'A' }, 'b', 'a\u0000b', 'U+0000'],
    [{ a: 'A' }, 'b', { one: 'a\u0000b' }, 'U+0000 in a form'],
    [{ a: 'A' }, 'b', 'x'.repeat(100_001), 'a text too long'],
    [{ a: 'A' }, 'b', { one: 'x'.repeat(100_001) }, 'a form too long'],
  ]
  for (const [resource, key, value, what] of cases) {
    const path = await stored(resource)
    const before = (await server.get(path, acme.key)).text
    isError(t, await put(path, key, value), 422, what)
    t.equal((await server.get(path, acme.key)).text, before, `${what}: nothing written`)
  }
  const path = await stored({ a: 'A' })
  isError(t, await server.put(`${path}/b`, acme.key, '{"value":"a\\ud800b"}'), 422, 'a lone surrogate')
  isError(t, await put(path, 'b_one', { one: 'x' }), [400, 422], 'a whole plural at a form')
})

t.test('accepts values that fit their key', async t => {
  const cases: [Record<string, unknown>, string, unknown, unknown][] = [
    [{ i: 'I', i_one: '1' }, 'i', 'J', { text: 'J', cardinal: { one: '1' } }],
    [{ i: 'I', i_one: '1' }, 'i', '', { text: '', cardinal: { one: '1' } }],
    [{ i: 'I', i_one: '1' }, 'i_other', 'n', { text: 'I', cardinal: { one: '1', other: 'n' } }],
    [{ p_one: '1', p_ordinal_one: '1st' }, 'p_two', '2', { cardinal: { one: '1', two: '2' }, ordinal: { one: '1st' } }],
    [
      { p_one: '1', p_ordinal_one: '1st' },
      'p_ordinal_two',
      '2nd',
      { cardinal: { one: '1' }, ordinal: { one: '1st', two: '2nd' } },
    ],
    [{ i_one: '1', i_other: 'n' }, 'i_one', '', { cardinal: { one: '', other: 'n' } }],
    [{ t: 'T' }, 't', '', ''],
    [{ t: '' }, 't', 'T', 'T'],
    [{ f: 'friend' }, 'f_male', 'he', 'he'],
    [{ i_one: '1' }, 'i_male', 'x', 'x'],
    [{ s: 'x' }, 's', 'x'.repeat(100_000), 'x'.repeat(100_000)],
    [{ s: 'x' }, 's', '{name} {0} # {{count, number}} {n, number}', '{name} {0} # {{count, number}} {n, number}'],
  ]
  for (const [resource, key, value, after] of cases) {
    const path = await stored(resource)
    const reply = await put(path, key, value)
    t.equal(reply.status, 200, `${key}: ${reply.text.slice(0, 120)}`)
    t.strictSame(reply.json?.message, after, `${JSON.stringify(resource)} ${key}`)
    t.strictSame(await message(path, reply.json?.key), after, 'in the model')
  }
})

t.test('overwrites a key in every language', async t => {
  await server.must('PUT', `${web}/bundles/de/edits`, { key: acme.key, body: { a: 'A', i_one: '1' } })
  t.equal((await server.put(`${web}/bundles/de/edits/a`, acme.key, { value: 'B' })).status, 200)
  t.equal((await server.put(`${web}/bundles/de/edits/i_one`, acme.key, { value: 'eins' })).status, 200)
  t.strictSame((await server.get(`${web}/bundles/de/edits`, acme.key)).json, { a: 'B', i_one: 'eins' })
})

t.test('refuses a key above its limits', async t => {
  const path = bundle()
  t.equal((await put(path, 'k'.repeat(1024), 'x')).status, 200, '1,024 characters')
  t.equal((await put(path, 'ß'.repeat(1024), 'x')).status, 200, '1,024 characters of two bytes')
  isError(t, await put(path, 'k'.repeat(1025), 'x'), 400, '1,025 characters')
  t.equal((await put(path, Array.from({ length: 32 }, () => 's').join('.'), 'x')).status, 200, '32 segments')
  isError(t, await put(path, Array.from({ length: 33 }, () => 's').join('.'), 'x'), 400, '33 segments')
  isError(t, await put(path, 'a\u0000b', 'x'), 400, 'U+0000')
  for (const raw of ['%', '%2', '%zz', 'a%', '%E0%A4%A', '%ff', '%C0%AF', '%ED%A0%80', '%ED%A0%80%ED%B0%80']) {
    isError(t, await server.put(`${path}/${raw}`, acme.key, { value: 'x' }), 400, `${raw} is no text`)
  }
  oneOf(t, (await server.put(`${path}/`, acme.key, { value: 'x' })).status, [400, 404], 'no key')
  oneOf(
    t,
    (await server.put(`${path}/a/b`, acme.key, { value: 'x' })).status,
    [400, 404],
    'a slash that is not encoded',
  )
  for (const body of [{ ['k'.repeat(1025)]: 'x' }, { [Array.from({ length: 33 }, () => 's').join('.')]: 'x' }]) {
    isError(t, await server.post(path, acme.key, body), [400, 422], 'the same in a body')
  }
  const kept = (await server.get(path, acme.key)).json
  t.equal(Object.keys(kept).length, 3, 'only the valid keys are stored')
})

t.test('returns 400 for a body of another shape', async t => {
  const path = await stored({ a: 'A' })
  const raw = (body: string) => server.put(`${path}/a`, acme.key, body)
  for (const body of [
    '',
    '[]',
    '"x"',
    'null',
    '5',
    '{}',
    '{"Value":"x"}',
    '{"text":"x"}',
    '{"value":"x","extra":1}',
    '{"value":"x","__proto__":1}',
  ]) {
    isError(t, await raw(body), 400, body)
  }
  for (const value of [
    '5',
    'null',
    'true',
    '[]',
    '["x"]',
    '{}',
    '{"one":5}',
    '{"one":null}',
    '{"two_x":"x"}',
    '{"One":"x"}',
    '{"one":{"x":"y"}}',
  ]) {
    isError(t, await raw(`{"value":${value}}`), [400, 422], `value ${value}`)
  }
  t.match((await raw('{"value":"x","extra":1}')).json?.error, /extra/, 'an unknown field is named')
  t.strictSame((await server.get(path, acme.key)).json, { a: 'A' }, 'nothing written')
  const sized = (bytes: number) => `{${' '.repeat(bytes - 13)}"value":"x"}`
  t.equal((await raw(sized(256 * 1024))).status, 200, 'exactly 256 KiB')
  isError(t, await raw(sized(256 * 1024 + 1)), 413, 'one byte more')
})

t.test('creates a missing language and namespace, and returns 404 for a missing project', async t => {
  isError(t, await server.put('/api/projects/none/bundles/en/common/a', acme.key, { value: 'x' }), 404, 'project')
  const path = `${web}/bundles/sv/fresh`
  t.strictSame((await server.put(`${path}/a.b`, acme.key, { value: 'x' })).json, {
    key: 'a.b',
    namespace: 'fresh',
    message: 'x',
  })
  t.strictSame((await server.get(path, acme.key)).json, { a: { b: 'x' } }, 'language and namespace are created')
})
