/** A key stands where the source has it, after any writes in any order. */
import fc from 'fast-check'
import t from 'tap'
import { blobId } from '../../src/bundle/canonical.ts'
import { putKey, removeKey } from '../../src/bundle/edit-key.ts'
import { placesOf } from '../../src/bundle/file-change.ts'
import { fill, overwrite, prune } from '../../src/bundle/merge.ts'
import { peel } from '../../src/bundle/message.ts'
import type { Bundle } from '../../src/bundle/resource.ts'
import { restoreKey, revertBundle } from '../../src/bundle/revert.ts'
import { SourcePlaces } from '../../src/bundle/source-places.ts'
import { cost } from '../processor-time.ts'
import { empty, file, fragment, json, parsed, renamedKey } from './pushing.ts'
import { accepted } from './resources.ts'

/** The places of a source file; a file that is no bundle has none. */
function placesIn(resource: object): SourcePlaces {
  const bytes = Buffer.from(JSON.stringify(resource))
  return placesOf({ id: blobId(bytes), bytes })!
}

const name = fc.constantFrom('a', 'b', '1.0', 'index.html', 'x_one', 'x_other', 'Say. So')
/** Sources without keys in each other's way. */
const { branch: source } = fc.letrec<{ branch: object; value: unknown }>(tie => ({
  branch: fc.dictionary(name, tie('value'), { minKeys: 1, maxKeys: 4 }),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant('s'),
    tie('branch'),
    fc.array(fc.oneof(fc.constant('s'), tie('branch')), { minLength: 1, maxLength: 3 }),
  ),
}))

const step = fc.record({
  how: fc.constantFrom('put', 'fill', 'overwrite', 'nest', 'prune', 'remove', 'rename', 'restore', 'revert'),
  at: fc.nat(),
})

const nameOf = (leaf: { key: string; kind: string; form?: string }): string =>
  leaf.kind === 'text' ? leaf.key : `${leaf.key}${leaf.kind === 'ordinal' ? '_ordinal' : ''}_${leaf.form}`

/** Whether a key is the beginning of another: then the latter stands beside it, if both are there. */
const hasTwins = (keys: string[]): boolean => keys.some(key => keys.some(other => other.startsWith(`${key}.`)))

interface Write {
  how: string
  name: string
  history: Bundle[]
  places: SourcePlaces
  at: number
}

function apply(now: Bundle, { how, name, history, places, at }: Write): Bundle | undefined {
  const then = history[at % history.length]!
  switch (how) {
    case 'put':
      return putKey(now, name, 'x', places).bundle
    case 'fill':
      return fill(now, fragment({ [name]: 'x' }), places).bundle
    case 'overwrite':
      return overwrite(now, fragment({ [name]: 'y' }), places).bundle
    case 'nest': {
      const body = name.split('.').reduceRight<unknown>((below, part) => ({ [part]: below }), 'z')
      return fill(now, fragment(body), places).bundle
    }
    case 'prune':
      return prune(now, fragment({ [name]: 'p' }), overwrite, places).bundle
    case 'remove':
      return removeKey(now, name)?.bundle
    case 'rename':
      return now.tree.get(name)
        ? undefined
        : renamedKey(putKey(now, 'Old name', 'r', places).bundle, 'Old name', name, places)
    case 'restore':
      return restoreKey(now, then, name, places).bundle
    default:
      return revertBundle(now, then, history.at(-1)!, places).bundle
  }
}

t.test('each key that comes later stands where the source has it', async t => {
  let keys = 0
  const property = fc.property(source, fc.array(step, { minLength: 1, maxLength: 12 }), (resource, steps) => {
    const brought = accepted(() => fragment(resource))
    if (!brought || hasTwins(brought.tree.entries().map(({ key }) => key))) return true
    const original = overwrite(empty, brought).bundle
    const places = new SourcePlaces(original.tree)
    const names = original.tree.entries().flatMap(entry => entry.leaves().map(([leaf]) => nameOf(leaf)))
    const history: Bundle[] = [empty]
    for (const { how, at } of steps) {
      const now = history.at(-1)!
      const next = accepted(() => apply(now, { how, name: names[at % names.length]!, history, places, at }))
      if (next) history.push(parsed(file(next)))
    }
    const last = history.at(-1)!
    for (const entry of last.tree.entries()) {
      keys++
      const stands = JSON.stringify(original.tree.get(entry.key)?.place())
      if (stands !== undefined && stands !== JSON.stringify(entry.place())) return false
    }
    return true
  })
  fc.assert(property, { numRuns: 1000 })
  t.ok(keys > 1000, `${keys} keys were compared`)
})

t.test('an array grows as far as the source has it, for any index in a name', async t => {
  const source = placesIn({ steps: ['a', 'b', 'c'], plain: 'x' })
  for (const [stored, name] of [
    [{}, 'steps.999999999'],
    [{ steps: ['A'] }, 'steps.999999999'],
    [{ steps: { 999999999: 'x' } }, 'steps.1'],
    [{ steps: { 999999999: 'x' } }, 'steps.999999998'],
    [{}, 'steps.999999999.999999999'],
  ] as const) {
    const { bundle } = putKey(parsed(JSON.stringify(stored)), name, 'x', source)
    t.ok(bundle.message(name), `${JSON.stringify(stored)} ${name}`)
    t.ok(bundle.size <= 3, 'no other key came')
  }
  const { bundle } = putKey(parsed('{}'), 'steps.2', 'C', source)
  t.same(json(bundle), { steps: ['', '', 'C'] })
})

