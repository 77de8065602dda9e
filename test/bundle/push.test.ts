import t from 'tap'
import { NO_TREES } from '../../src/bundle/made-file.ts'
import { type PushRules, tryPush } from '../../src/bundle/push.ts'

/** A push of a body into a file; both as objects. */
function push(stored: object, resource: unknown, rules: Partial<PushRules>) {
  const file = { owner: 'acme', id: '', bytes: Buffer.from(JSON.stringify(stored)), format: 'i18next-json' } as const
  const all = { language: 'de', overwrites: false, prunes: false, ...rules }
  const body = Buffer.from(typeof resource === 'string' ? resource : JSON.stringify(resource))
  return tryPush({ stored: file, body, rules: all, detailed: false }, NO_TREES)
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
      else t.strictSame(outcome.file ? JSON.parse(Buffer.from(outcome.file.bytes).toString()) : stored, expected, name)
    }
  }
})

t.test('a refusal is an answer', async t => {
  t.match(push({}, { a: 5 }, {}), { refused: { code: 'unfit', message: /"a"/ } })
  t.match(push({}, '{"a":', {}), { refused: { code: 'invalid' } })
  t.throws(() => tryPush({} as never, NO_TREES), TypeError, 'a fault of ours is none')
})
