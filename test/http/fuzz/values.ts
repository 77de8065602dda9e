/** Generates valid and invalid values of JSON schemas. */
import fc from 'fast-check'
import { NAMES, NUMBERS, TEXTS, TIMES } from './hostile-names.ts'

/** The parts of a JSON schema that are read here. */
export interface Schema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
  items?: Schema
  required?: string[]
}

/** Values that the server under test knows, by the name of their parameter or member. */
export type Known = Record<string, string[]>

/** An honest value, or in `malice` of a hundred cases a hostile one. */
export function mostly<T>(malice: number, honest: fc.Arbitrary<T>, hostile: fc.Arbitrary<T>): fc.Arbitrary<T> {
  if (malice === 0) return honest
  return fc.oneof({ weight: 100 - malice, arbitrary: honest }, { weight: malice, arbitrary: hostile })
}

/** Any character except half a surrogate pair. The unit `binary` of fast-check needs a second to list them. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map(code => String.fromCodePoint(code))

export const hostileText = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.array(character, { maxLength: 40 }).map(characters => characters.join('')),
  fc.string({ maxLength: 300 }),
)
export const hostileValue = fc.oneof(...[NUMBERS, TIMES, NAMES].map(list => fc.constantFrom(...list)), hostileText)

const odd: unknown[] = [
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  true,
  false,
  null,
  [],
  {},
  [[]],
  [null],
  { value: {} },
  { length: -1 },
]
const anything = fc.oneof(hostileText, fc.constantFrom(...odd), fc.jsonValue({ maxDepth: 3 }))

const honestKey = fc.constantFrom(
  ...[
    'a',
    'nav.home',
    'item_one',
    'item_other',
    'item',
    'place_ordinal_few',
    'friend_male',
    'list.0',
    'a.b.c',
    'v.1.0',
  ],
  ...['x', 'Loading...', 'deep.er', 'ünïcödé', 'with space', 'a/b:c'],
)
const honestText = fc.constantFrom('x', '', 'Hello {{name}}', '{{count}} items', '$t(a)', '<1>bold</1>', 'ünïcödé 💣')

/** A value of a schema. @param name of the member that it is */
export function valueFor(schema: Schema, known: Known, malice: number, depth = 0, name = ''): fc.Arbitrary<unknown> {
  return mostly(malice, fitting(schema, known, malice, depth, name), anything)
}

function fitting(schema: Schema, known: Known, malice: number, depth: number, name: string): fc.Arbitrary<unknown> {
  const { anyOf, enum: values, properties = {}, items = {}, additionalProperties, required = [] } = schema
  const type = [schema.type].flat()[0]
  if (values) return fc.constantFrom(...values)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (anyOf) return fc.oneof(...anyOf.map(one => fitting(one, known, malice, depth, name)))
  if (Object.keys(properties).length > 0) {
    const members = Object.entries(properties).map(([name, member]): [string, fc.Arbitrary<unknown>] => [
      name,
      valueFor(member, known, malice, depth + 1, name),
    ])
    const whole: fc.Arbitrary<object> = fc.record(Object.fromEntries(members), { requiredKeys: required })
    const part: fc.Arbitrary<object> = fc.record(Object.fromEntries(members), { requiredKeys: [] })
    const more = fc.dictionary(fc.oneof(honestKey, hostileText), anything, { maxKeys: 2 })
    return mostly(
      malice,
      whole,
      fc.tuple(part, more).map(both => Object.assign({}, ...both)),
    )
  }
  if (type === 'array') return fc.array(valueFor(items, known, malice, depth + 1), { maxLength: 4 })
  if (type === 'integer' || type === 'number') {
    return mostly(malice, fc.integer({ min: 1, max: 60 }), fc.oneof(fc.double(), fc.integer()))
  }
  if (type === 'boolean') return fc.boolean()
  if (type === 'object') {
    const texts = typeof additionalProperties === 'object' && additionalProperties.type === 'string'
    const key = texts ? fc.constantFrom('zero', 'one', 'two', 'few', 'many', 'other') : honestKey
    const under = texts ? mostly<unknown>(malice, honestText, anything) : resource(malice, depth)
    return fc.dictionary(mostly(malice, key, hostileText), under, { maxKeys: 6 })
  }
  const names = known[name] ?? []
  return names.length > 0 ? fc.constantFrom(...names) : fc.oneof(honestText, honestKey)
}

/** The value of a key in a resource. */
function resource(malice: number, depth: number): fc.Arbitrary<unknown> {
  const text: fc.Arbitrary<unknown> = mostly<unknown>(malice, honestText, anything)
  if (depth > 2) return text
  const inner = fc.oneof(text, fc.dictionary(honestKey, text, { maxKeys: 3 }))
  return fc.oneof(
    { weight: 6, arbitrary: text },
    { weight: 2, arbitrary: fc.dictionary(honestKey, inner, { maxKeys: 4 }) },
    { weight: 1, arbitrary: fc.array(text, { maxLength: 3 }) },
  )
}
