import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { parseBundle } from '../../../src/bundle/canonical.ts'
import { LocaleDocument } from '../../../src/cli/local/document.ts'
import type { LocalBundle, Resource } from '../../../src/cli/local/local-bundle.ts'
import { render } from '../../../src/cli/local/render.ts'
import type { LocalProject } from '../../../src/cli/local/types.ts'
import { accepted, resource } from '../../bundle/resources.ts'

type Rules = Pick<LocalProject, 'sort' | 'indentation' | 'layout' | 'keySeparator'>

const RULES: Rules = { sort: true, indentation: 2, layout: 'files', keySeparator: '.' }
const file = { language: 'en', namespace: 'common', path: 'locales/en/common.json' }

function bundle(text: string, { layout }: Rules = RULES, namespace = 'common'): LocalBundle {
  const document = new LocaleDocument(file.path, Buffer.from(text))
  const branch = document.branchOf(layout === 'merged' ? namespace : undefined)
  const whole = JSON.parse(document.text)
  const own = (layout === 'merged' ? whole[namespace] : whole) ?? {}
  return {
    file: { ...file, namespace },
    bytes: document.bytes,
    isWhole: layout !== 'merged',
    document,
    branch,
    resource: own,
    placeOf: () => undefined,
  } as unknown as LocalBundle
}

/** A file's text after it got what is wanted; undefined when it stays. */
function rendered(text: string | undefined, wanted: Resource, rules: Partial<Rules> = {}): string | undefined {
  const all = { ...RULES, ...rules }
  const local = text === undefined ? undefined : bundle(text, all)
  const [content] = render([{ file, local, wanted }], all)
  return content && Buffer.from(content.bytes!).toString()
}

