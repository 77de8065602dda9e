import t from 'tap'
import { Failure } from '../../src/bundle/errors.ts'
import { classify, inOrder, judgeFile, reformat } from '../../src/project/judge.ts'
import { computeHere } from '../../src/project/offload.ts'
import { Overlay } from '../../src/project/state.ts'
import { snapshotOf } from '../store/memory-head.ts'

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
const WEB = json({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })
const PROJECT = 'web/project.json'
const COMMON = 'web/locales/en/common.json'
const STATE = snapshotOf({ [PROJECT]: WEB, [COMMON]: json({ a: 'x' }) })

const judge = async (path: string, text: string | Buffer, also: string[] = [], state = STATE) => {
  const place = classify(path)
  if (!place || place.kind === 'misnamed') throw new Error(`${path} is no place`)
  const beside = new Overlay(state)
  for (const other of also) beside.put(other, Buffer.from('{}\n'))
  return (await judgeFile(place, Buffer.from(text), beside))?.toString() ?? null
}

t.test('what a path is', async t => {
  t.match(classify(PROJECT), { kind: 'project', slug: 'web' })
  t.match(classify(COMMON), { kind: 'bundle', language: 'en', namespace: 'common' })
  for (const path of ['web/locales/de_DE/common.json', 'web/locales/de/nul.json', 'web/locales/de/a b.json']) {
    t.match(classify(path), { kind: 'misnamed', error: String })
  }
  const notOurs = [
    'README.md',
    '.gitattributes',
    'web/locales/en/.#common.json',
    'web/locales/en/common.json~',
    'web/x.json',
    '.x/locales/en/a.json',
  ]
  for (const path of notOurs) t.equal(classify(path), undefined, path)
})

t.test('a good file gives its canonical bytes', async t => {
  t.equal(await judge(COMMON, '\uFEFF{"b":"y","a":"x"}'), json({ a: 'x', b: 'y' }))
  t.equal(await judge('web/locales/pt-BR/home.json', '{}'), '{}\n')
  t.equal(await judge(COMMON, '{"v":{"1.0":"x"}}'), json({ v: { '1.0': 'x' } }), 'a key stays in its place')
  t.equal(
    await judge('app/project.json', '{"name":" App ","sourceLanguage":"de","defaultFormat":"i18next-json"}'),
    json({ defaultFormat: 'i18next-json', name: 'App', sourceLanguage: 'de' }),
  )
})

t.test('a file that breaks the rules is refused without quoting it', async t => {
  const bad: [string, string | Buffer][] = [
    [COMMON, '{"a": "Geheimnis"'],
    [COMMON, Buffer.from([0x22, 0xff, 0x22])],
    [COMMON, '["a"]'],
    [COMMON, '{"a":1}'],
    [COMMON, '{"a":"{n, plural, one {# Geheimnis} other {#}}"}'],
    [COMMON, `{"a":"${'x'.repeat(100_001)}"}`],
    [PROJECT, '{"name":"","sourceLanguage":"en","defaultFormat":"i18next-json"}'],
    [PROJECT, '{"name":"W","sourceLanguage":"en","defaultFormat":"i18next-json","interpolation":{"prefix":""}}'],
    ['other/locales/en/common.json', '{"a":"x"}'],
  ]
  for (const [path, text] of bad) {
    try {
      await judge(path, text)
      t.fail(`${path} ${text}`)
    } catch (error) {
      t.ok(error instanceof Failure)
      t.notMatch(String(error), 'Geheimnis')
    }
  }
})

t.test('a source language is none that a language with bundles differs from only in case', async t => {
  const source = (tag: string) => WEB.replace('"en"', `"${tag}"`)
  const twin = {
    code: 'conflict',
    message: 'The language "EN" differs only in case from "en", which project "web" has.',
  }
  await t.rejects(judge(PROJECT, source('EN')), twin)
  t.equal(
    await judge(PROJECT, source('EN'), [], snapshotOf({ [PROJECT]: WEB })),
    source('EN'),
    'there is no bundle of it',
  )
  t.equal(await judge(PROJECT, source('de')), source('de'))
})

