/** The digest of marks, beside a plain calculation. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { FORMS, type Message } from '../../src/bundle/message.ts'
import { textDigest } from '../../src/bundle/text-digest.ts'

const forms = fc.dictionary(fc.constantFrom(...FORMS), fc.string({ unit: 'grapheme' }), { minKeys: 1 })
const text = fc.string({ unit: 'grapheme' })
const message: fc.Arbitrary<Message> = fc.oneof(
  text,
  fc.record({ text, cardinal: forms, ordinal: forms }, { requiredKeys: ['cardinal'] }),
)

/** JSON without white space, members and forms in the order of the format. */
function plain(message: Message | null): string {
  if (message === null || typeof message === 'string') return JSON.stringify(message)
  const of = (forms: object) =>
    `{${FORMS.flatMap(form => (form in forms ? `"${form}":${JSON.stringify(forms[form as never])}` : [])).join(',')}}`
  const members = [
    message.text === undefined ? [] : `"text":${JSON.stringify(message.text)}`,
    message.cardinal === undefined ? [] : `"cardinal":${of(message.cardinal)}`,
    message.ordinal === undefined ? [] : `"ordinal":${of(message.ordinal)}`,
  ].flat()
  return `{${members.join(',')}}`
}

const oracle = (source: Message | null, message: Message): string =>
  createHash('sha256')
    .update(`[${plain(source)},${plain(message)}]`)
    .digest('hex')
    .slice(0, 16)

t.test('is the start of SHA-256 over the canonical JSON of both messages', async t => {
  fc.assert(
    fc.property(
      fc.option(message),
      message,
      (source, message) => textDigest(source, message) === oracle(source, message),
    ),
  )
  t.equal(textDigest('Home', 'Startseite'), 'dcd599f05e2887e2')
})

t.test('is the same for forms in another order, and differs with each text', async t => {
  const forms = { one: 'a', other: 'b' }
  const digest = textDigest('x', { cardinal: forms })
  t.equal(textDigest('x', { cardinal: { other: 'b', one: 'a' } }), digest)
  const others: [Message | null, Message][] = [
    ['y', { cardinal: forms }],
    [null, { cardinal: forms }],
    ['x', { ordinal: forms }],
    ['x', { cardinal: { one: 'b', other: 'a' } }],
    ['x', { text: '', cardinal: forms }],
  ]
  for (const [source, message] of others) t.not(textDigest(source, message), digest, JSON.stringify(message))
})