/** [title, the file, the wanted texts, the file after (undefined: untouched), other rules] */
const FILES: [
  title: string,
  text: string | undefined,
  wanted: Resource,
  after: string | undefined,
  rules?: Partial<Rules>,
][] = [
  ['a new file', undefined, { b: 'x', A: { c: 'y' } }, '{\n  "A": {\n    "c": "y"\n  },\n  "b": "x"\n}\n'],
  ['a new file with tabs', undefined, { a: 'x' }, '{\n\t"a": "x"\n}\n', { indentation: '\t' }],
  ['a new file in one line', undefined, { a: 'x', b: 'y' }, '{"a":"x","b":"y"}\n', { indentation: 0 }],
  ['a new file without texts', undefined, {}, undefined],
  ['the same texts in another order', '{\n "b": "x",\n "a": "y"}', { a: 'y', b: 'x' }, undefined],
  ['the same keys nested otherwise', '{"a.b": "x"}', { a: { b: 'x' } }, undefined],
  [
    'a changed text alone',
    '{\n    "b": "\\u00e9",\n    "a": "x"\n}',
    { a: 'z', b: 'é' },
    '{\n    "b": "\\u00e9",\n    "a": "z"\n}',
  ],
  [
    'a byte order mark, CRLF and no final newline',
    '\ufeff{\r\n\t"a": "x"\r\n}',
    { a: 'x', b: 'y' },
    '\ufeff{\r\n\t"a": "x",\r\n\t"b": "y"\r\n}',
  ],
  ['one line', '{"a":"x"}', { a: 'x', n: { b: 'y' } }, '{"a":"x","n":{"b":"y"}}'],
  ['one line with spaces', '{ "b": "x" }\n', { a: 'y', b: 'x', c: 'z' }, '{ "a": "y", "b": "x", "c": "z" }\n'],
  ['an empty file gets its first key', '{}\n', { a: { b: 'x' } }, '{\n  "a": {\n    "b": "x"\n  }\n}\n'],
  ['the last key goes', '{\n  "a": "x"\n}\n', {}, '{}\n'],
  ['the first goes', '{\n  "a": "x",\n  "b": "y"\n}\n', { b: 'y' }, '{\n  "b": "y"\n}\n'],
  ['the last goes', '{\n  "a": "x",\n  "b": "y"\n}\n', { a: 'x' }, '{\n  "a": "x"\n}\n'],
  [
    'an object goes with its last key, an empty one of before stays',
    '{"n": {"a": "x"}, "e": {}, "b": "y"}',
    { b: 'y' },
    '{"e": {}, "b": "y"}',
  ],
  [
    'a new object below',
    '{\n  "n": {\n    "b": "x"\n  }\n}\n',
    { n: { a: { c: 'y' }, b: 'x' } },
    '{\n  "n": {\n    "a": {\n      "c": "y"\n    },\n    "b": "x"\n  }\n}\n',
  ],
  ['an item more', '{"l": ["a", "b"]}', { l: ['a', 'b', 'c'] }, '{"l": ["a", "b", "c"]}'],
  ['an item less', '{"l": ["a", "b", "c"]}', { l: ['a', 'c'] }, '{"l": ["a", "c"]}'],
  [
    'a new list',
    '{\n  "a": "x"\n}\n',
    { a: 'x', l: ['b', { c: 'y' }] },
    '{\n  "a": "x",\n  "l": [\n    "b",\n    {\n      "c": "y"\n    }\n  ]\n}\n',
  ],
  [
    'a flat file stays flat',
    '{\n  "home.title": "x"\n}\n',
    { home: { body: 'y', title: 'x' } },
    '{\n  "home.body": "y",\n  "home.title": "x"\n}\n',
  ],
  [
    'a nested file stays nested',
    '{\n  "home": {\n    "title": "x"\n  }\n}\n',
    { 'home.body': 'y', 'home.title': 'x' },
    '{\n  "home": {\n    "body": "y",\n    "title": "x"\n  }\n}\n',
  ],
  [
    'sentences as keys',
    '{\n  "Save. Really.": "x"\n}\n',
    { 'Leave it.': 'y', 'Save. Really.': 'x' },
    '{\n  "Leave it.": "y",\n  "Save. Really.": "x"\n}\n',
    { keySeparator: false },
  ],
  ['a key without a name where an array was', '{"a": []}', { a: { '': 'x' } }, '{"a": {"": "x"}}'],
  ['a text in the way', '{"a": "x"}', { a: 'x', 'a.b': 'y' }, '{"a": "x","a.b": "y"}'],
  ['a text where keys were', '{"a": {"b": "y"}}', { a: 'x', 'a.b': 'y' }, '{"a": "x","a.b": "y"}'],
  ['keys where a text was', '{\n  "a": "x"\n}\n', { a: { b: 'y' } }, '{\n  "a": {\n    "b": "y"\n  }\n}\n'],
  [
    'a name as of an object’s machinery',
    '{"a": "x"}',
    JSON.parse('{"__proto__": {"constructor": "y"}, "a": "x"}'),
    '{"__proto__": {"constructor": "y"},"a": "x"}',
  ],
  ['the same number of members', '{"__proto__": {}}', { a: 'x' }, '{"__proto__": {},"a": "x"}'],
  ['an empty name is no item', '{"l": {"": "x"}}', { l: ['x'] }, '{"l": ["x"]}'],
  [
    'indices first, as JavaScript writes them',
    '{"_a": "1"}',
    { '9': 'n', '10': 't', _a: '1' },
    '{"9": "n","10": "t","_a": "1"}',
  ],
  [
    'case and plural forms, as i18next-cli sorts',
    '{"B": "1", "item_other": "2"}',
    { a: '', B: '1', item: '', item_few: '', item_one: '', item_other: '2', item_ordinal_one: '' },
    '{"a": "", "B": "1", "item": "", "item_one": "", "item_few": "", "item_other": "2", "item_ordinal_one": ""}',
  ],
  [
    'code units',
    '{"B": "1", "item_other": "2"}',
    { a: '', B: '1', item_few: '', item_one: '', item_other: '2' },
    '{"B": "1", "a": "", "item_few": "", "item_one": "", "item_other": "2"}',
    { sort: 'locize' },
  ],
  [
    'no order: behind the neighbour',
    '{"z": "1", "b": "2", "x": "3"}',
    { a: '', b: '2', c: '', d: '', x: '3', z: '1', zz: '' },
    '{"a": "", "z": "1", "zz": "", "b": "2", "c": "", "d": "", "x": "3"}',
    { sort: false },
  ],
  [
    'a renamed key has its old place without an order',
    '{"z": "1", "b": "2", "x": {"k": "3", "j": "4"}, "y": "5"}',
    { a: '2', x: { i: '4', l: '3' }, y: '5', z: '1' },
    '{"z": "1", "a": "2", "x": {"l": "3","i": "4"}, "y": "5"}',
    { sort: false },
  ],
  [
    'a renamed first, last, plural and empty key without an order',
    '{"z": "1", "b_one": "2", "b_other": "2", "w": "", "x": "3"}',
    { a: '3', c_one: '2', c_other: '2', v: '', y: '1' },
    '{"y": "1", "c_one": "2", "c_other": "2", "v": "", "a": "3"}',
    { sort: false },
  ],
  [
    'a key renamed into an object, and one out of it',
    '{"z": "1", "b": "2", "x": {"k": "3"}, "y": "5"}',
    { a: { c: '2' }, k: '3', y: '5', z: '1' },
    '{"z": "1", "a": {"c": "2"}, "k": "3", "y": "5"}',
    { sort: false },
  ],
  [
    'a renamed key has its old place in an unsorted object, a new one is sorted',
    '{"z": "1", "b": "2", "x": "3"}',
    { a: '2', c: '4', x: '3', z: '1' },
    '{"z": "1", "a": "2", "c": "4", "x": "3"}',
  ],
  [
    'a renamed key moves in an object that is in the order',
    '{"a": "1", "b": "2", "x": "3"}',
    { b: '2', x: '3', y: '1' },
    '{"b": "2", "x": "3", "y": "1"}',
  ],
  [
    'an order of the project’s own',
    '{"c": "1", "a": "2"}',
    { a: '2', b: '', c: '1' },
    '{"c": "1", "b": "", "a": "2"}',
    { sort: (a, b) => (a.key < b.key ? 1 : -1) },
  ],
]

