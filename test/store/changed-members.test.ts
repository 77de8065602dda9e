import fc from 'fast-check'
import t from 'tap'
import { renderBundle } from '../../src/bundle/canonical.ts'
import { fill } from '../../src/bundle/merge.ts'
import { putKey } from '../../src/bundle/put-key.ts'
import { removeKey } from '../../src/bundle/remove.ts'
import { renameKey } from '../../src/bundle/rename.ts'
import { Bundle, readFragment } from '../../src/bundle/resource.ts'
import { compare } from '../../src/project/versions.ts'
import { changedMembers, leafNames } from '../../src/store/changed-members.ts'
import { accepted, keyName, resource } from '../bundle/resources.ts'

const file = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
const members = (before: unknown, after: unknown) => changedMembers(file(before), file(after))

t.test('what is told by a glance, and what is not', async t => {
  const nested = { a: 'x', b: { c: 'x', d: 'x' }, e_one: 'x' }
  t.strictSame(members(nested, { ...nested, a: 'y' }), ['a'], 'another text')
  t.strictSame(members(nested, { ...nested, a: 'y', e_one: 'y' }), ['a', 'e_one'], 'two, with objects between them')
  t.strictSame(members(nested, { ...nested, b: { c: 'x', cc: 'x', d: 'x' } }), ['cc'], 'a member more')
  t.strictSame(members(nested, { ...nested, e_one: 'x', f: '"{[,:]}"' }), ['e_one', 'f'], 'one more at the end')
  t.strictSame(members({ a: '', b: 'x' }, { a: 'y', aa: 'z', b: 'x' }), ['a', 'aa'], 'one filled, one more')
  t.strictSame(members(nested, nested), [], 'nothing')
  t.equal(members(nested, { a: 'x', b: { c: 'x', d: 'x' } }), undefined, 'a member less')
  t.equal(members(nested, { a: 'x', bb: { c: 'x', d: 'x' }, e_one: 'x' }), undefined, 'an object of another name')
  t.equal(members({ a: ['x', 'y'] }, { a: ['x', 'z'] }), undefined, 'an item')
  t.equal(members({}, { a: 'x' }), undefined, 'the first member')
  const line = (text: string) => Buffer.from(`{\n${text}\n}\n`)
  for (const broken of [
    '  "a": "x"y',
    '  "a": "\\x"',
    '  "a": 1',
    '  "a" "x"',
    '\u00a0"a": "x"',
    '  "a": "x",',
    '  "a": "x", "b": "x"',
  ]) {
    t.equal(changedMembers(line(broken), line('  "a": "y"')), undefined, broken)
  }
  const latin1 = Buffer.from('{\n  "a": "\xfc"\n}\n', 'latin1')
  t.equal(changedMembers(latin1, line('  "a": "y"')), undefined, 'no UTF-8')
})

t.test('the names that the leaves of a key end with', async t => {
  const names = leafNames('a.b')
  for (const name of ['a.b', 'b', 'a.b_one', 'b_other', 'b_ordinal_two']) t.ok(names.has(name), name)
  for (const name of ['a', 'a_one', '', 'bb', 'b_', 'b_ordinal']) t.notOk(names.has(name), name)
  t.ok(leafNames('a.').has('_one'), 'a segment may be empty')
})

const start = (flat: boolean) =>
  resource.map(body => {
    const format = flat ? 'i18next-json-flat' : 'i18next-json'
    const fragment = accepted(() => readFragment(body, { format, language: 'en' }))
    const empty = Bundle.empty(format)
    return (fragment && accepted(() => fill(empty, fragment).bundle)) ?? empty
  })

/** What a writer does to a bundle; one that refuses it stays as it is. */
const edit = fc
  .tuple(
    fc.constantFrom('put', 'remove', 'rename', 'fill'),
    fc.nat(),
    keyName,
    fc.constantFrom('x', 'z', '{"', ''),
    resource,
  )
  .map(([kind, number, name, text, body]) => (bundle: Bundle): Bundle => {
    const keys = bundle.rows().map(({ key }) => key)
    const key = keys.length > 0 ? keys[number % keys.length]! : name
    const edited = accepted(() => {
      if (kind === 'put') return putKey(bundle, number % 2 ? name : key, text).bundle
      if (kind === 'remove') return removeKey(bundle, key)?.bundle
      if (kind === 'rename') return renameKey(bundle, key, name)
      return fill(bundle, readFragment(body, { format: bundle.format, language: 'en' })).bundle
    })
    return edited ?? bundle
  })

/** What a person, or a tool, does to a file's lines. */
const scribble = fc
  .tuple(
    fc.constantFrom('drop', 'double', 'swap', 'replace', 'insert', 'comma'),
    fc.nat(),
    fc.nat(),
    fc.constantFrom('"', '}', 'a', ',', '.', '\\'),
  )
  .map(([kind, one, two, letter]) => (text: string): string => {
    const lines = text.split('\n')
    const [a, b] = [one % lines.length, two % lines.length]
    if (kind === 'drop') lines.splice(a, 1)
    else if (kind === 'double') lines.splice(b, 0, lines[a]!)
    else if (kind === 'swap') [lines[a], lines[b]] = [lines[b]!, lines[a]!]
    else if (kind === 'comma') lines[a] = lines[a]!.endsWith(',') ? lines[a]!.slice(0, -1) : `${lines[a]},`
    else {
      const at = two % (lines[a]!.length + 1)
      lines[a] = lines[a]!.slice(0, at) + letter + lines[a]!.slice(kind === 'replace' ? at + 1 : at)
    }
    return lines.join('\n')
  })

t.test('every key that differs has a leaf of a name that is told', async t => {
  const told = { glance: 0, differing: 0 }
  const holds = (before: Buffer, after: Buffer) => {
    const names = changedMembers(before, after)
    if (names === undefined) return true
    told.glance++
    const changes = compare({ before, after })
    if (changes.length > 0) told.differing++
    return changes.every(({ key }) => names.some(name => leafNames(key).has(name)))
  }
  for (const flat of [false, true]) {
    const edited = fc.property(start(flat), fc.array(edit, { minLength: 1, maxLength: 3 }), (bundle, edits) =>
      holds(renderBundle(bundle), renderBundle(edits.reduce((at, change) => change(at), bundle))),
    )
    fc.assert(edited, { numRuns: 4000 })
    const scribbled = fc.property(
      start(flat),
      fc.array(scribble, { minLength: 1, maxLength: 3 }),
      (bundle, strokes) => {
        const text = renderBundle(bundle).toString()
        return holds(Buffer.from(strokes.reduce((at, stroke) => stroke(at), text)), renderBundle(bundle))
      },
    )
    fc.assert(scribbled, { numRuns: 4000 })
  }
  t.ok(
    told.glance > 3000 && told.differing > 1000,
    `${told.glance} told by a glance, ${told.differing} of them differing`,
  )
})
