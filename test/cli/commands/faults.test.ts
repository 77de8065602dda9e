/** Commands that read files name all faults of all files in one run. */
import t, { type Test } from 'tap'
import { Checkout, newProject } from '../checkout.ts'
import { type Parlance, startParlance } from '../command.ts'

let parlance: Parlance
t.before(async () => {
  parlance = await startParlance(t)
})

const CONFIG = {
  'i18next.config.js': "module.exports = { locales: ['en', 'de'], extract: { input: [] } }\n",
}
const deep = (levels: number): unknown => (levels === 0 ? 'x' : { a: deep(levels - 1) })
const long = 'k'.repeat(1025)

/** Each kind of fault: a file, and the faults in it as `line:column key: sentence`. */
const KINDS: Record<string, { text: string; faults: [number, number, RegExp][] }> = {
  syntax: {
    text: '{\n  "a": "A",\n  "b": "B"\n  "c": "\\q",\n  // d\n  "e": "E",\n}\n',
    faults: [
      [3, 11, /comma is missing/],
      [4, 8, /backslash/],
      [5, 3, /no comments/],
      [7, 1, /Remove the comma/],
    ],
  },
  broken: { text: '{\n  "a": ]\n', faults: [[2, 8, /value is missing/]] },
  merge: { text: '{\n<<<<<<< HEAD\n  "a": "A"\n=======\n', faults: [[2, 1, /merge conflict/]] },
  twice: {
    text: '{\n  "a": "A",\n  "a": "B",\n  "a": "C"\n}\n',
    faults: [
      [3, 3, /twice/],
      [4, 3, /twice/],
    ],
  },
  plurals: {
    text: '{\n  "item": "{{count}} item",\n  "item_plural": "{{count}} items",\n  "n": { "x": "X", "x_plural": "Xs" }\n}\n',
    faults: [
      [3, 3, /v1-v3.*i18next-v4-format-converter/],
      [4, 20, /v1-v3/],
    ],
  },
  icu: { text: '{\n  "n": "{n, plural, one {a} other {b}}"\n}\n', faults: [[2, 3, /ICU/]] },
  long: { text: `{\n  "a": "A",\n  "${long}": "L"\n}\n`, faults: [[3, 3, /1024/]] },
  deep: { text: `{\n  "a": ${JSON.stringify(deep(40))}\n}\n`, faults: [[2, 159, /32 segments/]] },
  values: {
    text: '{\n  "a": 1,\n  "b": [null, "x"],\n  "c": true\n}\n',
    faults: [
      [2, 3, /number/],
      [3, 9, /number/],
      [4, 3, /number/],
    ],
  },
  'bad name!': { text: '{}\n', faults: [[0, 0, /namespace/]] },
}
const files = Object.fromEntries(Object.entries(KINDS).map(([name, { text }]) => [`locales/en/${name}.json`, text]))
const expected = Object.entries(KINDS).flatMap(([name, { faults }]) =>
  faults.map(([line, column, sentence]) => ({ file: `locales/en/${name}.json`, line, column, sentence })),
)

/** @param json the document of a command that found faults */
// biome-ignore lint/suspicious/noExplicitAny: the shape is exactly what is in question
function isAll(t: Test, json: any, what: string): void {
  t.equal(json.count, expected.length, what)
  for (const { file, line, column, sentence } of expected) {
    const found = json.faults.find(
      (one: { file: string; line?: number; column?: number }) =>
        one.file === file && (line === 0 || (one.line === line && one.column === column)),
    )
    t.match(found?.error, sentence, `${what}: ${file}:${line}:${column}`)
  }
}

const COMMANDS = [
  'push',
  'push --dry-run',
  'push --language en',
  'sync --yes',
  'init --yes --project fresh',
  'pull',
  'pull --check',
  'diff',
]
for (const words of COMMANDS) {
  t.test(`${words} names every fault of every file`, async t => {
    const web = await newProject(parlance, {})
    const app = new Checkout(t, web.env, { ...CONFIG, ...files, 'locales/de/fine.json': { a: 'A' } })
    const before = (await web.commits()).length
    const { code, json } = await app.run(`${words} --json`)
    t.equal(code, 1)
    isAll(t, json, words)
    t.equal((await web.commits()).length, before, 'nothing is pushed')
    const { err } = await app.run(words)
    for (const { file, line, column } of expected) t.match(err, line === 0 ? file : `${file}:${line}:${column}: `)
  })
}

t.test('import and doctor name them too', async t => {
  const web = await newProject(parlance, {})
  const app = new Checkout(t, web.env, { ...CONFIG, ...files })
  const { json } = await app.run('import locales --template {{language}}/{{namespace}}.json --json')
  t.equal(json.count, expected.length)
  const doctor = await app.run('doctor --json')
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const check = doctor.json.checks.find(({ name }: any) => name === 'files')
  t.equal(check.state, 'fail')
  isAll(t, check, 'doctor')
})

t.test('faults of merged namespaces have their places', async t => {
  const web = await newProject(parlance, {})
  const app = new Checkout(t, web.env, {
    'i18next.config.js':
      "module.exports = { locales: ['en'], extract: { input: [], output: 'locales/{{language}}.json', mergeNamespaces: true } }\n",
    'locales/en.json':
      '{\n  "shop": { "a": 1, "i": "I", "i_plural": "Is" },\n  "no": "text",\n  "a/b": { "x": "X" },\n}\n',
  })
  for (const words of ['push', 'pull', 'status', 'diff']) {
    const { json } = await app.run(`${words} --json`)
    const at = (json.faults as { line?: number; column?: number }[]).map(({ line, column }) => [line, column])
    const places = [
      [undefined, undefined],
      [2, 13],
      [2, 31],
      [3, 3],
      [5, 1],
    ]
    t.match(at, places, words)
  }
})

t.test('at most 50 faults are listed, and the rest counted', async t => {
  const web = await newProject(parlance, {})
  const many = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`k${at}`, at]))
  const app = new Checkout(t, web.env, { ...CONFIG, 'locales/en/common.json': many })
  const { json, code } = await app.run('push --json')
  t.match({ code, count: json.count, listed: json.faults.length }, { code: 1, count: 70, listed: 50 })
  t.match((await app.run('push')).err, /70 faults in one file:[\s\S]*and 20 more/)
})
