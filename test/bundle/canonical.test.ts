import { execFileSync } from 'node:child_process'
import t from 'tap'
import { blobId, EMPTY_BUNDLE_BYTES, EMPTY_BUNDLE_ID, parseBundle, renderBundle } from '../../src/bundle/canonical.ts'
import { putKey } from '../../src/bundle/edit-key.ts'
import { fill, overwrite } from '../../src/bundle/merge.ts'
import { peel } from '../../src/bundle/message.ts'
import type { Bundle } from '../../src/bundle/resource.ts'
import { restoreBundle, restoreKey } from '../../src/bundle/revert.ts'
import { empty, FLAT, failure, file, fragment, NESTED, parsed, pushed, renamedKey } from './pushing.ts'

const members = (text: string) => [...text.matchAll(/^ {2}"((?:[^"\\]|\\.)*)": /gm)].map(match => match[1])

t.test('members stand by key in code-unit order, the forms of a plural together in CLDR order', async t => {
  const names = [
    'item x',
    'item_x',
    'item_ordinal_two',
    'item_other',
    'item_zero',
    'item_one',
    'item',
    'item_ordinal_one',
    'items',
    'item-',
    'Item',
    '10',
    '9',
    '_one',
    'é',
    '😀',
    '\uffee',
    '__proto__',
    'item_ordinal',
  ]
  const bundle = parsed(
    JSON.stringify(Object.fromEntries(names.map(name => [name, 'x']))).replace('}', ',"__proto__":"x"}'),
  )
  t.strictSame(members(file(bundle)), [
    '10',
    '9',
    'Item',
    '__proto__',
    '_one',
    'item',
    'item_zero',
    'item_one',
    'item_other',
    'item_ordinal_one',
    'item_ordinal_two',
    'item x',
    'item-',
    'item_ordinal',
    'item_x',
    'items',
    'é',
    '😀',
    '\uffee',
  ])
})

t.test('a branch sorts by its own name, even one that looks like a form', async t => {
  const bundle = parsed('{"menu_one":{"t":"1"},"menu_other":"n","menu":{"t":"0"},"menu_a":"x"}')
  t.strictSame(members(file(bundle)), ['menu', 'menu_other', 'menu_a', 'menu_one'])
})

t.test('rows come in the order of the file, one a key', async t => {
  const bundle = parsed('{"b":"x","a":{"z":"1","c_other":"n","c":"t","c_one":"1"},"list":["0",{"t":"x"}]}')
  t.strictSame(bundle.rows(), [
    { key: 'a.c', message: { text: 't', cardinal: { one: '1', other: 'n' } } },
    { key: 'a.z', message: '1' },
    { key: 'b', message: 'x' },
    { key: 'list.0', message: '0' },
    { key: 'list.1.t', message: 'x' },
  ])
})

t.test('two spaces, LF, one final newline, no escapes but JSON.stringify’s', async t => {
  const resource = { a: { b: 'über\n"q"\\\t\u2028\u007f/😀', list: ['x', ['y']] }, 'k"': 'v' }
  const text = file(pushed(resource))
  t.equal(text, `${JSON.stringify(resource, null, 2)}\n`)
})

t.test('more than ten items stay in their order', async t => {
  const list = Array.from({ length: 12 }, (_, at) => `i${at}`)
  t.strictSame(JSON.parse(file(pushed({ list }))), { list })
})

t.test('an empty bundle', async t => {
  t.equal(file(empty), '{}\n')
  t.equal(renderBundle(parsed('{"a":{},"b":[[]]}')).toString(), '{}\n')
  t.equal(EMPTY_BUNDLE_BYTES.toString(), '{}\n')
  t.equal(EMPTY_BUNDLE_ID, blobId(Buffer.from('{}\n')))
})

t.test('the id is the one that git gives', async t => {
  const bytes = renderBundle(pushed({ a: 'ü' }))
  t.equal(blobId(bytes), execFileSync('git', ['hash-object', '--stdin'], { input: bytes, encoding: 'utf8' }).trim())
})

t.test('renders every key in its place, top-level dots included', async t => {
  const text = '{\n  "a.b": "x",\n  "c": {\n    "d.e": "y"\n  }\n}\n'
  t.equal(file(parsed(text)), text)
})

t.test('a byte-order mark is skipped', async t => {
  t.equal(file(parsed('\ufeff{"a":"x"}')), '{\n  "a": "x"\n}\n')
})

t.test('no resource at all', async t => {
  for (const text of [
    '',
    '[]',
    'null',
    '"x"',
    '{',
    '{"a":1}',
    '{"a":null}',
    '{"a":{"b":"x"},"a.b":"y"}',
    '{"a":[{},"x"]}',
  ]) {
    t.ok(
      failure('unfit', () => parsed(text)),
      text,
    )
  }
  t.ok(failure('unfit', () => parseBundle(Buffer.from([0x7b, 0xff, 0x7d]), NESTED)))
})

t.test('a flat file has every key at the top', async t => {
  t.equal(
    file(parsed('{"a":{"b_one":"x","b":"t"},"list":["y"]}', FLAT)),
    '{\n  "a.b": "t",\n  "a.b_one": "x",\n  "list.0": "y"\n}\n',
  )
})

t.test('what JSON escapes is escaped, however it comes into a bundle that held nothing of the kind', async t => {
  const plain = () => pushed({ a: 'x', nav: { home: 'h' } })
  for (const text of ['"', '\\', '\n', '\u0001', '\u001f', 'a"b', '"}', '\\u0041']) {
    const ways: [told: string, made: Bundle, at: string, value: string][] = [
      ['a pushed text', overwrite(plain(), fragment({ b: text })).bundle, 'b', text],
      ['a pushed name', overwrite(plain(), fragment({ [text]: 'y' })).bundle, text, 'y'],
      ['a pushed branch', overwrite(plain(), fragment({ [text]: { c: 'y' } })).bundle, `${text}.c`, 'y'],
      ['a filled form', fill(plain(), fragment({ n_one: text })).bundle, 'n_one', text],
      ['a first push', pushed({ b: text }), 'b', text],
      ['one key', putKey(plain(), 'a', text).bundle, 'a', text],
      ['a new key of that name', putKey(plain(), text, 'y').bundle, text, 'y'],
      ['a new name', renamedKey(plain(), 'a', text)!, text, 'x'],
      ['a restored key', restoreKey(plain(), pushed({ b: text }), 'b').bundle, 'b', text],
      ['a restored bundle', restoreBundle(plain(), pushed({ b: text }), FLAT).bundle, 'b', text],
      ['a file', parsed(JSON.stringify({ b: text })), 'b', text],
      ['a flat file', parsed(JSON.stringify({ b: text }), FLAT), 'b', text],
    ]
    for (const [told, made, at, value] of ways) {
      const again = parsed(file(made), made.format)
      const leaf = peel(at)
      t.equal(again.tree.get(leaf.key)?.value(leaf), value, `${told}: ${JSON.stringify(text)}`)
      t.equal(file(again), file(made), told)
    }
  }
})
