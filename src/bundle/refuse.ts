/** Refuses what is not native i18next v4 JSON: other formats, old plurals, ICU. */
import { unfit } from './complaints.ts'
import { Failure } from './errors.ts'
import { foreignFormat } from './foreign.ts'
import { findIcu } from './icu.ts'
import { findLegacyPlurals } from './legacy-plurals.ts'
import type { PlaceTree } from './place.ts'

/** @throws Failure `unfit` when a whole body is another tool's format */
export function refuseForeign(resource: object): void {
  const format = foreignFormat(resource)
  if (format) throw new Failure('unfit', format)
}

/** The rule that plurals of i18next's JSON v1 to v3 break. */
export const OLD_PLURALS =
  'These are plurals of i18next JSON v1-v3; use the v4 suffixes, such as _one and _other (i18next-v4-format-converter converts files)'

/** @throws Failure `unfit` naming the keys that form plurals of i18next's JSON v1 to v3 */
export function refuseOldPlurals(tree: PlaceTree, language: string): void {
  const found = findLegacyPlurals(tree, language)
  if (found.length > 0) throw unfit(OLD_PLURALS, found)
}

/** The rule that ICU MessageFormat breaks; undefined for other texts. */
export function icuFault(text: string): string | undefined {
  const construct = findIcu(text)
  if (!construct) return undefined
  const instead = construct === 'skeleton' ? '{{n, number}}' : 'plural suffixes (_one, _other) or context keys'
  return `ICU MessageFormat (${construct}) is not i18next; use ${instead}`
}
