/** Requests with exactly one wrong value, for each value in turn: random requests have too many wrong values. */
import type { Known, Schema } from './values.ts'

/** Values that few members accept. */
const ODD = [7, null, true, '', 'nope', [], {}, 'x'.repeat(300)]
/** Columns of better-auth's tables that it might read from a body. */
const COLUMNS = ['id', 'createdAt', 'updatedAt', 'expiresAt', 'userId', 'emailVerified', 'token', 'status']

/** A value with all members of a schema. Members with a known name get the first known value. */
export function wholeOf(schema: Schema, known: Known, name = ''): unknown {
  const { anyOf, enum: values, properties, additionalProperties, propertyNames, items = {} } = schema
  const type = [schema.type].flat()[0]
  if (type === 'array') return [wholeOf(items, known, name)]
  if (known[name]) return known[name][0]
  if (values) return values[0]
  if (anyOf) return wholeOf(anyOf[0]!, known, name)
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return 1
  if (type !== 'object') return 'x'
  const members = Object.entries(properties ?? {}).map(([name, one]) => [name, wholeOf(one, known, name)])
  if (typeof additionalProperties === 'object') {
    const name = String(propertyNames?.enum?.[0] ?? 'de')
    members.push([name, wholeOf(additionalProperties, known, name)])
  }
  return Object.fromEntries(members)
}

/** Variants of `whole` with one wrong member at any depth, or with one extra member. */
export function* bodiesWithOneWrong(whole: unknown): Generator<unknown> {
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return
  for (const [name, value] of Object.entries(whole)) {
    for (const odd of ODD) yield { ...whole, [name]: odd }
    for (const inner of bodiesWithOneWrong(value)) yield { ...whole, [name]: inner }
  }
  for (const name of COLUMNS) if (!(name in whole)) yield { ...whole, [name]: 7 }
}

/** Queries with another value for one parameter: each known value of it, and each odd one. */
export function* queriesWithOneWrong(
  parameters: { name: string; schema?: Schema }[],
  known: Known,
): Generator<Record<string, string>> {
  const whole = Object.fromEntries(
    parameters.map(({ name, schema = {} }) => [name, String(wholeOf(schema, known, name))]),
  )
  for (const name of Object.keys(whole)) {
    for (const odd of [...(known[name] ?? []), ...ODD]) yield { ...whole, [name]: String(odd) }
  }
}
