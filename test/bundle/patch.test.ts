import fc from 'fast-check'
import t from 'tap'
import { parseBundle, renderBundle } from '../../src/bundle/canonical.ts'
import { fill, overwrite, putKey } from '../../src/bundle/merge.ts'
import type { Format } from '../../src/bundle/names.ts'
import { renderTouched } from '../../src/bundle/patch.ts'
import { renderTree } from '../../src/bundle/render.ts'
import { Bundle } from '../../src/bundle/resource.ts'
import { Touched } from '../../src/bundle/touched.ts'
import { fragment } from './pushing.ts'
import { accepted, keyName, nestingResource, resource, text } from './resources.ts'

type Change = (bundle: Bundle) => Bundle

/** Room for every change to be told one by one. */
const MANY = 10_000

const policy = fc.constantFrom(overwrite, fill)
const words = fc.array(fc.constantFrom('a', 'b', 'b_one', 'é', 'x y', 'Z', '__proto__', 'm_ordinal_two', '10'), {
  minLength: 1,
  maxLength: 3,
})
/** Names that move nothing: most changes add or replace lines. */
const calmName = words.map(segments => segments.join('.'))
const anyText = fc.oneof(
  text,
  fc.constantFrom('{', '}', ',', '"a": "x"', '\n  "a": "x"', '\\', '\u{1f600}', '\ud800', '  '),
)

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.tuple(policy, fc.oneof(resource, nestingResource)).map(([policy, body]) => pushing(policy, body)),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(policy, fc.dictionary(calmName, anyText, { maxKeys: 5 }))
      .map(([policy, body]) => pushing(policy, body)),
  },
  { weight: 5, arbitrary: fc.tuple(fc.oneof(keyName, calmName), anyText).map(([name, value]) => putting(name, value)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.oneof(keyName, calmName),
        fc.constantFrom({ other: 'n' }, { one: '1', other: 'n' }, { few: 'f', zero: '' }),
      )
      .map(([name, value]) => putting(name, value)),
  },
)

function pushing(policy: typeof fill, body: object): Change {
  return bundle => policy(bundle, fragment(body, bundle.format)).bundle
}

function putting(name: string, value: unknown): Change {
  return bundle => putKey(bundle, name, value).bundle
}

t.test('a file made from the one before it is the one that the whole tree gives', async t => {
  const seen = { patched: 0, several: 0, objects: 0, added: 0, lost: 0 }
  fc.assert(
    fc.property(
      fc.constantFrom<Format>('i18next-json', 'i18next-json-flat'),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      (format, first, then) => {
        const begun = first.reduce<Bundle>(
          (bundle, change) => accepted(() => change(bundle)) ?? bundle,
          Bundle.empty(format),
        )
        const before = renderBundle(begun)
        const { tree } = parseBundle(before, format)
        tree.touched = new Touched(MANY)
        for (const change of then) {
          // What was refused half way has left a tree that nobody keeps.
          const changed = accepted(() => change(new Bundle(format, tree, { expendable: true })))
          if (changed === undefined || changed.tree !== tree) break
        }
        const { touched } = tree
        if (touched.lost) {
          seen.lost++
          return true
        }
        if (tree.size === 0 || before.length === 3) return true
        seen.patched++
        if (touched.entries.size > 1) seen.several++
        if (touched.branches.size > 0) seen.objects++
        if (Array.from(touched.entries.values()).some(endings => endings.length === 0)) seen.added++
        return renderTouched(tree, touched, before)?.equals(renderTree(tree)) === true
      },
    ),
    { numRuns: 6000 },
  )
  t.comment(JSON.stringify(seen))
  for (const [what, times] of Object.entries(seen)) t.ok(times > 200, `${what}: ${times} times`)
})
