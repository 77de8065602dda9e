import fc from 'fast-check'
import t from 'tap'
import { parseBundle, parseResource } from '../../src/bundle/canonical.ts'
import { Failure } from '../../src/bundle/errors.ts'
import { findMessage } from '../../src/bundle/find.ts'

const name = fc.constantFrom(
  'a',
  'b',
  'a.b',
  '.',
  '',
  'a.',
  '.b',
  'a_one',
  'b_other',
  'a_ordinal_two',
  '_one',
  'a/b',
  'ä"',
  '0',
  '1',
  '__proto__',
)
const { node } = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('x', 'y', '') },
    fc.array(fc.constantFrom('p', 'q'), { maxLength: 3 }),
    fc.dictionary(name, tie('node'), { maxKeys: 4 }),
  ),
}))

t.test('a key is found as reading the whole file finds it, and no other', async t => {
  let found = 0
  const property = fc.property(
    fc.dictionary(name, node, { maxKeys: 5 }),
    fc.array(name, { maxLength: 3 }),
    (tree, path) => {
      const bytes = Buffer.from(JSON.stringify(tree))
      let bundle: ReturnType<typeof parseBundle>
      try {
        bundle = parseBundle(bytes, 'i18next-json')
      } catch (error) {
        if (error instanceof Failure) return
        throw error
      }
      const resource = parseResource(bytes)
      for (const { key, message } of bundle.rows()) {
        found++
        if (JSON.stringify(findMessage(resource, key)) !== JSON.stringify(message))
          throw new Error(`${key} in ${bytes}`)
      }
      const other = path.join('.')
      const expected = JSON.stringify(bundle.message(other))
      if (JSON.stringify(findMessage(resource, other)) !== expected)
        throw new Error(`${JSON.stringify(other)} in ${bytes}`)
    },
  )
  fc.assert(property, { numRuns: 1000 })
  t.ok(found > 3000, `${found} keys`)
})
