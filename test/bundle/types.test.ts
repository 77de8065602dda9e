import fc from 'fast-check'
import t from 'tap'
import { declarations, literal, memberStart, renderTypes } from '../../src/bundle/types.ts'

const typesOf = (resource: unknown) => String(renderTypes({ bytes: Buffer.from(JSON.stringify(resource)) }))
/** On one line. */
const short = (resource: unknown) => typesOf(resource).replace(/\s+/g, ' ')

t.test('renders each kind of text as a type', async t => {
  const many = '{{a}}'.repeat(21)
  const rows: [name: string, resource: object, expected: string][] = [
    ['nothing', {}, '{}'],
    ['a text', { a: 'x' }, '{ "a": "x" }'],
    ['nested', { a: { b: 'x' }, c: 'y' }, '{ "a": { "b": "x" } "c": "y" }'],
    ['an array', { a: ['x', { b: 'y' }] }, '{ "a": ["x", { "b": "y" }] }'],
    ['an empty text', { a: '' }, '{ "a": string }'],
    [
      'what a person wrote by hand',
      { a: 1, b: true, c: null, d: {}, e: [] },
      '{ "a": number "b": boolean "c": null "d": {} "e": [] }',
    ],
    ['many interpolations', { a: many, b: many.slice(5) }, `{ "a": string "b": "${many.slice(5)}" }`],
    [
      'spaces that i18next drops and its types do not',
      { a: '{{ x }} {{ y , f(z: 1) }} {{\tz\n}} {{x}}', b: '{{- x }} {{ - x }} {{ }} {{}} {{ x', c: '{ x }' },
      '{ "a": "{{x}} {{y, f(z: 1) }} {{z}} {{x}}" "b": "{{- x }} {{ - x }} {{ }} {{}} {{x" "c": "{ x }" }',
    ],
    ['a long text', { a: 'x'.repeat(2_001) }, '{ "a": string }'],
    ['forms', { a_one: 'x', a_other: 'y' }, '{ "a_one": "x" "a_other": "y" }'],
    [
      'forms in a context too',
      { a_one: 'x', a_b_one: 'y', a_c: 'z', d_one: 'w' },
      '{ "a_one": string "a_b_one": string "a_c": "z" "d_one": "w" }',
    ],
    ['a trap', JSON.parse('{"__proto__":"x","constructor":"y"}'), '{ "__proto__": "x" "constructor": "y" }'],
  ]
  for (const [name, resource, expected] of rows) t.equal(short(resource), expected, name)
  t.throws(() => renderTypes({ bytes: Buffer.from('{"a":"x"},"b":{}') }), { code: 'unfit' })
  t.throws(() => typesOf(JSON.parse(`${'{"a":'.repeat(40)}"x"${'}'.repeat(40)}`)), { code: 'unfit' })
})

t.test('no name and no text leaves its quotes', async t => {
  const hostile = fc.constantFrom(
    '"',
    '\\',
    '*/',
    '//',
    '`',
    '${',
    '\n',
    '\r',
    '\u2028',
    '\u2029',
    '\u202e',
    '\u0085',
    "'",
    '}',
    '\u{e0001}',
    '😀',
  )
  const text = fc
    .array(fc.oneof(hostile, fc.string({ unit: 'grapheme' })), { maxLength: 6 })
    .map(parts => parts.join(''))
  const property = fc.property(text, text, (name, value) => {
    const [open, line = '', close, ...more] = typesOf({ [`k${name}`]: `v${value}` }).split('\n')
    const [, left = '', right = ''] = /^ {8}("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")$/.exec(line) ?? []
    return (
      open === '{' &&
      close === '      }' &&
      more.length === 0 &&
      !/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(line) &&
      JSON.parse(left) === `k${name}` &&
      JSON.parse(right) === `v${value}`
    )
  })
  fc.assert(property, { numRuns: 500 })
  t.equal(literal('\u202e'), '"\\u202e"')
  t.equal(literal('\u{e0001}'), '"\\udb40\\udc01"')
})

t.test('the declarations around them', async t => {
  const { head, foot } = declarations({ of: 'Texts.', defaultNamespace: 'common', flat: true })
  t.match(head, /^\/\/ Texts\.\n/)
  t.match(head, '    defaultNS: "common"\n    keySeparator: false\n    resources: {\n')
  t.equal(foot, '    }\n  }\n}\n')
  t.notMatch(declarations({ of: '', defaultNamespace: 'common', flat: false }).head, /keySeparator/)
  t.equal(memberStart('common'), '      "common": ')
})

t.test('reads the names of variables by the interpolation of the project', async t => {
  const of = (text: string, prefix: string, suffix: string) =>
    String(renderTypes({ bytes: Buffer.from(JSON.stringify({ a: text })), interpolation: { prefix, suffix } }))
  for (const [prefix, suffix] of [
    ['__', '__'],
    ['{', '}'],
    ['%', '%'],
    ['[[', ']]'],
  ] as const) {
    const text = `Hi ${prefix} name ${suffix} on ${prefix}day, long${suffix}.`
    t.match(of(text, prefix, suffix), JSON.stringify(`Hi ${prefix}name${suffix} on ${prefix}day, long${suffix}.`))
    t.match(of(`${prefix}a${suffix} `.repeat(21), prefix, suffix), /"a": string\n/)
    t.match(of('', prefix, suffix), /"a": string\n/)
  }
  const interpolation = { prefix: '"__', suffix: '*/' }
  const { head } = declarations({ of: 'Texts.', defaultNamespace: 'common', flat: false, interpolation })
  t.match(head, 'interpolationPrefix: "\\"__"\n    interpolationSuffix: "*/"\n')
})
