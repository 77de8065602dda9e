/** What must hold for every bundle, tried on random ones. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { putKey } from '../../src/bundle/edit-key.ts'
import { fill, overwrite } from '../../src/bundle/merge.ts'
import { empty, FLAT, file, fragment, json, parsed, pushed } from './pushing.ts'
import { accepted, keyName, member, nestingResource, resource, text, withoutEmpties } from './resources.ts'

const RUNS = { numRuns: 800 }
const read = (body: unknown) => accepted(() => fragment(body))

t.test('a file that nests comes back as it was pushed', async t => {
  let count = 0
  fc.assert(
    fc.property(nestingResource, body => {
      const brought = read(body)
      if (!brought) return true
      count++
      const bundle = overwrite(empty, brought).bundle
      return isDeepStrictEqual(json(bundle), withoutEmpties(body))
    }),
    { numRuns: 1000 },
  )
  t.ok(count > 300, `${count} files were accepted`)
})

t.test('canonical bytes are a fixed point, and hold the whole model', async () => {
  fc.assert(
    fc.property(resource, body => {
      const brought = read(body)
      if (!brought) return true
      const bundle = overwrite(empty, brought).bundle
      const back = parsed(file(bundle))
      return file(back) === file(bundle) && JSON.stringify(back.rows()) === JSON.stringify(bundle.rows())
    }),
    RUNS,
  )
})

t.test('what is served can be pushed again, and changes nothing', async () => {
  fc.assert(
    fc.property(resource, resource, (one, two) => {
      const brought = [read(one), read(two)]
      const bundle = brought.reduce((at, next) => (next ? (accepted(() => fill(at, next).bundle) ?? at) : at), empty)
      const again = read(json(bundle))
      if (!again) return true
      const outcome = overwrite(bundle, again)
      return outcome.bundle === bundle && outcome.unchanged === bundle.size
    }),
    RUNS,
  )
})

t.test('a merge into any bundle leaves a file that parses to the same bundle', async () => {
  fc.assert(
    fc.property(resource, resource, resource, (...bodies) => {
      let bundle = empty
      for (const body of bodies) {
        const brought = read(body)
        if (brought) bundle = accepted(() => overwrite(bundle, brought).bundle) ?? bundle
      }
      const back = parsed(file(bundle))
      return file(back) === file(bundle) && JSON.stringify(back.rows()) === JSON.stringify(bundle.rows())
    }),
    RUNS,
  )
})

t.test('the order of members in a body changes nothing', async () => {
  const reversed = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(reversed)
    return Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(Object.getOwnPropertyDescriptors(value))
          .reverse()
          .map(([name, found]) => [name, { ...found, value: reversed(found.value) }]),
      ),
    )
  }
  fc.assert(
    fc.property(resource, resource, (stored, body) => {
      const [one, two, base] = [read(body), read(reversed(body)), read(stored)]
      if (!one || !two) return !one === !two
      const before = base ? overwrite(empty, base).bundle : empty
      const results = [one, two].map(brought => accepted(() => file(overwrite(before, brought).bundle)))
      return results[0] === results[1]
    }),
    RUNS,
  )
})

t.test('the order of single-key writes changes nothing', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(keyName, { minLength: 2, maxLength: 7 }),
      fc.infiniteStream(fc.nat()),
      (names, random) => {
        const shuffled = names.map(name => [random.next().value as number, name] as const).sort((a, b) => a[0] - b[0])
        const write = (list: string[]) =>
          list.reduce((bundle, name) => overwrite(bundle, fragment({ [name]: name })).bundle, empty)
        return file(write(names)) === file(write(shuffled.map(([, name]) => name)))
      },
    ),
    { numRuns: 2000 },
  )
})

t.test('merges of different keys commute where nothing is an array', async () => {
  const plain = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(text, fc.dictionary(fc.constantFrom('a', 'b', 'b_one'), text)),
  )
  fc.assert(
    fc.property(plain, plain, (one, two) => {
      const [first, second] = [fragment(one), fragment(two)]
      const keys = new Set(first.tree.entries().map(entry => entry.key))
      if (second.tree.entries().some(entry => keys.has(entry.key))) return true
      return (
        file(fill(fill(empty, first).bundle, second).bundle) === file(fill(fill(empty, second).bundle, first).bundle)
      )
    }),
    RUNS,
  )
})

t.test('fill never changes a text that is there', async () => {
  fc.assert(
    fc.property(resource, resource, (stored, body) => {
      const [before, brought] = [read(stored), read(body)]
      if (!before || !brought) return true
      const bundle = overwrite(empty, before).bundle
      const after = accepted(() => fill(bundle, brought).bundle)
      if (!after) return true
      const texts = new Map(
        after.tree
          .entries()
          .flatMap(entry => entry.leaves().map(([leaf, value]) => [JSON.stringify(leaf), value] as const)),
      )
      return bundle.tree
        .entries()
        .every(entry =>
          entry.leaves().every(([leaf, value]) => value === '' || texts.get(JSON.stringify(leaf)) === value),
        )
    }),
    RUNS,
  )
})

t.test('flat files hold every key at the top, in any order of writes', async () => {
  fc.assert(
    fc.property(resource, body => {
      const brought = accepted(() => fragment(body, FLAT))
      if (!brought) return true
      const rows = brought.tree.entries().flatMap(entry => entry.leaves())
      const text =
        rows.length === 0
          ? '{}\n'
          : `${JSON.stringify(Object.fromEntries(rows.map(([, value], at) => [at, value])), null, 2)}\n`
      return text.length > 0 && brought.tree.root.nodes.size === 0
    }),
    RUNS,
  )
})

t.test('a key written by name is read by that name', async () => {
  fc.assert(
    fc.property(
      nestingResource,
      fc.oneof(
        keyName,
        member.filter(name => name !== ''),
      ),
      (body, name) => {
        const brought = read(body)
        if (!brought) return true
        const put = accepted(() => putKey(overwrite(empty, brought).bundle, name, 'new'))
        if (!put) return true
        const back = parsed(file(put.bundle))
        return JSON.stringify(back.message(put.key)) === JSON.stringify(put.message)
      },
    ),
    RUNS,
  )
})

t.test('own-property traps pollute nothing', async t => {
  const bundle = pushed(JSON.parse('{"__proto__":{"polluted":"x"},"constructor":{"prototype":{"polluted":"y"}}}'))
  t.equal(({} as { polluted?: string }).polluted, undefined)
  t.match(file(bundle), '"__proto__": {\n    "polluted": "x"')
})
