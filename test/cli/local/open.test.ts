/** What is understood of an app's i18next config, of parlance.config.json, and of the disk. */
import t, { type Test } from 'tap'
import { openLocal } from '../../../src/cli/local/open.ts'
import type { LocalProject, OwnFields } from '../../../src/cli/local/types.ts'
import { Problem } from '../../../src/cli/problem.ts'
import { newFolder } from '../../new-folder.ts'

type Tree = { [name: string]: string | Tree }

/** An app of these files. */
const open = (t: Test, files: Tree, own: OwnFields = {}) => openLocal(newFolder(t, files), own)

/** What opening, or the act on what was opened, is refused with. */
async function refused(t: Test, files: Tree, own: OwnFields = {}, act?: (app: LocalProject) => unknown) {
  try {
    const app = await open(t, files, own)
    await act?.(app)
  } catch (error) {
    if (error instanceof Problem) return error.sentence
    throw error
  }
  return t.fail('it was taken')
}

const config = (fields: string, extract = '') => `export default {
  ${fields},
  extract: { input: 'src', output: 'locales/{{language}}/{{namespace}}.json', ${extract} },
}`
const listed = async (app: LocalProject) =>
  (await app.find()).map(({ language, namespace, path }) => `${language} ${namespace} ${path}`)

t.test('an i18next config says it all', async t => {
  const app = await open(t, {
    'i18next.config.ts': `${config("locales: ['de', 'en']", "primaryLanguage: 'en', keySeparator: null, sort: 'locize', indentation: '\\t', ignoreNamespaces: ['x'], defaultNS: 'home'").replace(/}$/, "types: { input: 'x', output: 'src/i18n.d.ts' } }")}`,
    locales: {
      de: { 'home.json': '{}', 'x.json': '{}', 'note.txt': '' },
      en: { 'home.json': '{}' },
      fr: { 'home.json': '{}' },
    },
  })
  t.same(await listed(app), ['de home locales/de/home.json', 'en home locales/en/home.json'])
  const { languages, sourceLanguage, keySeparator, nsSeparator, sort, indentation, defaultNamespace, typesOutput } = app
  t.same(
    { languages, sourceLanguage, keySeparator, nsSeparator, sort, indentation, defaultNamespace, typesOutput },
    {
      languages: ['de', 'en'],
      sourceLanguage: 'en',
      keySeparator: false,
      nsSeparator: ':',
      sort: 'locize',
      indentation: '\t',
      defaultNamespace: 'home',
      typesOutput: 'src/i18n.d.ts',
    },
  )
  t.equal(app.format([]), 'i18next-json-flat')
  t.match(app.origins, { languages: 'i18next.config.ts', nsSeparator: 'default' })
  t.equal(app.pathOf('fr', 'shop'), 'locales/fr/shop.json')
})

t.test('how placeholders are written is read from i18next’s options and those of i18next-cli', async t => {
  const underscores = { prefix: '__', suffix: '__' }
  const rows: [beside: string, extract: string, interpolation: object | undefined][] = [
    ['', '', undefined],
    ["interpolation: { prefix: '__', suffix: '__' }", '', underscores],
    ['', "interpolation: { prefix: '__', suffix: '__' }", underscores],
    ['', "interpolationPrefix: '__', interpolationSuffix: '__'", underscores],
    ["interpolation: { prefix: '{{{', escapeValue: false }", '', { prefix: '{{{', suffix: '}}' }],
    ["interpolation: { suffix: '}' }", '', { prefix: '{{', suffix: '}' }],
    ["interpolation: { prefix: '{{', suffix: '}}' }", '', { prefix: '{{', suffix: '}}' }],
    ["interpolation: { prefixEscaped: '\\\\[\\\\[', suffixEscaped: '\\\\]\\\\]' }", '', { prefix: '[[', suffix: ']]' }],
    ["interpolation: { prefixEscaped: '%\\\\{', suffixEscaped: '}' }", '', { prefix: '%{', suffix: '}' }],
    ['interpolation: { escapeValue: false }', "interpolation: { prefix: '__', suffix: '__' }", underscores],
    ["interpolation: { prefix: '__', prefixEscaped: '%', suffix: '__' }", '', underscores],
    ['interpolation: { escapeValue: false }', '', undefined],
    ['interpolation: { prefix: "", suffix: null }', '', undefined],
    ['interpolation: false', '', undefined],
  ]
  for (const [beside, extract, interpolation] of rows) {
    const file = config(["locales: ['en']", ...(beside ? [beside] : [])].join(', '), extract)
    const app = await open(t, { 'i18next.config.mjs': file, locales: { en: { 'home.json': '{}' } } })
    t.same(app.interpolation, interpolation, `${beside} ${extract}`)
    t.equal(app.interpolationFault, undefined, beside)
  }
  for (const beside of [
    "interpolation: { prefixEscaped: '__', suffixEscaped: '_+' }",
    "interpolation: { prefix: ':', suffix: ' ' }",
    'interpolation: { prefix: /a/, suffix: "b" }',
    'interpolation: { prefix: "x".repeat(21), suffix: "b" }',
  ]) {
    const file = config(`locales: ['en'], ${beside}`, '')
    const app = await open(t, { 'i18next.config.mjs': file, locales: { en: { 'home.json': '{}' } } })
    t.equal(app.interpolation, undefined, beside)
    t.match(app.interpolationFault, /interpolation/, 'the app is opened all the same')
  }
})

