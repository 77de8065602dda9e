/**
 * Pushes of plain resources, on what JSON.parse gives: where each name is one segment of a place and each value a text
 * or an object, members in order are the canonical file. That spares the tree of places; whatever is not plain, and
 * whatever may have to be refused, is left to `readFragment` and `merge`, whose results these are.
 */
import { isObject } from './body.ts'
import { foreignFormat } from './foreign.ts'
import { findIcu } from './icu.ts'
import { mayBeOld } from './legacy-plurals.ts'
import type { Outcome } from './merge.ts'
import { FORMS, KINDS, type LeafName, mayBeForm, peel, suffix } from './message.ts'
import { keyFault, MAX_KEY, MAX_SEGMENTS, textFault } from './names.ts'
import { MAX_CHARACTERS } from './read-tree.ts'

/** An object's members: `Object.prototype` lends it others, of which none is a text. */
type Members = Record<string, unknown>

/** As {@link Outcome}; `details` has the only change, and `resource` is canonical, undefined when nothing changed. */
export type PlainOutcome = Omit<Outcome, 'bundle' | 'removed'> & { resource: object | undefined }

/** How a push reads and merges: see `readFragment`. */
interface Rules {
  flat: boolean
  escapes: boolean
  /** Whether pushed values win, or only fill. */
  overwrites: boolean
}

/** What a push comes to; undefined when it is none of plain resources. @param stored of the file, and changed by this */
export function pushPlain(
  stored: object,
  pushed: object,
  { flat, escapes, overwrites }: Rules,
): PlainOutcome | undefined {
  const body = new Reader(flat, { storable: !escapes })
  if (!body.read(pushed as Members) || body.keys === 0 || foreignFormat(pushed) !== undefined) return undefined
  const file = new Reader(flat)
  if (!file.read(stored as Members)) return undefined
  const merge = new Merge(overwrites)
  if (file.keys === 0) merge.added = body.keys
  else if (!merge.run(pushed as Members, stored as Members, '')) return undefined
  const { added, updated, skipped, only } = merge
  const changes = added + updated
  if (changes === 1 && only === undefined) return undefined
  const counts = { added, updated, skipped, unchanged: body.keys - changes - skipped }
  const details = changes === 1 ? [only!] : []
  if (changes === 0) return { ...counts, details, resource: undefined }
  const [made, isSorted] =
    file.keys === 0 ? [pushed as Members, body.isSorted] : [stored as Members, file.isSorted && !merge.disordered]
  const resource = isSorted ? made : inOrder(made, flat)
  return resource && { ...counts, details, resource }
}

/** Whether a resource is plain, its number of keys, and whether its members are in canonical order. */
class Reader {
  keys = 0
  isSorted = true
  #characters = 0
  readonly #flat: boolean
  readonly #checked: { storable: boolean } | undefined

  /** @param checked for what is written: names and texts must break no rule */
  constructor(flat: boolean, checked?: { storable: boolean }) {
    this.#flat = flat
    this.#checked = checked
  }

  /** False for what is not plain. @param prefix characters of the place, with dots */
  read(node: Members, prefix = 0, depth = 1): boolean {
    let [lastBase, lastRank] = ['', 0]
    let withForms: Set<string> | undefined
    for (const name in node) {
      const value = node[name]
      if (name === '' || name === '__proto__' || prefix + name.length > MAX_KEY) return false
      if (!this.#flat && name.includes('.')) return false
      let [base, rank] = [name, 0]
      if (typeof value === 'string') {
        this.#characters += prefix + name.length
        if (this.#characters > MAX_CHARACTERS || !this.#mayStand(name, value)) return false
        const leaf = mayBeForm(name) ? peel(name) : undefined
        // After the dot of a place there would be a suffix, after nothing there is none.
        if (leaf && name.startsWith('_')) return false
        if (leaf && leaf.kind !== 'text') {
          base = leaf.key
          rank = rankOf(leaf)
          withForms ??= new Set()
          if (typeof node[base] !== 'string' && !withForms.has(base)) this.keys++
          withForms.add(base)
        } else {
          this.keys++
        }
      } else {
        const before = this.keys
        if (this.#flat || !isObject(value) || depth === MAX_SEGMENTS || !this.#mayStand(name)) return false
        if (!this.read(value, prefix + name.length + 1, depth + 1) || this.keys === before) return false
      }
      this.isSorted &&= lastBase < base || (lastBase === base && lastRank < rank)
      lastBase = base
      lastRank = rank
    }
    return true
  }

  #mayStand(name: string, text = ''): boolean {
    if (this.#checked === undefined) return true
    const { storable } = this.#checked
    return (
      keyFault(name, storable) === undefined &&
      textFault(text, storable) === undefined &&
      findIcu(text) === undefined &&
      !mayBeOld(name)
    )
  }
}

/** Merges a plain resource into another. */
class Merge {
  added = 0
  updated = 0
  skipped = 0
  /** Whether members were added, which stand last. */
  disordered = false
  /** The change, if it was the only one, and of one text. */
  only: Outcome['details'][number] | undefined
  readonly #overwrites: boolean

  constructor(overwrites: boolean) {
    this.#overwrites = overwrites
  }

  /** False where a place is taken by something else, or a form changes. */
  run(pushed: Members, stored: Members, prefix: string): boolean {
    for (const name in pushed) {
      const value = pushed[name]
      const present = stored[name]
      if (present === value) continue
      const isThere = Object.hasOwn(stored, name)
      if (isThere && typeof present !== typeof value) return false
      if (typeof value !== 'string') {
        if (isThere) {
          if (!this.run(value as Members, present as Members, `${prefix}${name}.`)) return false
          continue
        }
        this.added += keysIn(value as Members)
      } else {
        if (mayBeForm(name) && peel(name).kind !== 'text') return false
        if (isThere && (value === '' || !(this.#overwrites || present === ''))) {
          this.skipped++
          continue
        }
        const result = isThere || hasForms(stored, name) ? 'updated' : 'added'
        this[result]++
        this.only = { key: prefix + name, result }
      }
      stored[name] = value
      this.disordered ||= !isThere
    }
    return true
  }
}

function keysIn(node: Members): number {
  const reader = new Reader(false)
  reader.read(node)
  return reader.keys
}

/** Of `a_ordinal`, `a_ordinal_one` is none. */
const hasForms = (node: Members, key: string): boolean =>
  KINDS.some(kind =>
    FORMS.map(form => key + suffix(kind, form)).some(name => typeof node[name] === 'string' && peel(name).key === key),
  )

/** A leaf's place among those of its key. */
const rankOf = (leaf: LeafName): number =>
  leaf.kind === 'text' ? 0 : 1 + KINDS.indexOf(leaf.kind) * FORMS.length + FORMS.indexOf(leaf.form)

/** A plain resource with its members in canonical order; undefined where they are indexes, which objects put first. */
function inOrder(node: Members, flat: boolean): Members | undefined {
  const made = sorted(node)
  const reader = new Reader(flat)
  return reader.read(made) && reader.isSorted ? made : undefined
}

function sorted(node: Members): Members {
  const rows = Object.entries(node).map(([name, value]) => {
    if (typeof value !== 'string') return { name, value: sorted(value as Members), base: name, rank: 0 }
    const leaf = peel(name)
    return { name, value, base: leaf.key, rank: rankOf(leaf) }
  })
  rows.sort((a, b) => (a.base === b.base ? a.rank - b.rank : a.base < b.base ? -1 : 1))
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
