import fc from 'fast-check'
import t from 'tap'
import { blobId, parseBundle, renderBundle } from '../../../src/bundle/canonical.ts'
import { putKey } from '../../../src/bundle/edit-key.ts'
import { fill, overwrite, prune } from '../../../src/bundle/merge.ts'
import type { Format } from '../../../src/bundle/names.ts'
import { Bundle } from '../../../src/bundle/resource.ts'
import { ParsedBundles } from '../../../src/http/writing/parsed-bundles.ts'
import { fragment } from '../../bundle/pushing.ts'
import { accepted, keyName, nestingResource, resource, text } from '../../bundle/resources.ts'

type Change = (bundle: Bundle) => Bundle

const change = fc.oneof(
  fc.tuple(fc.constantFrom(overwrite, fill), fc.oneof(resource, nestingResource)).map(
    ([policy, body]) =>
      (bundle: Bundle) =>
        policy(bundle, fragment(body, bundle.format)).bundle,
  ),
  fc.tuple(fc.constantFrom(overwrite, fill), fc.oneof(resource, nestingResource)).map(
    ([policy, body]) =>
      (bundle: Bundle) =>
        prune(bundle, fragment(body, bundle.format), policy).bundle,
  ),
  fc.tuple(keyName, text).map(
    ([name, value]) =>
      (bundle: Bundle) =>
        putKey(bundle, name, value).bundle,
  ),
  fc.tuple(keyName, text).map(
    ([name, value]) =>
      (bundle: Bundle) =>
        putKey(bundle, name, { one: value, other: 'n' }).bundle,
  ),
)

t.test('changes a cached bundle as a bundle that is parsed again', async t => {
  let reused = 0
  fc.assert(
    fc.property(
      fc.constantFrom<Format>('i18next-json', 'i18next-json-flat'),
      fc.array(change as fc.Arbitrary<Change>, { minLength: 2, maxLength: 12 }),
      (format, changes) => {
        const kept = new ParsedBundles(2 ** 20)
        let file = renderBundle(Bundle.empty(format))
        for (const change of changes) {
          const id = blobId(file)
          let isRead = false
          const stored = {
            owner: 'acme',
            id,
            format,
            get bytes() {
              isRead = true
              return file
            },
          }
          const anew = accepted(() => renderBundle(change(parseBundle(file, format))))
          const taken = kept.checkOut(stored)
          if (!isRead) reused++
          const changed = accepted(() => change(taken))
          const next = changed && renderBundle(changed)
          if (anew?.toString() !== next?.toString()) return false
          if (changed === undefined || next === undefined) continue
          file = next
          kept.checkIn({ owner: 'acme', id: blobId(file), length: file.length }, changed)
        }
        return true
      },
    ),
    { numRuns: 800 },
  )
  t.ok(reused > 2000, `${reused} times`)
})

t.test('checks a bundle out for one change alone', async t => {
  const kept = new ParsedBundles(2 ** 20)
  const file = Buffer.from('{\n  "a": "x"\n}\n')
  const id = blobId(file)
  let reads = 0
  const stored = (format: Format, owner = 'acme') => ({
    owner,
    id,
    format,
    get bytes() {
      reads++
      return file
    },
  })
  const take = () => kept.checkOut(stored('i18next-json'))
  const first = take()
  kept.checkIn({ owner: 'acme', id, length: file.length }, first)
  const [second, third] = [take(), take()]
  t.equal(reads, 2, 'the third was parsed again')
  putKey(second, 'a', 'changed')
  t.equal(third.message('a'), 'x')
  kept.checkIn({ owner: 'acme', id, length: file.length }, third)
  kept.checkOut(stored('i18next-json-flat'))
  t.equal(reads, 3, 'another format is another tree')
  kept.checkOut(stored('i18next-json', 'globex'))
  t.equal(reads, 4, 'another organization finds nothing in the cache')
})

t.test('does not cache a bundle that is larger than its limit', async t => {
  const kept = new ParsedBundles(10_000)
  const file = Buffer.from(`{\n  "a": "${'x'.repeat(5000)}"\n}\n`)
  let reads = 0
  for (let at = 0; at < 2; at++) {
    const bundle = kept.checkOut({
      owner: 'acme',
      id: blobId(file),
      format: 'i18next-json',
      get bytes() {
        reads++
        return file
      },
    })
    kept.checkIn({ owner: 'acme', id: blobId(file), length: file.length }, bundle)
  }
  t.equal(reads, 2)
})
