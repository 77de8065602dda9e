/** Names with escapes are parsed correctly, in spite of a bug in V8 (nodejs/node#63785). */
import fc from 'fast-check'
import t from 'tap'
import { parseBody } from '../../src/bundle/body.ts'
import { parseResource } from '../../src/bundle/canonical.ts'
import { parseJson } from '../../src/bundle/json.ts'
import { cost } from '../processor-time.ts'

t.test('parses a name correctly after another name with an escape', async t => {
  const [known, other] = ['{"before":"x","\\\\":"y"}', '{"before":"x","\\"":"y"}']
  const [longer, long] = ['{"first":"x","Say \\\\\\"hi":"y"}', '{"first":"x","Say \\"hi\\"":"y"}']
  for (const parse of [
    parseJson,
    (text: string) => parseBody(Buffer.from(text)).resource,
    (text: string) => parseResource(Buffer.from(text)),
  ]) {
    parse(known)
    t.strictSame(Object.keys(Object(parse(other))), ['before', '"'])
    parse(longer)
    t.strictSame(Object.keys(Object(parse(long))), ['first', 'Say "hi"'])
  }
})

t.test('members, their order and their values are those of the text', async t => {
  const deep = '['.repeat(50_000) + ']'.repeat(50_000)
  for (const [text, members] of [
    ['{"\\u0041":1,"A":2}', [['A', 2]]],
    ['{"A":1,"\\u0041":2,"A":3}', [['A', 3]]],
    [
      '{"\\"":1,"\\u0022":2,"b":3}',
      [
        ['"', 2],
        ['b', 3],
      ],
    ],
    [
      '{"b":1,"\\u0031":2,"1":3}',
      [
        ['1', 3],
        ['b', 1],
      ],
    ],
    ['{"\\u005f_proto__":{"\\n":1}}', [['__proto__', { '\n': 1 }]]],
    [
      '{"__proto__":1,"\\n":2}',
      [
        ['__proto__', 1],
        ['\n', 2],
      ],
    ],
    [
      '{"\\ud800":1,"\\ue0000":"\ue000","\ue000\ue0001":3}',
      [
        ['\ud800', 1],
        ['\ue0000', '\ue000'],
        ['\ue000\ue0001', 3],
      ],
    ],
    [
      '{"a":"\\"","\\\\" \n:\r\t["\\\\",{"\\"":"\\":"}]}',
      [
        ['a', '"'],
        ['\\', ['\\', { '"': '":' }]],
      ],
    ],
    [`{"\\t":1,"deep":${deep}}`, undefined],
  ] as const) {
    const value = parseJson(text)
    if (members) t.strictSame(Object.entries(Object(value)), members, text)
    else t.strictSame(Object.keys(Object(value)), ['\t', 'deep'])
  }
  t.throws(() => parseJson('{"\\x":1}'), SyntaxError)
  t.equal(Object.getPrototypeOf(parseJson('{"\\u005f_proto__":{}}')), Object.prototype)
})

t.test('no text is slow to parse', async t => {
  const text = (length: number) => `{"\\n":"${'\ue000'.repeat(length)}"}`
  const [short, long] = [text(5_000), text(40_000)].map(one => cost(() => parseJson(one)))
  t.ok(long! < 32 * short! + 2, `${short} and ${long} ms for eight times as much`)
})

t.test('parses all that JSON.stringify writes', async t => {
  const name = fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'a', '/', '\ue000', 'é', '1'), maxLength: 3 })
  const value = fc.letrec(tie => ({
    any: fc.oneof({ depthSize: 'small' }, name, tie('object'), fc.array(tie('any'), { maxLength: 3 })),
    object: fc.dictionary(name, tie('any'), { maxKeys: 4 }),
  })).object
  fc.assert(
    fc.property(value, given => {
      const text = JSON.stringify(given)
      return JSON.stringify(parseJson(text)) === text
    }),
  )
  t.pass()
})
