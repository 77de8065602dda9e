import fc from 'fast-check'
import t from 'tap'
import { bundleIn, parseBundle } from '../../src/bundle/canonical.ts'
import { compare } from '../../src/project/versions.ts'
import { Comparisons } from '../../src/store/comparisons.ts'
import { accepted, resource } from '../bundle/resources.ts'

const file = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

t.test('a file holds the same keys and messages in either format', async t => {
  let readable = 0
  const rows = (bytes: Buffer, format: 'i18next-json' | 'i18next-json-flat') =>
    accepted(() =>
      parseBundle(bytes, format)
        .rows()
        .map(row => JSON.stringify(row))
        .sort(),
    )
  fc.assert(
    fc.property(resource, body => {
      const [nested, flat] = [rows(file(body), 'i18next-json'), rows(file(body), 'i18next-json-flat')]
      if (nested) readable++
      return JSON.stringify(nested) === JSON.stringify(flat)
    }),
    { numRuns: 2000 },
  )
  t.ok(readable > 1000, `${readable} could be read`)
})

t.test('remembers equal messages for one organization', async t => {
  const versions = { before: 'a'.repeat(40), after: 'b'.repeat(40) }
  const all = new Comparisons(100_000)
  all.of('acme').noteEqual(versions, 'title')
  t.equal(all.of('acme').hasEqual(versions, 'title'), true)
  t.equal(all.of('acme').hasEqual(versions, 'other'), false)
  t.equal(all.of('other').hasEqual(versions, 'title'), false)
})

t.test('what is absent, or no bundle, holds nothing', async t => {
  for (const bytes of [
    null,
    '',
    '[]',
    '{"a": 1}',
    '{"a"',
    '{"a.b": "x", "a": {"b": "y"}}',
    Buffer.from('{"a":"\xfc"}', 'latin1'),
  ]) {
    t.equal(bundleIn(bytes === null ? null : Buffer.from(bytes)).size, 0, String(bytes))
  }
  t.strictSame(compare({ before: Buffer.from('{'), after: file({ a: 'x' }) }), [{ key: 'a', before: null, after: 'x' }])
  t.strictSame(compare({ before: null, after: null }), [])
})

t.test('what is remembered, within its limit', async t => {
  const [before, after] = [file({ a: 'x', b: 'x' }), file({ a: 'y', b: 'x', c: 'x' })]
  const comparisons = new Comparisons(10_000)
  const versions = { before: 'b', after: 'a' }
  const counts = { added: 1, updated: 1, removed: 0 }
  t.equal(comparisons.knownCounts(versions), undefined)
  const all = { behind: null, most: 1000, bytes: 10_000 }
  t.strictSame((await comparisons.diff(versions, { before, after, ...all })).counts, counts)
  t.strictSame(comparisons.knownCounts(versions), counts)
  t.equal(comparisons.knownCounts({ before: 'a', after: 'b' }), undefined, 'the other way round')
  t.strictSame(comparisons.knownCounts({ before: 'a', after: 'a' }), { added: 0, updated: 0, removed: 0 })
  for (let n = 0; n < 100; n++)
    await comparisons.diff({ before: 'b', after: `${n}` }, { before: null, after: null, ...all })
  t.equal(comparisons.knownCounts(versions), undefined, 'forgotten for newer ones')
})