t.test('parlance.config.json wins', async t => {
  const files = { 'i18next.config.mjs': config("locales: ['en']"), i18n: { en: { 'a.json': '{}', 'b.json': '{}' } } }
  const app = await open(t, files, { output: 'i18n/{{lng}}/{{namespace}}.json', namespaces: ['b'], sort: false })
  t.same(await listed(app), ['en b i18n/en/b.json'])
  t.equal(app.sort, false)
  t.equal(app.origins.output, 'parlance.config.json')
  const own = { languages: ['de'], sourceLanguage: 'en' }
  t.same((await open(t, files, own)).languages, ['en', 'de'], 'the source is one of them')
  t.same(own.languages, ['de'], 'what was given stays as it is')
})

t.test('an output that is a function, of a file in a folder of its feature', async t => {
  const app = await open(t, {
    'i18next.config.ts': config(
      "locales: ['en', 'de']",
      'output: (l: string, n = "x") => ["src", n, l + ".json"].join("/")',
    ),
    src: { shop: { 'en.json': '{}', 'de.json': '{}' }, cart: { 'en.json': '{}' } },
  })
  t.same(await listed(app), ['en cart src/cart/en.json', 'en shop src/shop/en.json', 'de shop src/shop/de.json'])
})

t.test('without a config the usual layouts are found', async t => {
  const folders = await open(t, {
    public: { locales: { de: { 'a.json': '{}' }, en: { 'a.json': '{}' }, 'read.me': '' } },
  })
  t.same([folders.languages, folders.sourceLanguage, folders.sort], [['en', 'de'], 'en', false])

  const english = await open(t, {
    i18n: { 'lang-en_GB.json': '{}', 'lang-en_US.json': '{}', 'lang-de_DE.json': '{}' },
  })
  t.equal(english.sourceLanguage, 'en-US', 'not the first English by alphabet')
  t.same(await listed(folders), ['en a public/locales/en/a.json', 'de a public/locales/de/a.json'])
  t.equal(folders.origins.languages, 'found public/locales/{{language}}/{{namespace}}.json')
  const files = await open(
    t,
    { messages: { 'en.json': '{"home": {"title": "x"}, "nav": {"back": "y"}}', 'pl.json': '{}' } },
    { nsSeparator: false },
  )
  t.same(files.layout, { only: 'translation' })
  t.same(await listed(files), ['en translation messages/en.json', 'pl translation messages/pl.json'])
  t.match(await refused(t, { locales: { en: { 'a.yaml': '' } } }), /locales\/en\/a\.yaml is not JSON/)
  t.match(await refused(t, { src: {} }), /No locale files are found in this folder\. Run `parlance init`/)
})

t.test('a language with renamed files has the name on disk', async t => {
  const own = { languages: ['en', 'zh_CN', 'pt-BR'], output: 'l/{{language}}/{{namespace}}.json' }
  const renamed = { en: { 'a.json': '{}' }, 'zh-CN': { 'a.json': '{}' }, pt_BR: { 'a.json': '{}' } }
  const app = await open(t, { l: renamed }, own)
  t.same(await listed(app), ['en a l/en/a.json', 'zh-CN a l/zh-CN/a.json', 'pt-BR a l/pt_BR/a.json'])
  t.same(await app.leftOut(), [])
  const both = await open(t, { l: { ...renamed, zh_CN: { 'a.json': '{}' } } }, own)
  t.match(await both.leftOut(), [{ path: 'l/zh-CN/a.json', reason: 'The texts of zh-CN are in zh_CN.' }])
})

