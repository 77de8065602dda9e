import fc from 'fast-check'
import t from 'tap'
import { fill, type MergeOutcome, overwrite, prune } from '../../src/bundle/merge.ts'
import { empty, FLAT, failure, file, fragment, json, parsed, pushed } from './pushing.ts'
import { accepted, resource } from './resources.ts'

const counts = ({ added, updated, unchanged, skipped, removed }: MergeOutcome) => [
  added,
  updated,
  unchanged,
  skipped,
  removed,
]

const stored = { a: 'x', b: 'y', same: 's', item: 't', item_one: '1', item_other: 'n', nav: { home: 'h', away: 'w' } }

t.test('what the body lacks goes, and is counted by key', async t => {
  const body = { a: 'z', same: 's', item_one: '1', nav: { home: 'h' }, fresh: 'f' }
  const over = prune(pushed(stored), fragment(body), overwrite)
  t.strictSame(counts(over), [1, 2, 2, 0, 2])
  t.strictSame(json(over.bundle), body)
  const filling = prune(pushed(stored), fragment(body), fill)
  t.strictSame(counts(filling), [1, 1, 2, 1, 2])
  t.strictSame(json(filling.bundle), { ...body, a: 'x' })
  const results = Object.fromEntries(filling.details.map(({ key, result }) => [key, result]))
  t.strictSame(results, { fresh: 'added', item: 'updated', a: 'skipped', b: 'removed', 'nav.away': 'removed' })
})

/** [what is stored, the body, the file after] */
const MEETINGS: [stored: object, body: object, after?: object][] = [
  [{ a: 'x' }, {}],
  [{ a: { b: 'x' }, list: ['y'] }, {}],
  [{ a: 'x' }, { a: { b: 'y' } }],
  [{ a: { b: 'y' } }, { a: 'x' }],
  [{ a: 'x', 'a.b': 'y' }, { 'a.b': 'y' }],
  [{ a: 'x' }, { a_one: '1' }],
  [{ a_one: '1' }, { a: 'x' }],
  [{ a_one: '1', a_ordinal_one: '1' }, { a_ordinal_one: '1' }],
  [{ v: { '1.0': 'x' } }, { 'v.1.0_one': '1' }, { v: { '1.0_one': '1' } }],
  [{ list: ['a', 'b', 'c'] }, { list: ['a'] }],
  [{ list: ['a', { t: 'b' }] }, { list: ['a', 'c'] }],
  [{ list: [{ t: 'b' }, 'a'] }, { list: ['c', 'a'] }],
  [{ list: ['a', ['b', 'c'], { d: 'e', f: 'g' }] }, { list: ['a', ['b'], { d: 'e' }] }],
  [{ list: [{ t: 'b' }, { t: 'c' }, 'd'] }, { list: ['x', 'y', 'd'] }],
  [{ list: ['a'] }, { other: { list: ['a'] } }],
  [{ list: ['a'] }, { 'list.0_one': 'x' }, { list: { '0_one': 'x' } }],
]

t.test('what is left stands where the body shows it', async t => {
  for (const [stored, body, after = body] of MEETINGS) {
    const { bundle } = prune(pushed(stored), fragment(body), overwrite)
    t.strictSame(json(bundle), after, `${JSON.stringify(stored)} pruned to ${JSON.stringify(body)}`)
    t.equal(file(parsed(file(bundle))), file(bundle))
  }
})

t.test('an array closes no gap', async t => {
  for (const body of [{ 'list.1': 'b' }, { list: { 0: 'a', 2: 'c' } }]) {
    t.match(
      failure('unfit', () => prune(pushed({ list: ['a', 'b', 'c'] }), fragment(body), overwrite)),
      /items of an array .*"list\./,
    )
  }
})

t.test('nothing to prune: the very same bundle', async t => {
  const bundle = pushed(stored)
  t.equal(prune(bundle, fragment(stored), overwrite).bundle, bundle)
  t.equal(prune(empty, fragment({}), overwrite).bundle, empty)
})

t.test('an empty value does not clear the stored text of a key that stays', async t => {
  const outcome = prune(pushed({ a: 'x', b: 'y' }), fragment({ a: '' }), overwrite)
  t.strictSame(counts(outcome), [0, 0, 0, 1, 1])
  t.strictSame(json(outcome.bundle), { a: 'x' })
})

t.test('flat bundles', async t => {
  const bundle = overwrite(parsed('{}', FLAT), fragment({ 'a.b': 'x', 'list.0': 'y', 'list.1': 'z' }, FLAT)).bundle
  t.strictSame(json(prune(bundle, fragment({ 'list.1': 'z' }, FLAT), overwrite).bundle), { 'list.1': 'z' })
})

/** Every leaf of a bundle by its name. */
const leaves = (bundle: MergeOutcome['bundle']) =>
  new Map(
    bundle.tree
      .entries()
      .flatMap(entry => entry.leaves())
      .map(([leaf, value]) => [JSON.stringify(leaf), value]),
  )

t.test('a pruned bundle holds what the body holds, and the counts add up', async t => {
  let count = 0
  fc.assert(
    fc.property(resource, resource, (before, body) => {
      const [first, second] = [accepted(() => fragment(before)), accepted(() => fragment(body))]
      if (!first || !second) return true
      const bundle = overwrite(empty, first).bundle
      const outcome = accepted(() => prune(bundle, second, overwrite))
      if (!outcome) return true
      count++
      const [found, stored] = [leaves(outcome.bundle), leaves(bundle)]
      const wanted = leaves(overwrite(empty, second).bundle)
      const kept = new Set(outcome.bundle.rows().map(({ key }) => key))
      return (
        found.size === wanted.size &&
        [...wanted].every(([leaf, value]) => found.get(leaf) === (value || (stored.get(leaf) ?? ''))) &&
        outcome.added + outcome.updated + outcome.unchanged + outcome.skipped === second.tree.size &&
        outcome.removed === bundle.rows().filter(({ key }) => !kept.has(key)).length &&
        file(parsed(file(outcome.bundle))) === file(outcome.bundle)
      )
    }),
    { numRuns: 1000 },
  )
  t.ok(count > 500, `${count} were pruned`)
})
