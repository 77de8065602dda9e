import fc from 'fast-check'
import t from 'tap'
import { overwrite } from '../../src/bundle/merge.ts'
import { Bundle, inFormat } from '../../src/bundle/resource.ts'
import { FLAT, file, fragment, json, NESTED, parsed, pushed, written } from './pushing.ts'
import { accepted, keyName, nestingResource, resource } from './resources.ts'

const flat = (body: unknown) => overwrite(Bundle.empty(FLAT), fragment(body, FLAT)).bundle
const rows = (bundle: Bundle) =>
  bundle
    .rows()
    .map(row => JSON.stringify(row))
    .sort()
    .join('\n')

t.test('nested to flat: every key at the top', async t => {
  const bundle = pushed({ a: { b: 'x', c_one: '1' }, v: { '1.0': 'y' }, list: ['p', { q: 'r' }], 'Loading...': 'l' })
  t.strictSame(json(inFormat(bundle, FLAT)), {
    'a.b': 'x',
    'a.c_one': '1',
    'v.1.0': 'y',
    'list.0': 'p',
    'list.1.q': 'r',
    'Loading...': 'l',
  })
  t.equal(inFormat(bundle, NESTED), bundle)
})

t.test('flat to nested: every key where its name says', async t => {
  const deep = 'd.'.repeat(40).slice(0, -1)
  const bundle = flat({
    'a.b': 'x',
    a: 't',
    'n.c_one': '1',
    'n.c_other': 'n',
    'Hello. World': 'h',
    [deep]: 'd',
    'l.0': 'p',
  })
  t.strictSame(json(inFormat(bundle, NESTED)), {
    a: 't',
    'a.b': 'x',
    n: { c_one: '1', c_other: 'n' },
    'Hello. World': 'h',
    [deep]: 'd',
    l: { 0: 'p' },
  })
})

t.test('every key survives, there and back', async t => {
  let count = 0
  fc.assert(
    fc.property(fc.oneof(resource, nestingResource), body => {
      if (!accepted(() => fragment(body)) || !accepted(() => fragment(body, FLAT))) return true
      count++
      const from = flat(body)
      const nested = inFormat(from, NESTED)
      const back = parsed(file(nested))
      return (
        rows(nested) === rows(from) &&
        rows(back) === rows(from) &&
        file(inFormat(back, FLAT)) === file(from) &&
        file(inFormat(pushed(body), FLAT)) === file(from)
      )
    }),
    { numRuns: 1000 },
  )
  t.ok(count > 500, `${count} were carried`)
})

t.test('a plain nested file returns to the same bytes through the flat format', async () => {
  fc.assert(
    fc.property(fc.uniqueArray(keyName, { minLength: 1, maxLength: 7 }), names => {
      const bundle = written(...names)
      return file(inFormat(parsed(file(inFormat(bundle, FLAT)), FLAT), NESTED)) === file(bundle)
    }),
    { numRuns: 1000 },
  )
})