t.test('a template alone finds the languages', async t => {
  const app = await open(
    t,
    { x: { 'a.en.json': '{}', 'a.de.json': '{}', 'a.zz-.json': '{}' } },
    { output: 'x/{{namespace}}.{{language}}.json' },
  )
  t.same(app.languages.toSorted(), ['de', 'en'])
})

t.test('one file a language', async t => {
  const merged = (extract: string, en: string) =>
    open(t, {
      'i18next.config.js': config("locales: ['en', 'de']", `output: 'l/{{language}}.json', ${extract}`),
      l: { 'en.json': en },
    })
  const namespaces = await merged('mergeNamespaces: true', '{"translation": {"a": "x"}, "shop": {"b": "y"}}')
  t.equal(namespaces.layout, 'merged')
  const [first, second] = await namespaces.read(await namespaces.find())
  t.same([first!.resource, second!.resource], [{ a: 'x' }, { b: 'y' }])
  t.equal(namespaces.pathOf('de', 'new'), 'l/de.json')
  t.same((await merged('', '{"a": "x"}')).layout, { only: 'translation' })
  t.same((await merged('defaultNS: false', '{"a": {"b": "x"}}')).layout, { only: 'translation' })
  t.same((await merged("nsSeparator: false, defaultNS: 'app'", '{"a": {"b": "x"}}')).layout, { only: 'app' })
  for (const text of ['{}', '{"shop": {"b": "y"}}', '{"translation": {"b": "y"}, "shop": {"b": "y"}}']) {
    t.same((await merged('', text)).layout, { only: 'translation' }, 'with any content of the file')
  }
  const app = await merged('defaultNS: false', '{"a": "x"}')
  t.throws(() => app.pathOf('en', 'shop'), { message: /"shop" has no place/ })
})

t.test('the format that fits', async t => {
  const formatOf = async (text: string, own: OwnFields = {}) => {
    const app = await open(t, { locales: { en: { 'a.json': text } } }, own)
    return app.format(await app.read(await app.find()))
  }
  t.equal(await formatOf('{"a": "x"}'), 'i18next-json')
  t.equal(await formatOf('{"home.title": "x"}'), 'i18next-json-flat')
  t.equal(await formatOf('{"home.title": "x", "a": {"b": "y"}}'), 'i18next-json')
  t.equal(await formatOf('{"Loading...": "x", "No. Never.": "y"}'), 'i18next-json', 'sentences')
  t.equal(await formatOf('{"a": "x"}', { keySeparator: false }), 'i18next-json-flat')
})

t.test('reports a wrong config with its file and option', async t => {
  const wrong = (fields: string, extract = '') =>
    refused(t, { 'i18next.config.ts': config(fields, extract) }, {}, app => app.find())
  t.match(await wrong("locales: 'en'"), /^i18next\.config\.ts: "locales" must be a list/)
  t.match(
    await wrong("locales: ['zhtw']"),
    /i18next\.config\.ts: The language "zhtw" is not a language tag.*"languageNames"/,
  )
  for (const format of ['json5', 'yaml', 'js', 'ts']) {
    t.match(
      await wrong("locales: ['en']", `outputFormat: '${format}'`),
      `"extract.outputFormat" is "${format}"; Parlance writes JSON only`,
    )
  }
  for (const ending of ['yaml', 'json5', 'ts']) {
    const told = `i18next.config.ts: l/en/translation.${ending} is not JSON, and Parlance reads and writes JSON only`
    t.match(await wrong("locales: ['en']", `output: 'l/{{language}}/{{namespace}}.${ending}'`), told)
  }
  t.equal(
    (await open(t, { 'i18next.config.ts': "export default { locales: ['en'], extract: null, types: null }" })).sort,
    true,
  )
  t.match(
    await refused(t, { locales: { en: { 'a.json': '{}' } } }, { languages: ['en', 'english!'] }),
    /^parlance\.config\.json: The language "english!"/,
  )
  t.match(await wrong("locales: ['en']", 'sort: 3'), /"extract\.sort" must be true, false, "locize" or a function/)
  t.match(await wrong("locales: ['en', 'de']", "output: 'l/{{namespace}}.json'"), /put \{\{language\}\} into the path/)
  t.match(await wrong("locales: ['en']", "output: '../l/{{language}}.json'"), /leads out of the folder/)
  t.match(
    await wrong("locales: ['en']", 'output: () => { throw new Error("no idea") }'),
    /extract\.output fails for en, a: no idea/,
  )
  t.match(await refused(t, { 'i18next.config.ts': 'export const a = 1' }), /It has no default export/)
  t.match(await refused(t, { 'i18next.config.ts': 'export default () => ({})' }), /is a function/)
  t.match(await refused(t, { 'i18next.config.ts': 'throw new Error("boom")' }), /It cannot be run: boom/)
  t.match(await refused(t, { 'i18next.config.ts': 'export default {' }), /^i18next\.config\.ts: It cannot be run/)
  const named = { locales: { en: { 'my ns.json': '{}' } } }
  t.match(
    await refused(t, named, {}, app => app.find()),
    /^locales\/en\/my ns\.json: The namespace "my ns" is not valid/,
  )
})