t.test('an object of any number of items becomes the array that a body has', async t => {
  const items = Array.from({ length: 200_000 }, () => 'x')
  const { bundle } = overwrite(parsed(JSON.stringify({ list: { ...items } })), fragment({ list: items }))
  t.same(json(bundle), { list: items })
})

t.test('leaves a text in place when an array of the source has an empty first item', async t => {
  const source = placesIn({ s: [[[], { 0: 'x' }], { 0: 'x' }] })
  const { bundle } = putKey(parsed('{"s":{"2":"x"}}'), 's.1.t', 'NEW', source)
  t.same(json(parsed(file(bundle))), { s: { 1: { t: 'NEW' }, 2: 'x' } })
})

t.test('loses no text, wherever the keys stood before', async t => {
  const names = ['0', '1', '2', '3', 's', 's.1', 's.1.t', 't', 's.1_one', 's.2']
  const { branch } = fc.letrec<{ branch: object; value: unknown }>(tie => ({
    branch: fc.dictionary(fc.constantFrom(...names), tie('value'), { minKeys: 1, maxKeys: 5 }),
    value: fc.oneof({ maxDepth: 3 }, fc.constant('x'), tie('branch'), fc.array(tie('value'), { maxLength: 4 })),
  }))
  const key = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map(parts => parts.join('.'))
  const sources = fc.oneof(
    branch,
    fc.constant({ s: ['a', 'b', 'c', 'd'] }),
    fc.constant({ s: [{ t: 'a' }, 'b', { t: 'c' }] }),
  )
  const texts = (bundle: Bundle) => new Map(bundle.tree.entries().map(({ key }) => [key, bundle.message(key)]))
  let puts = 0
  const property = fc.property(branch, sources, key, fc.boolean(), (stored, source, name, isPush) => {
    const brought = accepted(() => overwrite(empty, fragment(stored)).bundle)
    if (!brought || hasTwins(brought.tree.entries().map(({ key }) => key))) return true
    const before = parsed(file(brought))
    const places = placesIn(source)
    const after = accepted(() =>
      isPush ? fill(before, fragment({ [name]: 'NEW' }), places).bundle : putKey(before, name, 'NEW', places).bundle,
    )
    if (!after) return true
    puts++
    const kept = texts(parsed(file(after)))
    const stays = ([key, message]: [string, unknown]) =>
      key === peel(name).key || JSON.stringify(kept.get(key)) === JSON.stringify(message)
    return kept.size === after.size && [...texts(parsed(file(brought)))].every(stays)
  })
  fc.assert(property, { numRuns: 1000 })
  t.ok(puts > 170, `${puts} keys were put`)
})

t.test('leaves an object as it is when one of its items stands elsewhere', async t => {
  const source = placesIn({
    steps: ['a', 'b', 'c', 'd'],
    rows: [{ t: 'a' }, { t: 'b' }, { t: 'c' }, { t: 'd' }],
  })
  for (const [stored, name] of [
    [{ steps: { 0: 'x', 2: 'z' }, 'steps.1': 'y' }, 'steps.3'],
    [{ steps: { 0: 'x', 2: 'z' }, 'steps.1_one': 'y', 'steps.1_other': 'yy' }, 'steps.3'],
    [{ rows: { 0: { t: 'x' }, 2: { t: 'z' } }, 'rows.1.t': 'y' }, 'rows.3.t'],
    [{ rows: { 0: { t: 'x' }, 2: { t: 'z' } }, 'rows.1': { t: 'y' } }, 'rows.3.t'],
    [{ 'steps.1': 'y' }, 'steps.2'],
    [{ steps: ['x'], 'steps.1': 'y' }, 'steps.3'],
  ] as const) {
    const before = parsed(JSON.stringify(stored))
    const { bundle } = putKey(before, name, 'NEW', source)
    t.equal(parsed(file(bundle)).size, before.size + 1, `${JSON.stringify(stored)} ${name}`)
  }
})

t.test('grows with the keys when an object cannot become an array', async t => {
  const shapes = [
    {
      what: 'a member that is no item',
      stored: (n: number) =>
        Object.fromEntries([...Array.from({ length: n }, (_, at) => [at, { a: 'A' }]), ['x', 'X']]),
      added: (n: number) => Array.from({ length: n }, (_, at) => `s.${at}.b`),
      source: (n: number) => Array.from({ length: n }, () => ({ a: 'a' })),
    },
    ...['items that the source lacks', 'the same, from the last'].map((what, reversed) => ({
      what,
      stored: (n: number) => Object.fromEntries(Array.from({ length: n }, (_, at) => [2 * at + 1, 'A'])),
      added: (n: number) => {
        const names = Array.from({ length: n - 1 }, (_, at) => `s.${2 * at}`)
        return reversed ? names.reverse() : names
      },
      source: () => ['a'],
    })),
  ]
  for (const { what, stored, added, source } of shapes) {
    const milliseconds = (n: number) => {
      const bundle = parsed(JSON.stringify({ s: stored(n) }))
      const body = fragment(Object.fromEntries(added(n).map(name => [name, 'B'])))
      const places = placesIn({ s: source(n) })
      return cost(() => fill(bundle, body, places))
    }
    milliseconds(500)
    // A busy machine may add to one measure, not to each of three. Quadratic work is always at 64.
    let growth = Number.POSITIVE_INFINITY
    for (let measures = 0; measures < 3 && growth >= 30; measures++) growth = milliseconds(4000) / milliseconds(500)
    t.ok(growth < 30, `eight times as many, ${what}: ${growth.toFixed(1)}`)
  }
})
