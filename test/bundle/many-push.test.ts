import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { readManyPush } from '../../src/bundle/many-push.ts'
import { failure } from './pushing.ts'

const LARGEST = 1024
const read = (body: string, largest = LARGEST) => readManyPush({ body: Buffer.from(body), largest })

t.test('returns the resource of each bundle as JSON, in the order of JSON.parse', async () => {
  const resource = fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  const name = fc.constantFrom('common', 'home', '7', '10')
  const bundles = fc.dictionary(fc.constantFrom('en', 'de', 'fr'), fc.dictionary(name, resource))
  const property = fc.property(bundles, fc.nat(2), (asked, indent) => {
    const { bundles, bytes } = read(JSON.stringify({ bundles: asked }, undefined, indent), 2 ** 20)
    let from = 0
    const found = bundles.map(({ language, namespace, end }) => {
      const content = JSON.parse(Buffer.from(bytes.subarray(from, end)).toString())
      from = end
      return [language, namespace, content]
    })
    const expected = Object.entries(asked).flatMap(([language, resources]) =>
      Object.entries(resources).map(([namespace, content]) => [language, namespace, content]),
    )
    return from === bytes.length && isDeepStrictEqual(found, JSON.parse(JSON.stringify(expected)))
  })
  fc.assert(property, { numRuns: 100 })
})

t.test('refuses a resource over the limit, and one that nests too deeply to be written', async t => {
  const body = (resource: string) => `{"bundles":{"de":{"small":{},"large":${resource}}}}`
  t.ok(read(body(JSON.stringify('x'.repeat(LARGEST - 2)))))
  t.match(
    failure('too-large', () => read(body(JSON.stringify('x'.repeat(LARGEST - 1))))),
    /"large" of "de" is larger than 1,024/,
  )
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  t.match(
    failure('unfit', () => read(body(deep))),
    /^de\/large: .* 32 segments/,
  )
})