/** [the file, what its refusal says] */
const BROKEN: [text: string, sentence: string][] = [
  ['', '1:1: The file is empty; an empty one is {}.'],
  ['[]', '1:1: A locale file must be a JSON object of keys and texts.'],
  ['{\n  // greeting\n  "a": "x"\n}', '2:3: JSON has no comments; remove this one.'],
  ['{\n  "a": "x",\n}', '3:1: Remove the comma before this "}".'],
  ['{\n  "a": "x"\n  "b": "y"\n}', '2:11: A comma is missing behind this.'],
  [
    '{\n  "n": {\n    "a": "x",\n    "a": "y"\n  }\n}',
    '4:5: The object has this name twice; remove one of them. (key "n.a")',
  ],
  ['{"a": {"b": "x"},\n"a.b": "y"}', '2:1: Line 1 has the same key; remove one of them. (key "a.b")'],
  ['{"a": "x\\ud83d"}', '1:7: Half a surrogate pair stands in this text; write the whole character. (key "a")'],
  ['{"a": "x\ny"}', '1:9: A line break in a text must be escaped; write \\n. (key "a")'],
  ['{"a": "\\x"}', '1:7: A backslash in this text begins no escape; write \\\\ for the sign itself. (key "a")'],
  ["{'a': 'x'}", '1:2: A name must stand here, in double quotes.'],
  ['{"a": undefined}', '1:7: "undefined" is no JSON value; texts stand in double quotes. (key "a")'],
  ['{"a": 01}', '1:7: "01" is no JSON value; texts stand in double quotes. (key "a")'],
  ['{"n": {"a": 1}}', '1:8: A value must be a text in quotes, not a number, true, false or null. (key "n.a")'],
  ['{"a": "x"', '1:10: The file ends before it is complete: "}" is missing.'],
  ['{"a": ["x",]}', '1:12: Remove the comma before this "]". (key "a.1")'],
  ['{"a" "x"}', '1:6: A colon must follow the name "a".'],
  ['{"a": "x\u0007"}', '1:9: A control character in a text must be escaped; write \\u0007. (key "a")'],
  ['{"a": "x', '1:7: This text has no closing quote. (key "a")'],
  ['{"a": "x"]', '1:10: "]" cannot stand here: a comma or "}" must follow.'],
  ['{"a":'.repeat(300), `1:1001: It nests deeper than 200 levels. (key "${'a.'.repeat(30)}…")`],
  ['{"a": "x"} {}', '1:12: Something stands behind the end of the JSON value; remove it.'],
  [
    '{\n<<<<<<< HEAD\n"a": "x"\n=======\n"a": "y"\n>>>>>>> b\n}',
    '2:1: Git left a merge conflict here; resolve it first.',
  ],
]

t.test('reports a file that is not JSON of texts with line and column', async t => {
  const read = async (app: LocalProject) => app.read(await app.find())
  for (const [text, sentence] of BROKEN) {
    t.equal(await refused(t, { locales: { en: { 'a.json': text } } }, {}, read), `locales/en/a.json:${sentence}`, text)
  }
  const latin = { locales: { en: { 'a.json': Buffer.from('{"a":\n"\xe4"}', 'latin1') as unknown as string } } }
  t.equal(
    await refused(t, latin, {}, read),
    'locales/en/a.json:2:2: The file is not UTF-8 from here on. Save the file as UTF-8.',
  )
})

t.test('a byte order mark, CRLF, and where a key stands', async t => {
  const app = await open(t, {
    locales: { en: { 'a.json': '\ufeff{\r\n\t"n": {"item_one": "x"},\r\n\t"l": ["a"]\r\n}' } },
  })
  const [bundle] = await app.read(await app.find())
  t.same(bundle!.resource, { n: { item_one: 'x' }, l: ['a'] })
  t.same(bundle!.placeOf('n.item'), { line: 2, column: 8 })
  t.same(bundle!.placeOf('n'), { line: 2, column: 2 })
  t.same(bundle!.placeOf('l.0'), { line: 3, column: 8 })
  t.equal(bundle!.placeOf('gone'), undefined)
})