t.test('what is stored already does not stand in the way of an edit', async t => {
  // Neither key is refused alone; together they are a plural of i18next v3.
  const stored = json({ item: 'item', item_plural: 'items' })
  const state = snapshotOf({ [PROJECT]: WEB, [COMMON]: stored })
  await t.rejects(judge('web/locales/de/common.json', stored, [], state), { code: 'unfit' })
  t.equal(
    await judge(COMMON, stored.replace('"item"', '"a": "b",  "item"'), [], state),
    json({ a: 'b', item: 'item', item_plural: 'items' }),
  )
})

t.test('names that differ only in case', async t => {
  await t.rejects(judge('web/locales/EN/other.json', '{}'), { code: 'conflict' })
  await t.rejects(judge('web/locales/de/Common.json', '{}'), { code: 'conflict' })
  await t.rejects(judge('WEB/project.json', WEB), { code: 'conflict' })
  await t.rejects(
    judge('web/locales/DE/home.json', '{}', ['web/locales/de/home.json']),
    { code: 'conflict' },
    'within one batch',
  )
  await t.rejects(judge('web/locales/de/Home.json', '{}', ['web/locales/fr/home.json']), { code: 'conflict' })
  t.equal(await judge('web/locales/de/common.json', '{}'), '{}\n')
})

t.test('another format', async t => {
  const state = snapshotOf({ [PROJECT]: WEB, [COMMON]: json({ a: { b: 'x' } }) })
  const flat = { slug: 'web', name: 'Web', sourceLanguage: 'en', defaultFormat: 'i18next-json-flat' as const }
  t.same(await reformat(state, flat, computeHere), [
    { path: COMMON, bytes: Buffer.from(json({ 'a.b': 'x' })), over: state.entry(COMMON)?.id },
  ])
  t.same(await reformat(state, { ...flat, defaultFormat: 'i18next-json' }, computeHere), [])
})

t.test('projects are judged before their bundles', async t => {
  t.same(inOrder([COMMON, 'a/locales/en/x.json', PROJECT]), [PROJECT, 'a/locales/en/x.json', COMMON])
})

t.test('rejects texts that a check of the project refuses', async t => {
  const web = json({ checks: { space: 'refuse' }, defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })
  const german = 'web/locales/de/common.json'
  const state = snapshotOf({ [PROJECT]: web, [COMMON]: json({ a: 'x', b: 'y' }), [german]: json({ b: 'y ' }) })
  await t.rejects(judge(german, json({ a: 'x ', b: 'y ' }), [], state), {
    code: 'unfit',
    message: /^de\/common: the check "space" refuses .*: "a"\.$/,
  })
  t.equal(await judge(german, json({ a: 'z', b: 'y ' }), [], state), json({ a: 'z', b: 'y ' }), 'a stored text stays')
  t.equal(await judge(COMMON, json({ a: 'x ' }), [], state), json({ a: 'x ' }), 'a source text')
  await t.rejects(judge(PROJECT, json({ ...JSON.parse(web), checks: { spcae: 'off' } }), [], state), /"spcae"/)
})

t.test('rejects texts that are longer than the maximum of their note', async t => {
  const web = json({ checks: { length: 'refuse' }, defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })
  const german = 'web/locales/de/common.json'
  const notes = json({ a: { max: 3 } })
  const state = snapshotOf({ [PROJECT]: web, [COMMON]: json({ a: 'x', b: 'y' }), 'web/notes/common.json': notes })
  await t.rejects(judge(german, json({ a: 'eins', b: 'zwei' }), [], state), {
    code: 'unfit',
    message: 'de/common: the check "length" refuses texts with more characters than the maximum of their note: "a".',
  })
  t.equal(await judge(german, json({ a: 'x{{y}}' }), [], state), json({ a: 'x{{y}}' }))
})
