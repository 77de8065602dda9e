/** Refusals with 422 for other formats than i18next v4 JSON, their messages, and the time of the checks. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { processorTime } from '../processor-time.ts'
import { isError, type Organization, type Server, startServer } from './server.ts'

let server: Server
let acme: Organization
let serial = 0
const projects = new Map<string, string>()

t.before(async () => {
  server = await startServer(t)
  acme = await server.organization()
})

async function projectIn(language: string, format = 'i18next-json'): Promise<string> {
  const name = `${language}-${format}`
  let path = projects.get(name)
  if (path === undefined) {
    path = await server.project(acme.key, `p${projects.size}`, language, format)
    projects.set(name, path)
  }
  return path
}

type Sample = [lang: string, resource: unknown, why?: string]

async function push(lang: string, resource: unknown, method: 'PUT' | 'POST' = 'PUT', format?: string) {
  const path = `${await projectIn(lang, format)}/bundles/${lang}/n${++serial}`
  const body = typeof resource === 'string' ? JSON.stringify(resource) : resource
  return { path, reply: await server.call(method, path, { key: acme.key, body }) }
}

const samples = JSON.parse(readFileSync(new URL('../cases/refuse-accept.json', import.meta.url), 'utf8')) as {
  lang: string
  resource: unknown
  expect: string
  why?: string
}[]

t.test('accepts valid samples and returns 422 for others', async t => {
  for (const { lang, resource, expect, why } of samples) {
    for (const method of ['PUT', 'POST'] as const) {
      const { path, reply } = await push(lang, resource, method)
      const what = `${method} ${lang} ${JSON.stringify(resource)} ${why ?? ''}`
      if (expect === '422') {
        isError(t, reply, 422, what)
        t.equal(
          (await server.get(path, acme.key)).status === 200 && (await server.get(path, acme.key)).text,
          '{}\n',
          'nothing stored',
        )
      } else {
        t.equal(reply.status, 200, `${what}: accepted, ${reply.text.slice(0, 150)}`)
        t.strictSame((await server.get(path, acme.key)).json, resource, 'and read back as sent')
      }
    }
  }
})

const icu = [
  '{count, plural, one {# item} other {# items}}',
  '{ count , plural , one { a } other { b } }',
  '{count,plural,=0{no}=1{one}other{#}}',
  '{count,\n  plural,\n  one {a}\n  other {b}\n}',
  '{\tcount\t,\tplural\t,\tother\t{b}\t}',
  '{n, selectordinal, one {#st} two {#nd} few {#rd} other {#th}}',
  '{g, select, male {his} female {her} other {their}} book',
  'before {g, select, other {x}} after',
  '{0, plural, one {a} other {b}}',
  '{count, plural, offset:1 =0 {nobody} =1 {you} one {you and # other} other {you and # others}}',
  '{count, plural, offset: 2 other {x}}',
  '{a, select, x {{b, plural, one {1} other {2}}} other {3}}',
  'hello { {n, plural, other {x}}',
  '{{n}} {n, plural, other {x}}',
  '} {n, plural, other {x}}',
  '{name} {n, plural, other {}}',
  '{userName, select, true {yes} false {no} other {maybe}}',
  '{имя, select, other {x}}',
  '{user.count, plural, other {x}}',
  '{x, choice, 0#none|1#one}',
  '{0,choice,0#a|1#b}',
  '{n, number, ::currency/EUR}',
  '{n,number,::percent scale/100}',
  '{d, date, ::yMMMd}',
  '{t, time, ::jmm}',
  `${'x'.repeat(90_000)}{n, plural, other {x}}`,
  `${'{'.repeat(1000)} {n, plural, other {x}}`,
]
const notIcu = [
  '{count, plural}',
  '{count, plural,}',
  '{count, plural, }',
  '{plural}',
  '{count,plural,one}',
  '{select}',
  '{a, select, b, c}',
  '{n, number}',
  '{n, number, integer}',
  '{n, number, percent}',
  '{d, date}',
  '{d, date, long}',
  '{t, time, short}',
  '{x, list}',
  '{x, choice}',
  '{{count, plural}}',
  '{{n, number}}',
  '{{x, select}}',
  '{{v, currency(USD)}}',
  '{{- x}}',
  '{{x, datetime(weekday: long)}}',
  '{{a}}{{b}}',
  '$t(key, {"count": 1})',
  '{count, plural, one {a} other {b}',
  '{count, plural, one {a',
  'count, plural, one {a} other {b}}',
  '{count plural one {a}}',
  '{count; plural; one {a}}',
  'if (a) { b, select, c }',
  'function f({a, plural, c}) { return {d} }',
  '{a: {b, c}}',
  '{ "plural": {"one": "x"} }',
  '{a, plurals, one {x}}',
  '{a, selection, b {x}}',
  '{a, preselect, one {x}}',
  '{a, pluralize, one {x}}',
  'Set {1, 2, 3}',
  '{x} :: {y}',
  'std::vector<{T}>',
  '{n, number, ::',
  '{n, number, currency}',
  '{::}',
  '{n, ::}',
  '{',
  '}',
  '{{',
  '}}',
  '{}',
  '{{}}',
  '{}{}',
  '{,}',
  '{,,}',
  '{ , plural , }',
  '#',
  '# #',
  "'{'",
  "don't {name}",
  '|',
  '0#none|1#one',
  '{a|b}',
  '{1,2}',
  '<b>{x}</b>',
  '{count, plural, one a other b}',
  '{item, plural, form} {x}',
  '{plural, plural, plural}',
  '\\{n, number\\}',
  '%{count}',
  '$' + '{x}',
  '{% if %}',
  '{# comment #}',
  '{{#if}}',
]

t.test('refuses ICU MessageFormat, and accepts similar texts', async t => {
  for (const text of icu) {
    for (const resource of [
      { k: text },
      { n: { m: text } },
      { l: ['x', text] },
      { i_one: text, i_other: 'x' },
      { good: 'x', k: text },
    ]) {
      isError(t, (await push('en', resource)).reply, 422, JSON.stringify(resource).slice(0, 120))
    }
    const { path, reply } = await push('en', { k: text }, 'POST')
    isError(t, reply, 422, `POST ${text.slice(0, 60)}`)
    t.match(reply.json?.error, /\bk\b/, 'names the key')
    isError(t, await server.put(`${path}/k`, acme.key, { value: text }), 422, `PUT key ${text.slice(0, 60)}`)
  }
  for (const text of notIcu) {
    const { path, reply } = await push('en', { k: text, i_one: text })
    t.equal(reply.status, 200, `${text}: ${reply.text.slice(0, 120)}`)
    t.equal((await server.get(path, acme.key)).json?.k, text)
    t.equal((await server.put(`${path}/other`, acme.key, { value: text })).status, 200, `PUT key ${text}`)
  }
})

const count = (base: string, ...suffixes: string[]) =>
  Object.fromEntries(suffixes.map(suffix => [base + suffix, `{{count}} ${suffix}`]))

const oldPlurals: Sample[] = [
  ['en', { item: 'i', item_plural: 'is' }],
  ['en', { item: '{{count}} item', item_plural: '{{count}} items', other: 'x' }],
  ['de', { a: { b: { c: 'x', c_plural: 'y' } } }],
  ['en', { item_male: 'x', item_male_plural: 'y' }, 'with a context'],
  ['en', { item: 'i', item_plural: 'is', thing_one: '1', thing_other: 'n' }, 'v4 forms of another key do not help'],
  ['ru', { f: 'a', f_plural_2: 'b' }],
  ['en', { f: 'a', f_plural_2: 'b' }, 'K with K_plural_<n> in any language'],
  ['en', { f: 'a', f_plural_0: 'b', f_plural_11: 'c' }],
  ['ru', count('f', '_0', '_1', '_2')],
  ['ru', { f_0: 'без числа', f_1: '{{count}} файла', f_2: 'файлов' }, 'one value with {{count}} is enough'],
  ['pl', { n: count('f', '_0', '_1', '_2') }],
  ['pl', count('f', '_1', '_2', '_5')],
  ['cs', count('f', '_0', '_1', '_2')],
  ['ar', count('f', '_0', '_1', '_2', '_3', '_4', '_5')],
  ['ja', count('f', '_0')],
  ['uk', count('f', '_0', '_1', '_2')],
]
const honestSuffixes: Sample[] = [
  ['en', { item_plural: 'x' }, 'alone'],
  ['en', { item: 'i', item_plural: 'p', item_one: '1', item_other: 'n' }, 'beside v4 forms'],
  ['en', { item: 'i', item_plural: 'p', item_other: 'n' }],
  ['en', { a: { item: 'x' }, b: { item_plural: 'y' } }, 'on different levels'],
  ['en', { item: { x: 'y' }, item_plural: 'z' }, 'beside an object'],
  ['en', { item_plural: { x: 'y' }, item: 'z' }],
  ['en', { _plural: 'x', plural: 'y' }],
  ['en', { item: 'i', items_plural: 'is' }],
  ['en', { item: 'i', item_plurals: 'is', item_Plural: 'x' }],
  ['en', { item_plural_2: 'x' }, 'no K'],
  ['en', { item: 'i', item_plural_x: 'y' }],
  ['en', count('step', '_0', '_1'), 'a language without a numeric table'],
  ['en', count('step', '_1', '_2', '_5')],
  ['de', count('step', '_0', '_1', '_2')],
  ['ru', count('f', '_0', '_1'), 'a part of the set'],
  ['ru', count('f', '_0', '_1', '_2', '_3'), 'more than the set'],
  ['ru', { f_0: 'a', f_1: 'b', f_2: 'c' }, 'no {{count}}'],
  ['ru', { f_0: '{{counter}}', f_1: 'b', f_2: 'c' }, 'another variable'],
  ['ru', { ...count('f', '_0', '_1', '_2'), f_one: '1' }, 'with a v4 form'],
  ['ja', { v_0: 'x', v_1: '{{count}}' }],
  ['pl', { a: count('f', '_0'), b: count('f', '_1', '_2') }, 'on different levels'],
]

t.test('refuses plurals of i18next v1 to v3, and accepts similar suffixes', async t => {
  for (const [lang, resource, why] of oldPlurals) {
    for (const method of ['PUT', 'POST'] as const)
      isError(t, (await push(lang, resource, method)).reply, 422, `${lang} ${JSON.stringify(resource)} ${why ?? ''}`)
  }
  for (const [lang, resource, why] of honestSuffixes) {
    const { path, reply } = await push(lang, resource)
    t.equal(reply.status, 200, `${lang} ${JSON.stringify(resource)} ${why ?? ''}: ${reply.text.slice(0, 120)}`)
    t.strictSame((await server.get(path, acme.key)).json, resource)
  }
  isError(
    t,
    (await push('en', { 'a.item': 'x', 'a.item_plural': 'y' }, 'PUT', 'i18next-json-flat')).reply,
    422,
    'in a flat file',
  )
})

t.test('checks only the keys of the write', async t => {
  const { path } = await push('en', { item: 'i' })
  t.equal((await server.post(path, acme.key, { item_plural: 'is' })).status, 200, 'one key at a time they are honest')
  t.equal((await server.put(`${path}/more`, acme.key, { value: 'x' })).status, 200, 'and block no later edit')
  t.equal((await server.put(path, acme.key, { last: 'y' })).status, 200, 'and no push')
  t.strictSame((await server.get(path, acme.key)).json, { item: 'i', item_plural: 'is', more: 'x', last: 'y' })
  isError(t, await server.put(path, acme.key, { item: 'i', item_plural: 'is' }), 422, 'a push of both is refused')
})

const otherFormats: Sample[] = [
  ['en', { hello: { message: 'Hello' } }, 'chrome'],
  [
    'en',
    {
      hello: { message: 'Hello $name$', description: 'd', placeholders: { name: { content: '$1', example: 'Bo' } } },
      bye: { message: 'Bye' },
    },
    'chrome',
  ],
  [
    'en',
    { hello: { defaultMessage: 'Hello', id: 'hello', description: 'd' }, bye: { defaultMessage: 'Bye' } },
    'formatjs',
  ],
  ['en', { '@@locale': 'en', hello: 'Hello', '@hello': { description: 'd' } }, 'ARB'],
  ['en', { hello: 'Hello {name}', '@hello': { description: 'd', placeholders: { name: {} } } }, 'ARB'],
  [
    'en',
    {
      charset: 'utf-8',
      headers: { 'content-type': 'text/plain' },
      translations: { '': { hi: { msgid: 'hi', msgstr: ['hallo'] } } },
    },
    'gettext',
  ],
  [
    'en',
    {
      domain: 'messages',
      locale_data: {
        messages: {
          '': { domain: 'messages', lang: 'de', plural_forms: 'nplurals=2; plural=(n != 1);' },
          hello: ['Hallo'],
        },
      },
    },
    'jed',
  ],
  [
    'en',
    {
      sourceLanguage: 'en',
      strings: { hello: { localizations: { en: { stringUnit: { state: 'translated', value: 'Hello' } } } } },
      version: '1.0',
    },
    'xcstrings',
  ],
]
const honestShapes: Sample[] = [
  ['en', { err: { message: 'x' }, title: 'T' }],
  ['en', { err: { message: 'x' }, title: { text: 'T' } }],
  ['en', { err: { message: 'x', code: 'c' }, warn: { message: 'y' } }],
  ['en', { err: { defaultMessage: 'x' }, title: 'T' }],
  ['en', { message: 'x', description: 'd' }],
  ['en', { strings: 'Strings', version: 'Version' }],
  [
    'en',
    { sourceLanguage: 'Source language', strings: 'Strings', version: 'Version' },
    'the names of xcstrings, as labels',
  ],
  ['en', { sourceLanguage: 'Source language', strings: { one: 'String', other: 'Strings' }, version: 'Version' }],
  [
    'en',
    { charset: 'Character set', headers: 'Headers', translations: 'Translations' },
    'the names of gettext, as labels',
  ],
  [
    'en',
    { charset: 'Character set', headers: { title: 'Headers' }, translations: { title: 'Translations' }, more: 'x' },
  ],
  ['en', { domain: 'Domain', locale_data: 'Locale data' }],
  ['en', { domain: 'Domain' }],
  ['en', { '@home': 'at home', home: 'Home' }, 'an at sign before an honest key'],
  ['en', { '@alice': 'Alice', title: 'T' }],
  ['en', { description: { a: 'x' }, id: 'y' }],
]

t.test('refuses files of other tools, and accepts similar files', async t => {
  for (const [lang, resource, why] of otherFormats) {
    for (const method of ['PUT', 'POST'] as const)
      isError(t, (await push(lang, resource, method)).reply, 422, `${why} ${JSON.stringify(resource)}`)
  }
  for (const [lang, resource, why] of honestShapes) {
    const { path, reply } = await push(lang, resource)
    t.equal(reply.status, 200, `${JSON.stringify(resource)} ${why ?? ''}: ${reply.text.slice(0, 160)}`)
    t.strictSame((await server.get(path, acme.key)).json, resource)
  }
  for (const body of ['[]', '["a"]', '"text"', '5', 'true', 'null', '[{"a":"b"}]']) {
    for (const method of ['PUT', 'POST']) {
      isError(
        t,
        await server.call(method, `${await projectIn('en')}/bundles/en/shape`, { key: acme.key, body }),
        422,
        `${method} ${body}`,
      )
    }
  }
})

t.test('names at most ten keys, and counts the rest', async t => {
  const names = Array.from('abcdefghijklmnopqrstuvwxy', letter => `key-${letter}`)
  for (const value of ['{n, plural, other {x}}', 5, null, 'a\u0000b', 'x'.repeat(100_001)]) {
    const { reply } = await push('en', Object.fromEntries(names.map(name => [name, value])))
    isError(t, reply, 422, `25 times ${String(value).slice(0, 30)}`)
    const named = names.filter(name => reply.json?.error.includes(name))
    t.equal(named.length, 10, `ten are named: ${reply.json?.error.slice(0, 300)}`)
    t.match(reply.json?.error, /\b(15|25)\b/, 'and the rest is counted')
    t.ok(reply.text.length < 2000, 'in a short answer')
  }
  const two = (await push('en', { good: 'x', 'key-a': 5, 'key-b': 6 })).reply
  t.match(two.json?.error, /key-a.*key-b|key-b.*key-a/, 'two are both named')
  t.notMatch(two.json?.error, /\bgood\b/, 'the valid key is not named')
})

t.test('returns 422 above the limits of texts and keys', async t => {
  t.equal((await push('en', { k: 'x'.repeat(100_000) })).reply.status, 200, '100,000 characters')
  isError(t, (await push('en', { k: 'x'.repeat(100_001) })).reply, 422, '100,001')
  t.equal((await push('en', { ['k'.repeat(1024)]: 'x' })).reply.status, 200, 'a key of 1,024')
  isError(t, (await push('en', { ['k'.repeat(1025)]: 'x' })).reply, [400, 422], 'of 1,025')
  const nest = (depth: number): unknown => (depth === 0 ? 'x' : { s: nest(depth - 1) })
  t.equal((await push('en', nest(32))).reply.status, 200, '32 segments')
  isError(t, (await push('en', nest(33))).reply, [400, 422], '33 segments')
  for (const text of ['a\u0000', '\u0000']) {
    isError(t, (await push('en', { k: text })).reply, 422, 'U+0000 in a text')
    isError(t, (await push('en', { [`k${text}`]: 'x' })).reply, 422, 'U+0000 in a key')
  }
  for (const text of ['\\ud800', 'a\\udc00b', '\\udc00\\ud800']) {
    isError(t, (await push('en', Buffer.from(`{"k":"${text}"}`))).reply, 422, `${text} in a text`)
    isError(t, (await push('en', Buffer.from(`{"k${text}":"x"}`))).reply, 422, `${text} in a key`)
    isError(t, (await push('en', Buffer.from(`{"n":{"k${text}":"x"}}`))).reply, 422, `${text} in a nested key`)
  }
  t.equal((await push('en', Buffer.from('{"k":"\\ud83d\\ude00"}'))).reply.status, 200, 'a pair is a character')
})

t.test('checks any text in linear time', async t => {
  const fill = (piece: string) => (size: number) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
  const after = (head: string, piece: string) => (size: number) => head + fill(piece)(size - head.length)
  const hostile: [string, (size: number) => string][] = [
    ['open braces', fill('{')],
    ['close braces', fill('}')],
    ['braces', fill('{}')],
    ['braces with a space', fill('{ }')],
    ['heads without an end', fill('{a, plural, one {')],
    ['heads and texts', fill('{a,select,b {c}')],
    ['an offset without an end', after('{a, plural, offset:', '9')],
    ['spaces after a head', after('{a, plural,', ' ')],
    ['spaces in a head', after('{', ' ')],
    ['spaces before a comma', after('{a', ' ')],
    ['heads with spaces', fill('{a  ,   plural  ,   ')],
    ['a name without an end', after('{', 'a')],
    ['skeletons', fill('{n, number, ::')],
    ['a skeleton without an end', after('{n, number, ::', 'x')],
    ['choices', fill('{x, choice, 0#a|')],
    ['a choice without an end', after('{x, choice, ', '|#<')],
    ['selectors', after('{a, select, ', 'x ')],
    ['selectors with texts', after('{a, select, ', 'x {y} ')],
    ['numbers', after('{a, plural, ', '=1 {x} ')],
    ['double braces', fill('{{a, plural, ')],
    ['count', fill('{{count')],
    ['count with spaces', fill('{{ ')],
    ['dashes', fill('{{-')],
    ['quotes', fill("'{")],
    ['suffixes', fill('_plural')],
  ]
  const time = async (text: string) => {
    const body = Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`k${n}_1`, text]))))
    const times: number[] = []
    for (let round = 0; round < 3; round++) {
      const start = processorTime()
      const reply = await server.put(`${await projectIn('ru')}/bundles/ru/slow?dryRun=true`, acme.key, body)
      if (reply.status !== 200 && reply.status !== 422) t.fail(`judged: ${reply.status}`)
      times.push(processorTime() - start)
    }
    return Math.min(...times)
  }
  for (const [what, make] of hostile) {
    const small = await time(make(12_500))
    const large = await time(make(100_000))
    // Linear is 8, quadratic 64; the constant forgives what the collection of garbage adds to a few milliseconds.
    const grown = `eight times the text needed ${(large / small).toFixed(1)} times the time`
    t.ok(large < small * 24 + 60, `${what}: ${grown} (${small.toFixed(0)} and ${large.toFixed(0)} ms)`)
  }
})

t.test('checks any set of keys in linear time', async t => {
  const shapes: [string, (n: number) => Record<string, unknown>][] = [
    ['flat names', n => Object.fromEntries(Array.from({ length: n }, (_, i) => [`key${i}`, 'x']))],
    [
      'names that are prefixes',
      n =>
        Object.fromEntries(
          Array.from({ length: n }, (_, i) => [
            `a.${(i >> 5).toString(36)}${'.b'.repeat(Math.max(0, (i & 31) - 2))}`,
            'x',
          ]).filter(([k]) => k!.split('.').length <= 32),
        ),
    ],
    [
      'one base, many suffixes',
      n => Object.fromEntries(Array.from({ length: n }, (_, i) => [`item_${i}`, '{{count}}'])),
    ],
    [
      'plurals',
      n => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i >> 1}_${i & 1 ? 'one' : 'other'}`, 'x'])),
    ],
    ['an array', n => ({ list: Array.from({ length: n }, () => 'x') })],
    [
      'literal dots under one text',
      n => ({ a: 'x', ...Object.fromEntries(Array.from({ length: n }, (_, i) => [`a.b${i}`, 'x'])) }),
    ],
    ['old plurals', n => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}_plural`, 'x']))],
    ['numbers that are refused', n => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]))],
  ]
  for (const [what, make] of shapes) {
    const time = async (n: number) => {
      const body = Buffer.from(JSON.stringify(make(n)))
      const times: number[] = []
      for (let round = 0; round < 3; round++) {
        const start = processorTime()
        const reply = await server.put(`${await projectIn('en')}/bundles/en/grow?dryRun=true`, acme.key, body)
        t.ok(
          reply.status === 200 || reply.status === 422,
          `${what}: judged, ${reply.status} ${reply.text.slice(0, 100)}`,
        )
        times.push(processorTime() - start)
      }
      return Math.min(...times)
    }
    const small = await time(5_000)
    const large = await time(40_000)
    t.ok(
      large < small * 8 * 4 + 100,
      `${what}: eight times the keys needed ${(large / small).toFixed(1)} times the time`,
    )
  }
})
