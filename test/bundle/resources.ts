/**
 * Random resources over small, nasty alphabets: dots, empty names, digits, plural suffixes, prototype members, arrays.
 */
import fc from 'fast-check'

/** Members that collide often: prefixes of each other, forms, indexes, own-property traps. */
const MEMBERS = [
  'a',
  'b',
  'a.b',
  'b.',
  '',
  '0',
  '1',
  '1.0',
  'a_one',
  'a_ordinal_two',
  '_one',
  '_ordinal_one',
  'a_ordinal',
]
const TRAPS = ['__proto__', 'constructor', 'toString', 'é', ' a', 'x y', 'a-b', 'a\tb', '"']

export const member = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...MEMBERS) }, fc.constantFrom(...TRAPS))
export const text = fc.constantFrom('x', 'y', '', '{{count}} items', '{name}', 'über "q"\n')

/** An object with own members of any name, `__proto__` too, as JSON.parse returns it. */
export function object(members: [string, unknown][]): object {
  const made = {}
  for (const [name, value] of members) {
    Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return made
}

const { node } = fc.letrec<{ node: unknown }>(tie => ({
  node: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    { weight: 4, arbitrary: text },
    { weight: 3, arbitrary: fc.array(fc.tuple(member, tie('node')), { maxLength: 4 }).map(object) },
    { weight: 1, arbitrary: fc.array(tie('node'), { maxLength: 3 }) },
  ),
}))

/** Any resource; some must be refused. */
export const resource = fc.array(fc.tuple(member, node), { maxLength: 6 }).map(object)

/** The same, nesting for certain, so that its places are meant as shown. */
export const nestingResource = fc
  .tuple(resource, member)
  .map(([made, inner]) => object([...Object.entries(made), ['nest', object([[inner === '' ? 'z' : inner, 'n']])]]))

/** Names that keys are written by, one at a time. */
export const keyName = fc
  .array(fc.constantFrom('a', 'b', 'c', 'a_one', 'b_other', '0', ' w', '', 'x y'), { minLength: 1, maxLength: 4 })
  .map(segments => segments.join('.'))
  .filter(name => name !== '')

/** What is left of a resource once empty objects and arrays are gone. */
export function withoutEmpties(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value)
    .map(([name, below]): [string, unknown] => [name, withoutEmpties(below)])
    .filter(([, below]) => typeof below === 'string' || Object.keys(below as object).length > 0)
  return Array.isArray(value) ? members.map(([, below]) => below) : object(members)
}

/** A random resource that a push accepts, or undefined. */
export function accepted<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
