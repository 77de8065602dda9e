/** The checks of a translation beside its source, and how strictly a project applies each of them. */
import { isObject } from '../body.ts'
import { Failure } from '../errors.ts'
import { shorten } from '../names.ts'

/** Each check is a row here: the placeholders of `placeholders.ts`, `text-checks.ts`, notes, and the glossary. */
export const CHECK_KINDS = ['interpolation', 'nesting', 'tag', 'space', 'control', 'length', 'term', 'avoid'] as const
export type CheckKind = (typeof CHECK_KINDS)[number]

/** `off` ignores a fault, `warn` counts it as a problem, `refuse` refuses writes that bring it, too. */
export const CHECK_LEVELS = ['off', 'warn', 'refuse'] as const
export type CheckLevel = (typeof CHECK_LEVELS)[number]

/** The level of each check that a project has not at {@link DEFAULT_LEVEL}. */
export type CheckSettings = { readonly [K in CheckKind]?: CheckLevel }

export const DEFAULT_LEVEL = 'warn' satisfies CheckLevel

/** The settings with some levels changed, in alphabetical order; undefined when all checks have the default level. */
export function withLevels(settings: CheckSettings | undefined, changes: CheckSettings): CheckSettings | undefined {
  const levels = Object.entries({ ...settings, ...changes }).filter(([, level]) => level !== DEFAULT_LEVEL)
  return levels.length === 0 ? undefined : Object.fromEntries(levels.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** @throws Failure `invalid` naming an unknown check or level */
export function checkLevels(value: unknown): CheckSettings {
  if (!isObject(value)) throw invalid('"checks" must be an object such as { "space": "off" }')
  const members = Object.entries(value)
  const unknown = members.filter(([kind]) => !(CHECK_KINDS as readonly string[]).includes(kind))
  if (unknown.length > 0) {
    const names = unknown.slice(0, CHECK_KINDS.length).map(([kind]) => JSON.stringify(shorten(kind)))
    throw invalid(`"checks" has no ${names.join(', ')}: the checks are ${CHECK_KINDS.join(', ')}`)
  }
  for (const [kind, level] of members) {
    if ((CHECK_LEVELS as readonly unknown[]).includes(level)) continue
    throw invalid(`"checks.${kind}" must be ${CHECK_LEVELS.map(one => JSON.stringify(one)).join(', ')}`)
  }
  return value
}

const invalid = (problem: string) => new Failure('invalid', `${problem}.`)

/** The settings under which refused faults alone are problems; undefined when a project refuses none. */
export function onlyRefused(settings: CheckSettings | undefined): CheckSettings | undefined {
  const refused = CHECK_KINDS.filter(kind => settings?.[kind] === 'refuse')
  if (refused.length === 0) return undefined
  return Object.fromEntries(CHECK_KINDS.map(kind => [kind, refused.includes(kind) ? 'refuse' : 'off']))
}
