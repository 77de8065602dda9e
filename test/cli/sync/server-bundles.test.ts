/** The bundles of an export, as this server writes it or another might. */
import t from 'tap'
import type { Api } from '../../../src/cli/api/client.ts'
import { keysOf, readServer } from '../../../src/cli/sync/server-bundles.ts'

const api = (text: string) =>
  ({
    url: new URL('https://parlance.example.com/'),
    bytes: async () => ({
      status: 200,
      headers: { 'parlance-revision': 'a'.repeat(40), etag: 'W/"1"' },
      bytes: Buffer.from(text),
    }),
  }) as unknown as Api

const found = async (text: string) => {
  const { bundles } = (await readServer(api(text), 'web'))!
  return Object.fromEntries(Array.from(bundles, ([name, bytes]) => [name, bytes.toString()]))
}

/** As `http/reading/shown-bundles.ts` puts files together. */
const file = (content: object) => JSON.stringify(content, null, 2)
const line = (text: string) => `${text}\n`

const tricky = { 'a\n}': 'b\n}}}"', '},"x":{': { '}\n}': ['}}', '\n}},'] }, ü: '\\"' }

t.test('reads each bundle of an export with its bytes as in a file', async t => {
  const [one, two, three] = [file({ a: 'A' }), file(tricky), file({ x: { y: 'ü' } })]
  const text = `{"de":{"common":${one},"haeuser":${two}},"pl":{"common":${three}}}\n`
  t.strictSame(await found(text), { 'de/common': line(one), 'de/haeuser': line(two), 'pl/common': line(three) })
})

t.test('retains the order of names that are numbers, and so the entity tag', async t => {
  const numbers =
    '{\n  "1": "one",\n  "10": "ten",\n  "2": "two",\n  "error": {\n    "1000": "a",\n    "404": "b"\n  }\n}'
  t.strictSame(await found(`{"en":{"common":${numbers}}}\n`), { 'en/common': line(numbers) })
})

t.test('reads an export with other white space', async t => {
  for (const [text, whole] of [
    [JSON.stringify({ de: { common: tricky } }), { 'de/common': line(file(tricky)) }],
    [`{"de":{"common":${file(tricky)} ,"b":{}}}`, { 'de/common': line(file(tricky)), 'de/b': '{}\n' }],
    [`{"de":{"b":{},"common":${file(tricky)}}}`, { 'de/b': '{}\n', 'de/common': line(file(tricky)) }],
    [`{ "de": {"common": ${file(tricky)}}}`, { 'de/common': line(file(tricky)) }],
    [`{"de":{},"pl":{"a":${file({ a: 'A' })}}}`, { 'pl/a': line(file({ a: 'A' })) }],
    [`{"de":{"a":{\n"b": {\n},"c":"C"\n}}}`, { 'de/a': line(file({ b: {}, c: 'C' })) }],
    ['{}\n', {}],
  ] as const) {
    t.strictSame(await found(text), whole, text)
  }
})

t.test('refuses an export that is cut off at any byte', async t => {
  const text = `{"de":{"common":${file(tricky)}},"pl":{"common":${file({ a: 'A' })}}}`
  for (let end = 1; end < text.length; end++) await t.rejects(found(text.slice(0, end)), /is not complete JSON/)
})

t.test('counts keys, a plural as one, and refuses a value that is not a text', async t => {
  const content = {
    a: 'A',
    item_one: '1',
    item_other: 'n',
    item: 'text',
    place_ordinal_two: '2',
    _one: 'x',
    n: { b: ['c', 'd'] },
  }
  t.equal(keysOf(Buffer.from(file(content))), 6)
  t.throws(() => keysOf(Buffer.from('{"a":{"b":1}}')), /not a text: b/)
})

t.test('refuses the name of a bundle that would name another file', async t => {
  for (const [language, namespace] of [
    ['..', 'common'],
    ['.', 'package'],
    ['.vscode', 'tasks'],
    ['de', '../../package'],
    ['de', '/etc/passwd'],
    ['de', '..\\evil'],
    ['de', 'con'],
    ['de', ''],
    ['', 'common'],
    ['de/..', 'common'],
    ['de', 'common.json'],
    ['__proto__', 'common'],
    ['de', '__proto__'],
  ] as const) {
    for (const text of [
      `{${JSON.stringify(language)}:{${JSON.stringify(namespace)}:${file({ a: 'A' })}}}\n`,
      `{ ${JSON.stringify(language)}: {${JSON.stringify(namespace)}: {"a":"A"}}}`,
    ])
      await t.rejects(found(text), { message: /^The server names a bundle/ }, text)
  }
})

t.test('refuses names that differ only in case, and a bundle that is not an object of texts', async t => {
  for (const [one, other] of [
    ['de/Common', 'de/common'],
    ['de/common', 'DE/other'],
    ['de/common', 'pl/Common'],
  ] as const) {
    const whole: Record<string, Record<string, object>> = {}
    for (const name of [one, other]) {
      const [language = '', namespace = ''] = name.split('/')
      whole[language] = { ...whole[language], [namespace]: { a: 'A' } }
    }
    await t.rejects(found(JSON.stringify(whole)), { message: /which are the same on some disks/ }, `${one} ${other}`)
  }
  t.ok(await found(JSON.stringify({ de: { Common: {}, common: { a: 'A' } } })), 'one of them is gone')
  const nested = `${'{"a":'.repeat(100_000)}"A"${'}'.repeat(100_000)}`
  const texts = ['{\n nonsense\n}', '{\n"a": 1\n}', '{\n"a": null\n}', '{\n"a": {\n"b": true\n}\n}', nested]
  for (const bundle of [...texts, '1', 'null', '[]', '"x"']) {
    const about = /^The export of https:\/\/parlance\.example\.com /
    await t.rejects(found(`{"de":{"common":${bundle}}}\n`), { message: about }, bundle.slice(0, 40))
  }
})
