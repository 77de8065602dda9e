/** A resource without untranslated texts, and i18next's own t() on it. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import * as i18next27 from 'i18next'
import * as i18next23 from 'i18next23'
import * as i18next24 from 'i18next24'
import * as i18next25 from 'i18next25'
import * as i18next26 from 'i18next26'
import t from 'tap'
import { overwrite } from '../../src/bundle/merge.ts'
import { omitEmpty } from '../../src/bundle/omit-empty.ts'
import { empty, FLAT, failure, file, fragment, parsed } from './pushing.ts'
import { accepted, resource } from './resources.ts'

const omitted = (text: string) => Buffer.from(omitEmpty({ bytes: Buffer.from(text) })).toString()
const without = (body: unknown) => JSON.parse(omitted(JSON.stringify(body, null, 2)))

t.test('empty texts and forms, and what holds nothing else, are left out', async t => {
  for (const [body, left] of [
    [{ a: '', b: 'x' }, { b: 'x' }],
    [{ a: '' }, {}],
    [{}, {}],
    [{ item_one: 'one', item_other: '' }, { item_one: 'one' }],
    [{ nav: { home: '', away: { b: '' } }, list: ['', ''] }, {}],
    [{ list: ['a', '', 'c', ''] }, { list: ['a', null, 'c'] }],
    [{ list: [{ a: '' }, { a: 'x' }, ['']] }, { list: [null, { a: 'x' }] }],
    [{ 'list.0': '', 'list.1': 'b' }, { 'list.1': 'b' }],
    [{ '': 'x', a: '' }, { '': 'x' }],
  ] as const) {
    t.strictSame(without(body), left, JSON.stringify(body))
  }
  const traps = '{"__proto__": {"a": "", "b": "x"}, "constructor": "", "toString": ["", "y"]}'
  t.equal(JSON.stringify(JSON.parse(omitted(traps))), '{"__proto__":{"b":"x"},"toString":[null,"y"]}')
  t.equal(({} as Record<string, unknown>).b, undefined, 'nothing is polluted')
})

t.test('what has nothing empty is the file, byte for byte', async t => {
  const bytes = Buffer.from('{\n  "": "x",\n  "a": "\\"\\"",\n  "b": "ü"\n}\n')
  t.ok(Buffer.from(omitEmpty({ bytes })).equals(bytes))
})

t.test('of any resource every other leaf stays in its place', async t => {
  let emptied = 0
  fc.assert(
    fc.property(resource, fc.boolean(), (body, flat) => {
      const brought = accepted(() => fragment(body, flat ? FLAT : undefined))
      if (!brought) return true
      const stored = file(overwrite(flat ? parsed('{}\n', FLAT) : empty, brought).bundle)
      const shown = omitted(stored)
      const wanted = leaves(JSON.parse(stored)).filter(([, value]) => value !== '')
      emptied += Number(wanted.length < leaves(JSON.parse(stored)).length)
      const found = leaves(JSON.parse(shown))
      return (
        isDeepStrictEqual(
          found.filter(([, value]) => value !== null),
          wanted,
        ) &&
        found.every(([path, value]) => value !== '' && (value !== null || typeof path.at(-1) === 'number')) &&
        !/\{\}|\[\]|null\s*\]/.test(shown.replace(/"(?:[^"\\]|\\.)*"/g, '""').replace(/^\{\}\n$/, ''))
      )
    }),
    { numRuns: 1000 },
  )
  t.ok(emptied > 200, `${emptied} had something empty`)
})

/** Every leaf with its path, in an order of its own. */
function leaves(value: unknown, path: (string | number)[] = []): [(string | number)[], unknown][] {
  if (value === null || typeof value !== 'object') return [[path, value]]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return members.flatMap(([name, below]) => leaves(below, [...path, name]))
}

type Library = { createInstance(): { init(options: object): unknown; t(key: string, options?: object): unknown } }
for (const [version, library] of Object.entries({ i18next23, i18next24, i18next25, i18next26, i18next27 })) {
  t.test(`${version} falls back for what is left out`, async t => {
    const en = { title: 'Title', item_one: '{{count}} item', item_other: '{{count}} items', list: ['a', 'b', 'c'] }
    const de = { title: '', item_one: '{{count}} Artikel', item_other: '', list: ['A', '', 'C'] }
    const instance = (library as unknown as Library).createInstance()
    const resources = { en: { translation: en }, de: { translation: without(de) } }
    instance.init({ lng: 'de', fallbackLng: 'en', initAsync: false, initImmediate: false, resources })
    t.equal(instance.t('title'), 'Title')
    t.equal(instance.t('item', { count: 1 }), '1 Artikel')
    t.equal(instance.t('item', { count: 3 }), '3 items')
    t.equal(instance.t('list.1'), 'b')
    t.equal(instance.t('list.2'), 'C')
  })
}

t.test('what is no resource is refused', async () => {
  for (const text of ['[""]', '""', '{"a": "", ', `{"a": ""${',"b": {"a": ""'.repeat(40)}${'}'.repeat(41)}`])
    failure('unfit', () => omitted(text))
})
