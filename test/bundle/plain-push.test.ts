/** The quick way of a push comes to what the careful one does, or to nothing. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { parseBody } from '../../src/bundle/body.ts'
import { blobId, parseBundle, renderBundle } from '../../src/bundle/canonical.ts'
import { diffBundles, type KeyChange, sameMessage } from '../../src/bundle/diff.ts'
import { LastTree, NO_TREES, type Trees } from '../../src/bundle/made-file.ts'
import type { Detail } from '../../src/bundle/merge.ts'
import type { Format } from '../../src/bundle/names.ts'
import { pushPlain } from '../../src/bundle/plain-push.ts'
import { computePush, pushInto } from '../../src/bundle/push.ts'
import { FLAT, NESTED } from './pushing.ts'
import { accepted, object, resource } from './resources.ts'

const NAMES = ['a', 'b', 'c_d', 'a_one', 'a_few', 'a_many', 'a_ordinal_one', 'a_ordinal_two', 'b_zero', 'z']
const RARE = [
  '_one',
  '_ordinal_one',
  'a_plural',
  'a_0',
  'a_1',
  'a_2',
  '10',
  '9',
  'é',
  'constructor',
  '__proto__',
  'a.b',
  'message',
]
const TEXTS = [
  'x',
  'y',
  '',
  'an "x"\n',
  'ü 😀',
  '{{count}}, {{name}}',
  '{n, plural, one {x} other {y}}',
  '\ud800',
  '\0',
]

const name = fc.oneof({ weight: 40, arbitrary: fc.constantFrom(...NAMES) }, fc.constantFrom(...RARE))
const text = fc.oneof({ weight: 20, arbitrary: fc.constantFrom('x', 'y', '') }, fc.constantFrom(...TEXTS))
const { node } = fc.letrec<{ node: object }>(tie => ({
  node: fc
    .array(fc.tuple(name, fc.oneof({ maxDepth: 2 }, { weight: 4, arbitrary: text }, tie('node'))), { maxLength: 5 })
    .map(object),
}))
const any = fc.oneof({ weight: 4, arbitrary: node }, resource)

interface Push {
  stored: Buffer
  body: Buffer
  format: Format
  language: string
  overwrites: boolean
}

const push = fc
  .record({
    stored: fc.oneof(fc.constant({}), any),
    pushed: any,
    format: fc.constantFrom(NESTED, FLAT),
    language: fc.constantFrom('en', 'pl'),
    overwrites: fc.boolean(),
  })
  .map(({ stored, pushed, ...rest }): Push => {
    const [file, body] = [stored, pushed].map(value => Buffer.from(JSON.stringify(value))) as [Buffer, Buffer]
    return { ...rest, stored: file, body }
  })

/** By the tree of places. */
function carefully({ stored, body, format, language, overwrites }: Push) {
  const before = parseBundle(stored, format)
  const { bundle, added, updated, unchanged, skipped, details } = pushInto(before, parseBody(body), {
    ...{ language, overwrites },
    prunes: false,
  })
  const counts = { added, updated, unchanged, skipped }
  return { counts, only: onlyOf(counts, details), file: bundle === before ? undefined : String(renderBundle(bundle)) }
}

const onlyOf = ({ added, updated }: { added: number; updated: number }, details: Detail[]) =>
  added + updated === 1 ? details.filter(({ result }) => result !== 'skipped') : []

function quickly({ stored, body, format, overwrites }: Push) {
  const { resource: pushed, escapes } = parseBody(body)
  const outcome = pushPlain(JSON.parse(String(stored)), pushed as object, {
    flat: format === FLAT,
    escapes,
    overwrites,
  })
  if (outcome === undefined) return undefined
  const { resource: made, details, ...counts } = outcome
  return { counts, only: details, file: made && `${JSON.stringify(made, null, 2)}\n` }
}

