import fc from 'fast-check'
import t from 'tap'
import { removeKey } from '../../src/bundle/edit-key.ts'
import { fill, overwrite } from '../../src/bundle/merge.ts'
import { join, peel } from '../../src/bundle/message.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { revertBundle } from '../../src/bundle/revert.ts'
import { empty, FLAT, file, fragment, json, parsed, pushed } from './pushing.ts'
import { accepted, nestingResource, resource } from './resources.ts'

const CHANGED = 'It has changed since.'
const DELETED = 'It has been deleted since.'
const ALREADY = 'It is as it was before already.'
const AGAIN = 'It is there again, with another text.'
const BEHIND = /item of an array.*behind it/
const IN_ARRAY = /item of an array by now/

type Skips = Record<string, string | RegExp>

/** [case, before the commit, after it, now, the file then, skipped keys] */
const CASES: [label: string, before: object, after: object, now: object, then: object, skipped?: Skips][] = [
  ['a text that the commit changed', { a: 'x', b: 'n' }, { a: 'y', b: 'n' }, { a: 'y', b: 'm' }, { a: 'x', b: 'm' }],
  ['one that changed since', { a: 'x' }, { a: 'y' }, { a: 'z' }, { a: 'z' }, { a: CHANGED }],
  ['one that was deleted since', { a: 'x', b: 'n' }, { a: 'y', b: 'n' }, { b: 'n' }, { b: 'n' }, { a: DELETED }],
  ['one that went back by itself', { a: 'x' }, { a: 'y' }, { a: 'x' }, { a: 'x' }, { a: ALREADY }],
  ['a key that it added', { b: 'n' }, { a: 'y', b: 'n' }, { a: 'y', b: 'n', c: 'o' }, { b: 'n', c: 'o' }],
  ['its only key', {}, { a: 'y' }, { a: 'y' }, {}],
  ['a key that it added, changed since', {}, { a: 'y' }, { a: 'z' }, { a: 'z' }, { a: CHANGED }],
  ['a key that it added, deleted since', {}, { a: 'y' }, { b: 'n' }, { b: 'n' }, { a: ALREADY }],
  ['a key that it deleted', { a: 'x', b: 'n' }, { b: 'n' }, { b: 'm' }, { a: 'x', b: 'm' }],
  ['a key that it deleted, there again', { a: 'x' }, {}, { a: 'z' }, { a: 'z' }, { a: AGAIN }],
  ['a key that it deleted, back already', { a: 'x' }, {}, { a: 'x' }, { a: 'x' }, { a: ALREADY }],
  ['an empty text that it filled', { a: '' }, { a: 'y' }, { a: 'y', b: 'n' }, { a: '', b: 'n' }],
  ['a text that it emptied', { a: 'x' }, { a: '' }, { a: '', b: 'n' }, { a: 'x', b: 'n' }],
  [
    'some of many',
    { a: 'x', b: 'x', c: 'x' },
    { a: 'y', b: 'y', d: 'y' },
    { a: 'y', b: 'z', c: 'z', d: 'y' },
    { a: 'x', b: 'z', c: 'z' },
    { b: CHANGED, c: AGAIN },
  ],
  [
    'a rename',
    { old: { a: 'x' }, b: 'n' },
    { new: { a: 'x' }, b: 'n' },
    { new: { a: 'x' }, b: 'm' },
    { old: { a: 'x' }, b: 'm' },
  ],
  [
    'one form, while another has changed since',
    { item_one: '1', item_other: 'n' },
    { item_one: '1!', item_other: 'n' },
    { item_one: '1!', item_other: 'm' },
    { item_one: '1', item_other: 'm' },
  ],
  [
    'two forms, and one has changed since',
    { item_one: '1', item_other: 'n' },
    { item_one: '1!', item_other: 'n!' },
    { item_one: '1!', item_other: 'm' },
    { item_one: '1', item_other: 'm' },
    { item: 'Not all of it is undone: "item_other" changed since.' },
  ],
  [
    'a form that it added, and one that it deleted',
    { item_one: '1', item_few: 'f' },
    { item_one: '1', item_other: 'n' },
    { item_one: 'now', item_other: 'n' },
    { item_one: 'now', item_few: 'f' },
  ],
  [
    'forms of both kinds and a text',
    { item: 't', item_one: '1', item_ordinal_one: '1st' },
    { item: 'T', item_one: '1!', item_ordinal_one: 'st' },
    { item: 'T', item_one: 'now', item_ordinal_one: 'st' },
    { item: 't', item_one: 'now', item_ordinal_one: '1st' },
    { item: /"item_one" changed/ },
  ],
  [
    'a text that it turned into a plural',
    { item: 't', b: 'n' },
    { item_one: '1', item_other: 'n', b: 'n' },
    { item_one: '1', item_other: 'n', b: 'm' },
    { item: 't', b: 'm' },
  ],
  [
    'a plural that it deleted, with one form there again',
    { item_one: '1', item_other: 'n' },
    {},
    { item_one: 'other' },
    { item_one: 'other', item_other: 'n' },
    { item: /"item_one" changed/ },
  ],
  [
    'a place of its own comes back',
    { v: { '1.0': 'x' }, b: 'n' },
    { b: 'n' },
    { b: 'm', v: { '2.0': 'y' } },
    { b: 'm', v: { '1.0': 'x', '2.0': 'y' } },
  ],
  ['what was an object is a text', { a: { b: 'x' } }, { a: 'y' }, { a: 'y', c: 'z' }, { a: { b: 'x' }, c: 'z' }],
  [
    'what was an object is a text that has changed since',
    { a: { b: 'x' } },
    { a: 'y' },
    { a: 'z' },
    { a: 'z', 'a.b': 'x' },
    { a: CHANGED },
  ],
  ['items at the end of an array', { l: ['p'] }, { l: ['p', 'q', 'r'] }, { l: ['P', 'q', 'r'] }, { l: ['P'] }],
  [
    'many items that come back',
    { l: 'abcdefghijkl'.split('') },
    { l: ['a'] },
    { l: ['A'] },
    { l: ['A', ...'bcdefghijkl'.split('')] },
  ],
  [
    'an item with others behind it by now',
    { l: ['p'], b: 'x' },
    { l: ['p', 'q'], b: 'y' },
    { l: ['p', 'q', 'r'], b: 'y' },
    { l: ['p', 'q', 'r'], b: 'x' },
    { 'l.1': BEHIND },
  ],
  [
    'an item that is an object',
    { l: [{ t: 'p' }] },
    { l: [{ t: 'p' }, { t: 'q', u: 'v' }] },
    { l: [{ t: 'p' }, { t: 'q', u: 'v' }, { t: 'r' }] },
    { l: [{ t: 'p' }, { t: 'q', u: 'v' }, { t: 'r' }] },
    { 'l.1.t': BEHIND, 'l.1.u': BEHIND },
  ],
  [
    'a form of what is an item by now',
    { 'l.0': 't', 'l.0_one': '1' },
    { 'l.0': 't' },
    { l: ['t', 'q'] },
    { l: ['t', 'q'] },
    { 'l.0': IN_ARRAY },
  ],
  ['__proto__', JSON.parse('{"__proto__":"x"}'), {}, { b: 'n' }, JSON.parse('{"__proto__":"x","b":"n"}')],
]

