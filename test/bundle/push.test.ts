import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { blobId, parseBundle } from '../../src/bundle/canonical.ts'
import { diffBundles, type KeyChange, sameMessage } from '../../src/bundle/diff.ts'
import { computePush, type PushRules, tryPush } from '../../src/bundle/push.ts'
import { FLAT, NESTED } from './pushing.ts'
import { accepted, resource } from './resources.ts'

/** A push of a body into a file; both as objects. */
function push(stored: object, resource: unknown, rules: Partial<PushRules>) {
  const file = { id: '', bytes: Buffer.from(JSON.stringify(stored)), format: 'i18next-json' } as const
  const all = { language: 'de', overwrites: false, prunes: false, ...rules }
  const body = Buffer.from(typeof resource === 'string' ? resource : JSON.stringify(resource))
  return tryPush({ stored: file, body, rules: all, detailed: false })
}

const plural = { item_one: '1', item_other: 'n' }

t.test('what becomes of a value, by what is stored and what is pushed', async t => {
  const cases: [stored: object, pushed: object, filled: object, overwritten: object, pruned: object][] = [
    [{}, { a: '' }, { a: '' }, { a: '' }, { a: '' }],
    [{ a: '' }, { a: 'y' }, { a: 'y' }, { a: 'y' }, { a: 'y' }],
    [{ a: 'x' }, { a: 'y' }, { a: 'x' }, { a: 'y' }, { a: 'y' }],
    [{ a: 'x' }, { a: '' }, { a: 'x' }, { a: 'x' }, { a: 'x' }],
    [{ a: 'x', b: 'y' }, { a: '' }, { a: 'x', b: 'y' }, { a: 'x', b: 'y' }, { a: 'x' }],
    [
      plural,
      { item_one: '', item_other: 'm' },
      plural,
      { item_one: '1', item_other: 'm' },
      { item_one: '1', item_other: 'm' },
    ],
    [plural, { item_one: '', item_other: '' }, plural, plural, plural],
    [plural, { item_one: '2' }, plural, { item_one: '2', item_other: 'n' }, { item_one: '2' }],
  ]
  for (const [stored, pushed, filled, overwritten, pruned] of cases) {
    for (const [rules, expected] of [
      [{}, filled],
      [{ overwrites: true }, overwritten],
      [{ overwrites: true, prunes: true }, pruned],
    ] as const) {
      const name = `${JSON.stringify(pushed)} over ${JSON.stringify(stored)} by ${JSON.stringify(rules)}`
      const outcome = push(stored, pushed, rules)
      if (!('counts' in outcome)) t.fail(name)
      else
        t.strictSame(
          outcome.file.kind === 'written' ? JSON.parse(Buffer.from(outcome.file.bytes).toString()) : stored,
          expected,
          name,
        )
    }
  }
})

t.test('a push with few changes returns exactly these changes', async t => {
  const push = fc.record({
    stored: fc.oneof(fc.constant({}), resource),
    pushed: resource,
    format: fc.constantFrom(NESTED, FLAT),
    language: fc.constantFrom('en', 'pl'),
    overwrites: fc.boolean(),
  })
  let [withChanges, accepts] = [0, 0]
  const property = fc.property(push, ({ stored: content, pushed, format, ...rules }) => {
    const bytes = Buffer.from(JSON.stringify(content))
    const stored = { id: blobId(bytes), bytes, format }
    const body = Buffer.from(JSON.stringify(pushed))
    const task = { stored, body, rules: { ...rules, prunes: false }, detailed: false }
    const fresh = accepted(() => computePush(task))
    if (fresh === undefined) return true
    accepts++
    if (fresh.changes === undefined) return true
    withChanges++
    const changes: KeyChange[] = JSON.parse(String(Buffer.from(fresh.changes)))
    const different = changes.filter(({ before, after }) => !sameMessage(before, after))
    different.sort((a, b) => (a.key < b.key ? -1 : 1))
    const [before, after] = [bytes, fresh.file.kind === 'written' ? fresh.file.bytes : bytes].map(bytes =>
      parseBundle(bytes, format),
    )
    return isDeepStrictEqual(different, diffBundles(before!, after!))
  })
  fc.assert(property, { numRuns: 1000 })
  t.ok(withChanges > accepts / 5, `${withChanges} of ${accepts} pushes returned their changes`)
})

t.test('a refusal is an answer', async t => {
  t.match(push({}, { a: 5 }, {}), { refused: { code: 'unfit', message: /"a"/ } })
  t.match(push({}, '{"a":', {}), { refused: { code: 'invalid' } })
  t.throws(() => tryPush({} as never), TypeError, 'a fault of ours is none')
})
