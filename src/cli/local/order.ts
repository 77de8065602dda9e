/** The places of new members, in i18next-cli's orders: its next `extract` then moves nothing. */
import { FORMS } from '../../bundle/message.ts'
import type { Sort } from './types.ts'

/** Compares two names of one object. */
export type Compare = (a: string, b: string) => number

/** Created at the first comparison, which costs milliseconds. */
let collators: Compare[] | undefined

/** By the machine's language, as in i18next-cli. */
const ignoringCase: Compare = (a, b) => {
  collators ??= (['base', 'case'] as const).map(sensitivity => new Intl.Collator(undefined, { sensitivity }).compare)
  return collators[0]!(a, b) || collators[1]!(a, b)
}

const byCodeUnit: Compare = (a, b) => (a < b ? -1 : Number(a > b))

/** The order of an object's names; undefined for none. @param atTop whether it is the namespace's own object */
export function orderOf(sort: Sort, atTop: boolean): Compare | undefined {
  if (sort === false) return undefined
  if (sort === 'locize') return indicesFirst(byCodeUnit)
  if (sort === true) return indicesFirst(withForms(ignoringCase))
  const own: Compare = (a, b) => sort({ key: a }, { key: b })
  // As in i18next-cli, plural forms stay together only below the top.
  return indicesFirst(atTop ? own : withForms(own))
}

/** JavaScript writes names that are array indices first. */
function indicesFirst(compare: Compare): Compare {
  return (a, b) => {
    const [x, y] = [isIndex(a), isIndex(b)]
    return x && y ? Number(a) - Number(b) : x || y ? Number(y) - Number(x) : compare(a, b)
  }
}

/** ECMAScript's array index: 0 to 2^32 - 2 as JavaScript writes it. */
export const isIndex = (name: string): boolean =>
  name <= '9999999999' && /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1

/** Compares names without plural suffixes, then the text, the cardinal and the ordinal forms in CLDR's order. */
function withForms(compare: Compare): Compare {
  const known = new Map<string, { base: string; rank: number }>()
  const partsOf = (name: string) => {
    let parts = known.get(name)
    if (!parts) known.set(name, (parts = split(name)))
    return parts
  }
  return (a, b) => {
    const [x, y] = [partsOf(a), partsOf(b)]
    return (x.base === y.base ? 0 : compare(x.base, y.base)) || x.rank - y.rank || compare(a, b)
  }
}

/** Unlike on the server, a bare `_one` or `_ordinal_one` is a form of an empty name. */
function split(name: string): { base: string; rank: number } {
  for (const [rank, ending] of ENDINGS) if (name.endsWith(ending)) return { base: name.slice(0, -ending.length), rank }
  return { base: name, rank: -1 }
}

const ENDINGS: [number, string][] = [
  ...FORMS.map((form, at): [number, string] => [FORMS.length + at, `_ordinal_${form}`]),
  ...FORMS.map((form, at): [number, string] => [at, `_${form}`]),
]

/** Inserts new members among present ones. The present ones retain their order in any case. */
export function arrange<T extends { name: string }>(present: T[], added: T[], compare: Compare): T[] {
  const sorted = present.toSorted((a, b) => compare(a.name, b.name))
  let at = 0
  const behind = Map.groupBy(
    added.toSorted((a, b) => compare(a.name, b.name)),
    ({ name }) => {
      while (at < sorted.length && compare(sorted[at]!.name, name) <= 0) at++
      return sorted[at - 1]
    },
  )
  return [...(behind.get(undefined) ?? []), ...present.flatMap(member => [member, ...(behind.get(member) ?? [])])]
}
