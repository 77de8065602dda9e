import fc from 'fast-check'
import t from 'tap'
import { type Member, membersOf, NoJson, readValue } from '../../src/bundle/members.ts'

/** The members of a text; its steps are counted. */
function read(text: string | Uint8Array, deep: (path: readonly string[]) => boolean = () => false) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const reading = membersOf(bytes, deep, 100_000)
  for (let steps = 0; ; steps++) {
    const step = reading.next()
    if (step.done) return { bytes, members: step.value, steps }
  }
}

/** What the members come to as objects. */
function contentOf(bytes: Uint8Array, members: Member[]): [string, unknown][] {
  return members.map(member => [
    member.name,
    member.members ? Object.fromEntries(contentOf(bytes, member.members)) : readValue(bytes, member),
  ])
}

const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
const object = fc.dictionary(fc.string({ unit: 'binary' }), value)
const space = fc.stringMatching(/^[ \n\r\t]{0,3}$/)

t.test('the members of whatever JSON.parse takes, as deep as they are asked for', async t => {
  let objects = 0
  const property = fc.property(fc.oneof(object, value), fc.nat(3), space, fc.nat(2), (body, depth, around, indent) => {
    const text = around + JSON.stringify(body, undefined, indent) + around
    const { bytes, members } = read(text, path => path.length <= depth)
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    if (!isObject) return members === undefined
    objects++
    t.strictSame(contentOf(bytes, members!), Object.entries(JSON.parse(text)), text)
    return true
  })
  fc.assert(property, { numRuns: 1000 })
  t.ok(objects > 300)
})

/** Whether the pieces are JSON, each for itself. */
function isJson(bytes: Uint8Array, members: Member[]): boolean {
  return members.every(member => {
    if (member.members) return isJson(bytes, member.members)
    readValue(bytes, member)
    return true
  })
}

t.test('what JSON.parse refuses is refused by the reader or in a piece', async t => {
  let refused = 0
  const change = fc.record({
    at: fc.nat(),
    sign: fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '\\', 'x', '\n', '0'),
  })
  const property = fc.property(
    object,
    fc.array(change, { minLength: 1, maxLength: 3 }),
    fc.nat(3),
    (body, changes, depth) => {
      let text = JSON.stringify(body)
      for (const { at, sign } of changes)
        text = text.slice(0, at % text.length) + sign + text.slice((at % text.length) + 1)
      let right = true
      try {
        JSON.parse(text)
      } catch {
        right = false
        refused++
      }
      try {
        const { bytes, members } = read(text, path => path.length <= depth)
        t.equal(members === undefined || isJson(bytes, members), right || members === undefined, text)
      } catch (error) {
        t.ok(error instanceof NoJson && !right, text)
      }
    },
  )
  fc.assert(property, { numRuns: 2000 })
  t.ok(refused > 300)
})

t.test('names with escapes, names given twice, a byte order mark', async t => {
  const { bytes, members } = read(
    '\ufeff {"\\u0061\\"":1,"a":2,"a":[3],"__proto__":{"b":{}}} ',
    path => path[0] === '__proto__',
  )
  t.strictSame(
    members!.map(({ name, members }) => [name, members?.map(({ name }) => name)]),
    [
      ['a"', undefined],
      ['a', undefined],
      ['a', undefined],
      ['__proto__', ['b']],
    ],
  )
  t.strictSame(readValue(bytes, members![2]!), [3])
  t.equal(read('\ufeff\ufeff{}').members, undefined, 'one, not two')
})

t.test('long values, names and space are gone through in steps', async t => {
  const long = 'x'.repeat(3 * 2 ** 20)
  for (const text of [
    JSON.stringify({ a: long }),
    JSON.stringify({ a: `\\${'"\\'.repeat(2 ** 20)}` }),
    JSON.stringify({ a: { b: [long] } }),
    `{"a":"b"${' '.repeat(3 * 2 ** 20)}}`,
    JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, '']))),
  ]) {
    const { steps } = read(text)
    t.ok(steps >= 3, `${steps} steps for ${text.slice(0, 20)}`)
  }
  t.throws(() => read(JSON.stringify({ [long]: '' })), NoJson)
  t.throws(() => read(`{"a":${'1'.repeat(5000)}}`), NoJson)
  for (const text of ['', '{', '{"a', '{"a":"b', '{"a":{"b":"c"}', '{"a":"b"} x', '{"a":"b\\']) {
    if (text !== '') t.throws(() => isJson(Buffer.from(text), read(text).members!), NoJson, text)
    else t.equal(read(text).members, undefined)
  }
})
