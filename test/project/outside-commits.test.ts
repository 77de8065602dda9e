import t from 'tap'
import { computeHere } from '../../src/project/offload.ts'
import { checkCommits } from '../../src/project/outside-commits.ts'
import type { State } from '../../src/project/state.ts'
import { snapshotOf } from '../store/memory-head.ts'

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`
const WEB = json({ defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })
const PROJECT = 'web/project.json'
const COMMON = 'web/locales/en/common.json'

const check = (before: State, after: State) => checkCommits({ before, after, noted: before, between: [] }, computeHere)

t.test('judges external commits', async t => {
  const states = {
    before: { [PROJECT]: WEB, [COMMON]: json({ a: 'x' }), 'web/locales/en/gone.json': '{}\n' },
    after: {
      'README.md': 'hello',
      [PROJECT]: WEB,
      [COMMON]: '{"a":1}',
      'web/locales/de/common.json': '{"a":"y"}',
      'web/locales/DE/common.json': '{}\n',
      'web/locales/it/common.json': '{"a":"y"}',
      'web/locales/fr/common.json': '{',
      'web/locales/fr_FR/common.json': '{}\n',
      'app/project.json': WEB,
      'app/locales/en/common.json': '{}\n',
      'lost/locales/en/common.json': '{}\n',
    },
  }
  const [before, after] = [snapshotOf(states.before), snapshotOf(states.after)]
  const { adopt, problems } = await check(before, after)
  const asText = Object.fromEntries(adopt.map(({ path, bytes }) => [path, bytes?.toString() ?? null]))
  t.same(asText, {
    [COMMON]: json({ a: 'x' }),
    'web/locales/de/common.json': null,
    'web/locales/it/common.json': json({ a: 'y' }),
    'web/locales/fr/common.json': null,
    'web/locales/fr_FR/common.json': null,
    'lost/locales/en/common.json': null,
  })
  t.equal(problems.length, 5)
  t.same(await check(after, after), { adopt: [], problems: [] })
})

t.test('lets a commit change the case of a name: the old name is no twin of the new one', async t => {
  const text = json({ a: 'x' })
  const source = (tag: string) => WEB.replace('"en"', `"${tag}"`)
  const de = { [PROJECT]: WEB, [COMMON]: text, 'web/locales/de/common.json': text }
  const renamed: [what: string, before: Record<string, string>, after: Record<string, string>][] = [
    ['a language', de, { [PROJECT]: WEB, [COMMON]: text, 'web/locales/DE/common.json': text }],
    ['a namespace', { [PROJECT]: WEB, [COMMON]: text }, { [PROJECT]: WEB, 'web/locales/en/Common.json': text }],
    ['the source', { [PROJECT]: WEB, [COMMON]: text }, { [PROJECT]: source('EN'), 'web/locales/EN/common.json': text }],
    ['a project', { [PROJECT]: WEB, [COMMON]: text }, { 'WEB/project.json': WEB, 'WEB/locales/en/common.json': text }],
  ]
  for (const [what, before, after] of renamed) {
    t.same(await check(snapshotOf(before), snapshotOf(after)), { adopt: [], problems: [] }, what)
  }
})

t.test('a project file removed by a commit comes back while bundles stay', async t => {
  const before = snapshotOf({ [PROJECT]: WEB, [COMMON]: '{}\n' })
  const alone = snapshotOf({ [COMMON]: '{}\n' })
  t.same((await check(before, alone)).adopt, [{ path: PROJECT, bytes: Buffer.from(WEB), over: null }])
  t.same(await check(before, snapshotOf({})), { adopt: [], problems: [] })
})

t.test('merges notes of external commits, and lets them follow their keys', async t => {
  const NOTES = 'web/notes/common.json'
  const notes = (value: object) => json(value)
  const before = snapshotOf({
    [PROJECT]: WEB,
    [COMMON]: json({ a: 'x', b: 'y' }),
    [NOTES]: notes({ a: { note: 'A' }, b: { note: 'B' }, waits: { note: 'W' } }),
    'web/notes/bad.json': notes({ a: { note: 'A' } }),
  })
  const adopted = async (files: Record<string, string>) => {
    const { adopt, problems } = await check(before, snapshotOf({ [PROJECT]: WEB, ...files }))
    return { files: Object.fromEntries(adopt.map(({ path, bytes }) => [path, bytes?.toString() ?? null])), problems }
  }
  const stored = {
    [NOTES]: before.read(NOTES)!.toString(),
    'web/notes/bad.json': before.read('web/notes/bad.json')!.toString(),
  }
  t.strictSame(await adopted({ ...stored, [COMMON]: json({ b: 'y' }) }), {
    files: { [NOTES]: notes({ b: { note: 'B' }, waits: { note: 'W' } }) },
    problems: [],
  })
  const edited = await adopted({
    ...stored,
    [COMMON]: json({ a: 'x', b: 'y' }),
    [NOTES]: '{"b":{"max":4,"note":"B2","tags":[]}}',
    'web/notes/bad.json': '{"a":{"max":"wide"}}',
    'web/notes/new.json': '{',
    'web/notes/Common.json': '{"a":{"note":"twin"}}',
  })
  t.strictSame(edited.files, {
    [NOTES]: notes({ b: { note: 'B2', max: 4 } }),
    'web/notes/bad.json': stored['web/notes/bad.json'],
    'web/notes/new.json': null,
    'web/notes/Common.json': null,
  })
  t.same(edited.problems.map(({ path }) => path).sort(), [
    'web/notes/Common.json',
    'web/notes/bad.json',
    'web/notes/new.json',
  ])
  t.match(
    edited.problems.find(({ path }) => path.endsWith('bad.json')),
    { error: /"max" must be a whole number/ },
  )
  t.strictSame((await adopted({ ...stored })).files, { [NOTES]: notes({ waits: { note: 'W' } }) })
})

t.test('accepts good marks of external commits, reports bad ones, and lets them follow their keys', async t => {
  const GERMAN = 'web/locales/de/common.json'
  const MARKS = 'web/marks/de/common.json'
  const mark = { at: '2026-01-31T12:00:00Z', by: { id: 'u1', name: 'Ann' }, of: '0123456789abcdef' }
  const marks = (...keys: string[]) => json(Object.fromEntries(keys.map(key => [key, { dismissed: { space: mark } }])))
  const texts = { [COMMON]: json({ a: 'x', b: 'y' }), [GERMAN]: json({ a: 'x', b: 'y' }) }
  const before = snapshotOf({ [PROJECT]: WEB, ...texts, [MARKS]: marks('a', 'b') })
  const adopted = async (files: Record<string, string>) => {
    const { adopt, problems } = await check(before, snapshotOf({ [PROJECT]: WEB, ...texts, ...files }))
    return { files: Object.fromEntries(adopt.map(({ path, bytes }) => [path, bytes?.toString() ?? null])), problems }
  }
  const followed = await adopted({ [MARKS]: marks('a', 'b'), [GERMAN]: json({ a: 'x' }) })
  t.strictSame(followed, { files: { [MARKS]: marks('a') }, problems: [] })
  const file = JSON.stringify({ a: { machine: { ...mark, by: 'a machine' }, approved: mark }, b: {} })
  const edited = await adopted({ [MARKS]: file })
  t.strictSame(edited, {
    files: { [MARKS]: json({ a: { approved: mark, machine: { ...mark, by: 'a machine' } } }) },
    problems: [],
  })
  const BAD: [path: string, bytes: string, error: RegExp][] = [
    [MARKS, '{', /JSON/],
    [MARKS, '[]', /must be a JSON object/],
    [MARKS, '{"a":{"dismissed":{"spelling":{}}}}', /"a" do not fit: "dismissed" has unknown field "spelling"/],
    [MARKS, '{"a":{"dismissed":{"space":{}}}}', /"dismissed.space".at must be a time/],
    [MARKS, json({ a: { approved: { ...mark, of: 'x' } } }), /"approved".of must be 16 hexadecimal digits/],
    [MARKS, json({ a: { approved: { ...mark, at: '2026-02-31T12:00:00Z' } } }), /"approved".at must be a time/],
    [MARKS, json({ a: { approved: { ...mark, by: 'a machine' } } }), /"approved".by must be an object/],
    [MARKS, json({ a: { approved: { ...mark, by: { id: 'u1', name: '' } } } }), /"approved".by.name must have/],
    [MARKS, json({ a: { seen: mark } }), /it has unknown field "seen"/],
    ['web/marks/DE/common.json', marks('a'), /language "DE" differs only in case from "de"/],
    ['web/marks/de/Common.json', marks('a'), /namespace "Common" differs only in case from "common"/],
  ]
  for (const [path, bytes, error] of BAD) {
    const { files, problems } = await adopted({ [MARKS]: marks('a', 'b'), [path]: bytes })
    t.strictSame(files, { [path]: path === MARKS ? marks('a', 'b') : null }, bytes)
    t.match(problems, [{ path, error }], bytes)
  }
})

const STRICT = json({ checks: { space: 'refuse' }, defaultFormat: 'i18next-json', name: 'Web', sourceLanguage: 'en' })

t.test('a moved file that is refused stays under its old name', async t => {
  const [good, bad] = [json({ a: 'eins' }), json({ b: 'zwei ' })]
  const source = { 'web/locales/en/one.json': json({ a: 'one' }), 'web/locales/en/two.json': json({ b: 'two' }) }
  const german = { 'web/locales/de/one.json': good, 'web/locales/de/two.json': bad }
  const before = { [PROJECT]: STRICT, ...source, ...german }
  const moved = (language: string) => ({
    [`web/locales/${language}/one.json`]: good,
    [`web/locales/${language}/two.json`]: bad,
  })
  const cases: [name: string, after: Record<string, string>, stay: string[], refused: string[]][] = [
    [
      'a language',
      { [PROJECT]: STRICT, ...source, ...moved('fr') },
      ['web/locales/de/two.json'],
      ['web/locales/fr/two.json'],
    ],
    [
      'a language in another case: all of it',
      { [PROJECT]: STRICT, ...source, ...moved('DE') },
      Object.keys(german),
      Object.keys(moved('DE')),
    ],
    [
      'a language with a bad name',
      { [PROJECT]: STRICT, ...source, ...moved('de_DE') },
      Object.keys(german),
      Object.keys(moved('de_DE')),
    ],
    [
      'a project',
      Object.fromEntries(Object.entries(before).map(([path, text]) => [path.replace('web/', 'app/'), text])),
      [PROJECT, 'web/locales/de/two.json', 'web/stale/two.json'],
      ['app/locales/de/two.json'],
    ],
  ]
  for (const [name, after, stay, refused] of cases) {
    const { adopt, problems } = await check(snapshotOf(before), snapshotOf(after))
    const put = adopt.flatMap(({ path, bytes }) => (bytes ? [path] : []))
    t.strictSame(put.sort(), [...stay].sort(), `${name}: stays`)
    t.strictSame(adopt.flatMap(({ path, bytes }) => (bytes ? [] : [path])).sort(), [...refused].sort(), `${name}: goes`)
    t.strictSame(problems.map(({ path }) => path).sort(), [...refused].sort(), name)
    const from = refused.at(-1)!.replace(/^\w+\/locales\/\w+/, 'web/locales/de')
    t.match(problems.at(-1)!.error, `It was moved from ${from}, which stays as it was.`, name)
  }
})