t.test('a commit is undone on top of what came since', async t => {
  for (const [told, ...files] of CASES) {
    const [before, after, now] = files.slice(0, 3).map(body => pushed(body as object)) as [Bundle, Bundle, Bundle]
    const [then, skipped = {}] = files.slice(3) as [object, Skips?]
    const sources = [before, after, now].map(file)
    const reverted = revertBundle(now, before, after)
    t.strictSame(json(reverted.bundle), then, told)
    t.equal(file(parsed(file(reverted.bundle))), file(reverted.bundle), `${told}: reads back`)
    t.strictSame([before, after, now].map(file), sources, `${told}: the bundles given stay`)
    t.match(Object.fromEntries(reverted.skipped.map(({ key, reason }) => [key, reason])), skipped, told)
    t.equal(reverted.skipped.length, Object.keys(skipped).length, `${told}: nothing else is skipped`)
    for (const change of reverted.changes) {
      const [was, is] = [now, reverted.bundle].map(one => one.message(change.key) ?? null)
      t.strictSame(change, { key: change.key, before: was, after: is }, `${told}: reports the change`)
    }
    const again = revertBundle(reverted.bundle, before, after)
    t.equal(again.bundle, reverted.bundle, `${told}: a second time changes nothing`)
    t.strictSame(again.changes, [], told)
  }
})

t.test('across formats', async t => {
  const flat = (body: unknown) => overwrite(Bundle.empty(FLAT), fragment(body, FLAT)).bundle
  const [before, after] = [pushed({ a: { b: 'x' }, v: { '1.0': 'y' } }), pushed({ a: { b: 'X' } })]
  t.strictSame(json(revertBundle(flat({ 'a.b': 'X', c: 'z' }), before, after).bundle), {
    'a.b': 'x',
    'v.1.0': 'y',
    c: 'z',
  })
  const lines = flat({ 'a.b': 'x', 'v.1.0': 'y' })
  t.strictSame(json(revertBundle(pushed({ a: { c: 'z' } }), lines, flat({ c: 'z' })).bundle), {
    a: { b: 'x', c: 'z' },
    v: { 1: { 0: 'y' } },
  })
})

