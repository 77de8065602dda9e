/** Bodies that attackers or accidents send. */
import { gzipSync } from 'node:zlib'

const deep = (open: string, close: string, depth = 100_000) => open.repeat(depth) + close.repeat(depth)
const text = (json: string) => Buffer.from(json)

/** Bodies that every route must survive, by name. */
export const BODIES: [name: string, body: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['white space', Buffer.alloc(1_000_000, ' ')],
  ['a byte order mark alone', text('\ufeff')],
  ['a byte order mark and an object', text('\ufeff{"bom": "x"}')],
  ['two byte order marks', text('\ufeff\ufeff{"a":"x"}')],
  ['no JSON', text('<xml/>')],
  ['half an object', text('{"a":')],
  ['two objects', text('{}{}')],
  ['a comma too many', text('{"a":"x",}')],
  ['a comment', text('{/* */}')],
  ['NaN', text('{"a":NaN}')],
  ['null', text('null')],
  ['a number', text('1e999')],
  ['a text', text('"x"')],
  ['an array', text('["x"]')],
  [
    'members named like those of every object',
    text('{"__proto__":{"polluted":"x"},"constructor":{"prototype":{"polluted":"x"}},"toString":"x"}'),
  ],
  [
    'a prototype of another kind',
    text('{"__proto__":null,"hasOwnProperty":1,"value":"x","slug":"__proto__","name":"x","to":"__proto__"}'),
  ],
  ['a member twice', text('{"a":"x","a":"y","name":"a","name":"b"}')],
  ['arrays 100,000 deep', text(deep('[', ']'))],
  ['objects 100,000 deep', text(deep('{"a":', '}').replace('}', '1}'))],
  ['arrays that never close', text('['.repeat(200_000))],
  ['a key of a megabyte', text(`{"${'k'.repeat(1_000_000)}":"x"}`)],
  ['a key of a megabyte of dots', text(`{"${'a.'.repeat(500_000)}":"x"}`)],
  ['a value of a megabyte', text(`{"a":"${'v'.repeat(1_000_000)}"}`)],
  ['fifty thousand keys', text(`{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":"x"`).join()}}`)],
  [
    'fifty thousand prefixes',
    text(`{${Array.from({ length: 5000 }, (_, n) => `"${'a.'.repeat(n % 30)}k${n}":"x"`).join()}}`),
  ],
  ['an array of a hundred thousand', text(`{"a":[${'"x",'.repeat(100_000)}"y"]}`)],
  ['an index far out', text('{"a.4294967295":"x","a.99999999999":"x","list":{"4294967294":"x"}}')],
  ['lone surrogates', text('{"\\ud800":"\\udfff","value":"\\ud800","name":"\\ud800"}')],
  ['NUL', text('{"\\u0000":"\\u0000","value":"\\u0000","name":"a\\u0000b"}')],
  ['not UTF-8', Buffer.from('{"a":"\xff\xfe"}', 'latin1')],
  ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xae, 0x22, 0x3a, 0x31, 0x7d])],
  ['a surrogate in UTF-8', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('\ufeff{"a":"x"}', 'utf16le')],
  ['gzip', gzipSync('{"a":"x"}')],
  ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000, ' '))],
  ['numbers', text('{"a":1e309,"b":-0,"c":12345678901234567890,"d":0.1e-400}')],
  ['a zip', Buffer.from('504b030414000000', 'hex')],
  ['a pkt-line flush', text('0000')],
  ['a pkt-line too long', text('ffff')],
  ['a pkt-line want', text(`0032want ${'0'.repeat(40)}\n00000009done\n`)],
  ['pkt-lines without end', text('0004'.repeat(50_000))],
]
