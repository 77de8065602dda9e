/** Compares a value with a zod shape, and words each fault itself: zod's words name its types. */
import type { z } from 'zod'
import { quoteSome } from '../../bundle/complaints.ts'
import { Failure } from '../../bundle/errors.ts'
import { shorten } from '../../bundle/names.ts'

/** Faults in one message; the others are counted. */
const NAMED = 10

/**
 * Checks a small body, or other members.
 * @param what the subject of the message
 * @throws Failure `invalid` naming each member that is missing, unknown or wrong, and what would be right
 */
export function checkShape<T>(schema: z.ZodType<T>, value: unknown, what = 'body'): T {
  const verb = what.endsWith('s') ? 'do' : 'does'
  // A message of the shape itself wins.
  const parsed = schema.safeParse(value, { error: demandOf })
  if (parsed.success) return parsed.data
  const faults = new Map<string, string>()
  // Of several faults of one member the first stands: a text in place of a list is not also too long.
  for (const { place, fault } of faultsOf(parsed.error.issues)) if (!faults.has(place)) faults.set(place, fault)
  const all = [...faults.values()]
  const more = all.length > NAMED ? `; and ${all.length - NAMED} more` : ''
  throw new Failure('invalid', `The ${what} ${verb} not fit: ${all.slice(0, NAMED).join('; ')}${more}.`)
}

type Issue = z.core.$ZodIssue

function* faultsOf(
  issues: readonly Issue[],
  above: readonly PropertyKey[] = [],
): Generator<Record<'place' | 'fault', string>> {
  for (const issue of issues) {
    const path = [...above, ...issue.path]
    const place = placeOf(path)
    const inside = issue.code === 'invalid_union' ? issue.errors.find(isInside) : undefined
    if (inside) yield* faultsOf(inside, path)
    else if (issue.code === 'unrecognized_keys') {
      const keys = quoteSome(issue.keys.map(key => placeOf([...path, key])))
      yield { place: `${place} keys`, fault: `unknown ${issue.keys.length === 1 ? 'field' : 'fields'} ${keys}` }
    } else if (place === '')
      yield { place, fault: issue.code === 'custom' ? issue.message : 'it must be a JSON object' }
    else yield { place, fault: `"${place}" ${issue.message}` }
  }
}

const placeOf = (path: readonly PropertyKey[]) => path.map(name => shorten(String(name))).join('.')

/** Whether a branch of a union has the type of the value, so that its faults are those of members. */
const isInside = (issues: readonly Issue[]) =>
  issues.length > 0 && issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys')

/** What a value must be, as the end of a sentence that begins with its place. */
function demandOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? `of type ${issue.expected}`}`
    case 'invalid_value':
      return `must be ${issue.values.map(value => JSON.stringify(value)).join(' or ')}`
    case 'invalid_union': {
      const demands = issue.errors.flatMap(([first]) => first?.message.replace(/^must be /, '') ?? [])
      return `must be ${[...new Set(demands)].join(' or ')}`
    }
    case 'too_small':
      if (issue.minimum === 1 && UNITS[issue.origin]) return 'must not be empty'
      return sizeDemand(issue.origin, `at least ${issue.minimum.toLocaleString('en')}`)
    case 'too_big':
      return sizeDemand(issue.origin, `at most ${issue.maximum.toLocaleString('en')}`)
    default:
      return 'has the wrong form'
  }
}

const UNITS: Record<string, string> = { array: 'entries', string: 'characters', object: 'members' }

const sizeDemand = (origin: string, bound: string) =>
  UNITS[origin] ? `must have ${bound} ${UNITS[origin]}` : `must be ${bound}`

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}