for (const [title, text, wanted, after, rules] of FILES) {
  t.test(title, async t => {
    t.equal(rendered(text, wanted, rules), after)
    if (after !== undefined) t.equal(rendered(after, wanted, rules), undefined, 'and then stays')
  })
}

t.test('namespaces of one file are written at once', async t => {
  const rules = { ...RULES, layout: 'merged' as const }
  const text = '{\n  "home": {\n    "b": "x"\n  },\n  "common": {\n    "a": "y"\n  }\n}\n'
  const change = (namespace: string, wanted: Resource) => {
    const local = bundle(text, rules, namespace)
    return { file: local.file, local, wanted }
  }
  const same = [change('home', { b: 'x' }), change('common', { a: 'y' })]
  t.same(render(same, rules), [])
  const [content, ...others] = render(
    [change('home', { a: 'n', b: 'x' }), change('shop', { buy: 's' }), same[1]!],
    rules,
  )
  t.same(others, [])
  t.equal(
    Buffer.from(content!.bytes!).toString(),
    '{\n  "home": {\n    "a": "n",\n    "b": "x"\n  },\n  "common": {\n    "a": "y"\n  },\n  "shop": {\n    "buy": "s"\n  }\n}\n',
  )
})

/** The texts of a resource by their places joined with dots, by another way than the code under test. */
function texts(value: object, prefix = ''): Record<string, string> {
  const entries = Object.entries(value).flatMap(([name, below]) =>
    typeof below === 'string' ? [[prefix + name, below]] : Object.entries(texts(below, `${prefix}${name}.`)),
  )
  return Object.fromEntries(entries)
}

/** What the server can hold. */
const RESOURCES = resource.filter(value =>
  Boolean(accepted(() => parseBundle(Buffer.from(JSON.stringify(value)), 'i18next-json'))),
) as fc.Arbitrary<Resource>
const SORTS = fc.constantFrom<LocalProject['sort']>(true, false, 'locize', (a, b) => (a.key < b.key ? -1 : 1))
const SPACES = fc.constantFrom(2, 4, '\t', 0)
const STYLES = fc.record({
  bom: fc.constantFrom('', '\ufeff'),
  newline: fc.constantFrom('\n', '\r\n'),
  end: fc.constantFrom('', '\n'),
})

t.test('what is there is not touched, what is wanted is there afterwards, and once is enough', async () => {
  fc.assert(
    fc.property(RESOURCES, RESOURCES, SORTS, SPACES, STYLES, (present, wanted, sort, indentation, style) => {
      const rules: Rules = { ...RULES, sort, indentation }
      const body = JSON.stringify(present, null, indentation).replaceAll('\n', style.newline)
      const text = style.bom + body + style.end
      if (rendered(text, present, rules) !== undefined) return false
      const after = rendered(text, wanted, rules)
      if (after === undefined) return JSON.stringify(sorted(texts(present))) === JSON.stringify(sorted(texts(wanted)))
      assert.deepEqual(sorted(texts(JSON.parse(after.replace('\ufeff', '')))), sorted(texts(wanted)))
      const [before, end] = [after.startsWith('\ufeff'), after.endsWith('\n')]
      return before === (style.bom !== '') && end === (style.end !== '') && rendered(after, wanted, rules) === undefined
    }),
  )
})

const sorted = (record: Record<string, string>) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))

t.test('a new file is what an empty one becomes', async () => {
  const rules = fc.record({ sort: SORTS, keySeparator: fc.constantFrom('.' as const, false as const) })
  fc.assert(
    fc.property(RESOURCES, rules, (wanted, rules) => {
      assert.equal(rendered(undefined, wanted, rules), rendered('{}\n', wanted, rules))
    }),
  )
})

t.test('lines that do not change stay', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-zA-Z]{1,4}$/), { minLength: 1 }),
      SORTS,
      fc.nat(),
      (names, sort, at) => {
        const all = Object.fromEntries(names.map((name, number) => [name, String(number)]))
        const text = `${JSON.stringify(all, null, 2)}\n`
        const { [names[at % names.length]!]: _, ...others } = all
        const without = rendered(text, others, { sort })!
        const lines = (text: string) => text.split('\n').map(line => line.replace(/,$/, ''))
        const kept = lines(text).filter(line => !line.startsWith(`  ${JSON.stringify(names[at % names.length])}:`))
        return names.length === 1 || JSON.stringify(lines(without)) === JSON.stringify(kept)
      },
    ),
  )
})
