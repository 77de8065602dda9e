/** Places of placeholders. The tests of status cover their identity. */
import fc from 'fast-check'
import t from 'tap'
import { placedIn, placeholdersOf } from '../../src/bundle/placeholders.ts'
import { listStatus } from '../../src/project/status.ts'

/** Prefixes and suffixes that apps have. */
const SYNTAXES: [prefix: string, suffix: string][] = [
  ['{{', '}}'],
  ['__', '__'],
  ['{', '}'],
  ['${', '}'],
  ['%{', '}'],
  ['#{', '}'],
  ['<%=', '%>'],
  ['[[', ']]'],
  ['%', '%'],
  [':', ';'],
  ['{{{', '}}}'],
  ['.*(', ')+'],
  ['⟦', '⟧'],
]

t.test('the name of one ends before its format: a translator may change its words', async t => {
  const rows: [text: string, ...found: string[]][] = [
    ['{{ when, date(short) }}', '{{when}}'],
    ['{{ when | calendar(sameDay: "[Today]", other: "dddd") }}', '{{when}}'],
    ['{{ when|calendar(sameDay: "[Heute]", other: "dddd") }}', '{{when}}'],
    ['{{- name | upper}} {{count | number}}', '{{- name}}', '{{count}}'],
    ['{{| date}}'],
  ]
  for (const [text, ...found] of rows) t.strictSame(placeholdersOf(text), found, text)
})

t.test('each one as often as it stands there, with all that belongs to it', async t => {
  const rows: [text: string, ...standing: string[]][] = [
    ['plain'],
    ['Hi {{ name }}, {{name}}!', '{{ name }}', '{{name}}'],
    ['{{count, number}} of {{- total}}', '{{count, number}}', '{{- total}}'],
    ['{{open'],
    ['a $t(key) b', '$t(key)'],
    ['$t(key, {"count": {{n}}, "x": "(y)"}) b', '$t(key, {"count": {{n}}, "x": "(y)"})', '{{n}}'],
    ['$t(a, $t(b)) c', '$t(a, $t(b))', '$t(b)'],
    ['b $t(key, { never closed', '$t(key, { never closed'],
    ['Read <b class="x">all</b><br><1/>', '<b class="x">', '</b>', '<br>', '<1/>'],
  ]
  for (const [text, ...standing] of rows) {
    t.strictSame(
      placedIn(text).map(({ from, to }) => text.slice(from, to)),
      standing,
      text,
    )
  }
})

t.test('finds the same placeholders as a status', async () => {
  const parts = fc.array(fc.constantFrom('{{', '}}', '$t(', ')', ',', 'a', ' ', '<', '>', '/', '-', '{{count}}', '<b>'))
  fc.assert(
    fc.property(parts, parts => {
      const text = parts.join('')
      const found = new Set(placedIn(text).map(({ placeholder }) => placeholder))
      return JSON.stringify([...found].sort()) === JSON.stringify(placeholdersOf(text))
    }),
  )
})

t.test('a status compares the placeholders of the syntax that its project has', async t => {
  // `«` and `»` stand for prefix and suffix.
  const rows: [source: string | object, target: string | object, ...problems: string[]][] = [
    ['Hi «name»!', 'Cześć «name»!'],
    ['Hi «name»!', 'Cześć!', '-«name»'],
    ['Hi!', 'Cześć «name»!', '+«name»'],
    ['Hi «name»!', 'Cześć «nam»!', '-«name»', '+«nam»'],
    ['Hi «name»!', 'Cześć name!', '-«name»'],
    ['«a» and «b»', '«b» i «a», «a»'],
    ['«a»«b»', '«a»', '-«b»'],
    ['«when, datetime(style: long)»', '« when »'],
    ['«user.name»', '«user.name, uppercase»'],
    ['«- html»', '«html»', '-«- html»', '+«html»'],
    ['«-html»', '«- html»'],
    ['«- count»', '«count»'],
    ['«name', 'x'],
    ['Hi «name»! $t(bye)', 'Cześć «name»!', '-$t(bye)'],
    ['<b>«name»</b>', '«name»', '-</b>', '-<b>'],
    [{ one: '«count» item', other: '«count» items' }, { few: '«count»', many: 'wiele', other: '«count»' }, '-«count»'],
    [
      { one: 'An item', other: '«count» items' },
      { one: 'Jeden', few: '«count»', many: '«count»', other: '«count»' },
    ],
    [
      { one: '«total» item', other: '«total» items' },
      { one: 'Jeden', other: '«total»' },
    ],
  ]
  const file = (message: string | object) => {
    const texts =
      typeof message === 'string' ? [['a', message]] : Object.entries(message).map(([k, v]) => [`a_${k}`, v])
    return Buffer.from(JSON.stringify(Object.fromEntries(texts)))
  }
  for (const [prefix, suffix] of SYNTAXES) {
    const written = (text: string) => text.replaceAll('«', () => prefix).replaceAll('»', () => suffix)
    for (const [source, target, ...problems] of rows) {
      const bytes = [source, target].map(message =>
        typeof message === 'string'
          ? file(written(message))
          : file(Object.fromEntries(Object.entries(message).map(([form, text]) => [form, written(text)]))),
      )
      const { keys } = listStatus({
        ...{ source: bytes[0]!, target: bytes[1]!, notes: null, sourceLanguage: 'en', language: 'pl' },
        ...{ is: ['translated', 'incomplete'], behind: null, most: 10, bytes: 1e9 },
        rules: { interpolation: { prefix, suffix } },
      })
      const found = (keys[0]?.problems ?? []).flatMap(({ missing, extra }) => [
        ...missing.map(one => `-${one}`),
        ...extra.map(one => `+${one}`),
      ])
      t.strictSame(found.sort(), problems.map(written).sort(), JSON.stringify([prefix, suffix, source, target]))
    }
  }
})

t.test('they are placed where they stand, in every syntax', async t => {
  for (const [prefix, suffix] of SYNTAXES) {
    const [name, other] = [`${prefix} name, f${suffix}`, `${prefix}-b${suffix}`]
    const text = `a ${name} <b>${other}</b>`
    t.strictSame(
      placedIn(text, { prefix, suffix }).map(({ from, to }) => text.slice(from, to)),
      [name, '<b>', other, '</b>'],
      prefix,
    )
  }
})