/** Every text and form of a bundle by its name. */
const leavesOf = (bundle: Bundle): Map<string, string> =>
  new Map(bundle.tree.entries().flatMap(entry => entry.leaves().map(([leaf, text]) => [join(leaf), text] as const)))

/** The slow and obvious rule, over names and texts: a name that is as the commit left it is as it was before. */
function undo(now: Map<string, string>, before: Map<string, string>, after: Map<string, string>, except: Set<string>) {
  const result = new Map(now)
  const skipped = new Set(except)
  for (const name of [...before.keys(), ...after.keys()]) {
    const { key } = peel(name)
    if (before.get(name) === after.get(name) || except.has(key)) continue
    if (now.get(name) === after.get(name)) {
      if (before.has(name)) result.set(name, before.get(name)!)
      else result.delete(name)
    } else if (now.get(name) !== before.get(name)) skipped.add(key)
  }
  return { result, skipped: [...skipped].sort() }
}

const sorted = (texts: Map<string, string>) => JSON.stringify([...texts].sort(([a], [b]) => (a < b ? -1 : 1)))

/** What one commit does to a bundle. */
type Step = { kind: 'push' | 'fill'; body: object } | { kind: 'remove' | 'empty' | 'text'; pick: number }
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('push', 'fill'), body: fc.oneof(resource, nestingResource) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'text', 'empty'), pick: fc.nat() }) },
)

function taken(bundle: Bundle, one: Step): Bundle {
  if ('body' in one) {
    const write = one.kind === 'push' ? overwrite : fill
    return accepted(() => write(bundle, fragment(one.body)).bundle) ?? bundle
  }
  if (one.kind === 'empty' && one.pick % 4 === 0) return empty
  const names = [...leavesOf(bundle).keys()]
  const name = names[one.pick % (names.length || 1)]
  if (name === undefined) return bundle
  if (one.kind === 'remove') return accepted(() => removeKey(bundle, name)?.bundle) ?? bundle
  return accepted(() => overwrite(bundle, fragment({ [name]: `text ${one.pick}` })).bundle) ?? bundle
}

/** The states of a bundle from the empty one on. */
const history = fc.array(step, { minLength: 1, maxLength: 8 }).map(steps => {
  const states = [empty]
  for (const one of steps) states.push(taken(states.at(-1)!, one))
  return states
})

const RUNS = { numRuns: 1000 }

t.test('any commit of a random history: as the reference on plain maps, apart from what arrays cannot do', async t => {
  const seen = { undone: 0, skipped: 0, arrays: 0 }
  fc.assert(
    fc.property(history, fc.nat(), (states, pick) => {
      const at = 1 + (pick % (states.length - 1))
      const [before, after, now] = [states[at - 1]!, states[at]!, states.at(-1)!]
      const { bundle, changes, skipped } = revertBundle(now, before, after)
      const told = skipped.filter(({ reason }) => reason !== ALREADY)
      const held = new Set(told.filter(({ reason }) => / array/.test(reason)).map(({ key }) => key))
      const expected = undo(leavesOf(now), leavesOf(before), leavesOf(after), held)
      seen.undone += changes.length
      seen.skipped += told.length
      seen.arrays += held.size
      return (
        sorted(leavesOf(bundle)) === sorted(expected.result) &&
        JSON.stringify([...new Set(told.map(({ key }) => key))]) === JSON.stringify(expected.skipped) &&
        file(parsed(file(bundle))) === file(bundle) &&
        (changes.length > 0 || bundle === now)
      )
    }),
    RUNS,
  )
  t.ok(seen.undone > 1000 && seen.skipped > 75 && seen.arrays > 2, JSON.stringify(seen))
})

t.test('undoing an undo brings back every text, also after other writes', async t => {
  let count = 0
  fc.assert(
    fc.property(history, fc.nat(), fc.array(step, { maxLength: 2 }), (states, pick, more) => {
      const at = 1 + (pick % (states.length - 1))
      const now = states.at(-1)!
      const undone = revertBundle(now, states[at - 1]!, states[at]!).bundle
      const later = more.reduce(taken, undone)
      const { bundle, skipped } = revertBundle(later, now, undone)
      if (skipped.length > 0) return true
      if (undone !== now) count++
      const [wanted, kept] = [leavesOf(bundle), leavesOf(now)]
      const touched = (name: string) => kept.get(name) !== leavesOf(undone).get(name)
      const names = new Set([...kept.keys(), ...leavesOf(undone).keys()])
      return [...names].filter(touched).every(name => wanted.get(name) === kept.get(name))
    }),
    RUNS,
  )
  t.ok(count > 250, `${count} undos were undone`)
})