t.test('what the quick way gives is what the careful way gives', async t => {
  let [quick, all] = [0, 0]
  fc.assert(
    fc.property(push, of => {
      const given = quickly(of)
      all++
      if (given === undefined) return true
      quick++
      return isDeepStrictEqual(given, carefully(of))
    }),
    { numRuns: 4000 },
  )
  t.ok(quick > all / 8, `${quick} of ${all} were plain`)
})

t.test('a push refuses what the careful way refuses, and else has its file', async () => {
  fc.assert(
    fc.property(push, of => {
      const { stored: bytes, body, format, ...rules } = of
      const stored = { owner: 'acme', id: blobId(bytes), bytes, format }
      const run = (work: () => unknown) => {
        try {
          return work()
        } catch (error) {
          return String(error)
        }
      }
      const pushed = run(() => {
        const { file } = computePush({ stored, body, rules: { ...rules, prunes: false }, detailed: false }, NO_TREES)
        return file && Buffer.from(file.bytes).toString()
      })
      return pushed === run(() => carefully(of).file)
    }),
    { numRuns: 2000 },
  )
})

t.test('a few texts into a large file come to the same', async t => {
  const filler = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`filler${at}`, 'x'.repeat(90)]))
  let [told, all] = [0, 0]
  fc.assert(
    fc.property(push, of => {
      const bytes = Buffer.from(JSON.stringify({ ...filler, ...JSON.parse(String(of.stored)) }))
      const { body, format, ...rules } = of
      const stored = { owner: 'acme', id: blobId(bytes), bytes, format }
      const task = { stored, body, rules: { ...rules, prunes: false }, detailed: false }
      const [plain, kept] = [NO_TREES, new LastTree()].map(trees => accepted(() => computePush(task, trees)))
      if (plain === undefined || kept === undefined) return plain === kept
      const { changes, counts, file } = kept
      all++
      if (changes !== undefined) {
        told++
        const [before, after] = [bytes, file?.bytes ?? bytes].map(bytes => parseBundle(bytes, format))
        const all: KeyChange[] = JSON.parse(String(Buffer.from(changes)))
        const found = all.filter(({ before, after }) => !sameMessage(before, after))
        found.sort((a, b) => (a.key < b.key ? -1 : 1))
        if (!isDeepStrictEqual(found, diffBundles(before!, after!))) return false
      }
      return isDeepStrictEqual([counts, file], [plain.counts, plain.file])
    }),
    { numRuns: 500 },
  )
  t.ok(told > all / 2, `the changes of ${told} of ${all} were told`)
})

t.test('a kept tree is taken for a few texts, and not for what has as many at the top', async t => {
  const bytes = Buffer.from(
    JSON.stringify({ ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`a${at}`, 'x'.repeat(1000)])) }),
  )
  const stored = { owner: 'acme', id: blobId(bytes), bytes, format: NESTED }
  const taken = (body: object): number => {
    let times = 0
    const take: Trees['take'] = of => {
      times++
      return NO_TREES.take(of)
    }
    const rules = { language: 'en', overwrites: true, prunes: false }
    computePush({ stored, body: Buffer.from(JSON.stringify(body)), rules, detailed: false }, { ...NO_TREES, take })
    return times
  }
  t.equal(taken({ a1: 'y', b: 'z' }), 1, 'texts')
  t.equal(taken({ b: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`c${at}`, 'y'])) }), 0, 'a section')
})

t.test('the usual is plain', async t => {
  const plain = (stored: object, pushed: object) =>
    pushPlain(stored, pushed, { flat: false, escapes: true, overwrites: true })
  const file = { a: { b: 'x', item_one: '1', item_other: 'n' } }
  t.ok(plain({}, file), 'a new file')
  t.ok(plain({}, { b: 'y', a: 'say "x"\n' }), 'in any order, with escapes')
  t.ok(plain(structuredClone(file), { a: { b: 'y' } }), 'a changed text')
  t.ok(plain(structuredClone(file), { a: { c: 'y', d: { e: 'z' } } }), 'new keys')
  t.notOk(
    accepted(() => plain({}, { a: 5 })),
    'no text',
  )
})
