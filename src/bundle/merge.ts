/** The policies of writing: what a push overwrites, what it only fills, what one key takes. */

import type { Entry, JsonNode } from './json-node.ts'
import { join, type LeafName } from './message.ts'
import type { PlaceTree } from './place.ts'
import { Bundle, type Fragment } from './resource.ts'

export { prune } from './prune.ts'
export { type Put, putKey } from './put-key.ts'

/** What came of a write, counted in keys of the model. `bundle` is the very bundle that was given when nothing changed. */
export interface Outcome {
  bundle: Bundle
  /** keys that did not exist */
  added: number
  /** keys that existed and had a text or form added, filled or changed */
  updated: number
  /** keys whose values all stood there already */
  unchanged: number
  /** keys of which a value was left alone by policy, and nothing else changed */
  skipped: number
  /** keys that went; only a push that prunes removes any */
  removed: number
  readonly details: Detail[]
}

/** What became of a key that was not equal already. */
export interface Detail {
  key: string
  result: 'added' | 'updated' | 'skipped' | 'removed'
  /** why a value was left alone */
  reason?: string
}

/** What a policy does with a pushed value where a value is stored already: take it, or leave it for a reason. */
type Policy = (stored: string, pushed: string) => 'take' | { reason: string }

/** Pushed values win; only an empty one, which means "waiting for its translation", never clears a text. */
const overwriting: Policy = (_stored, pushed) =>
  pushed === '' ? { reason: 'an empty value never clears a stored text' } : 'take'

/** Stored texts win; only an empty one may be filled. */
const filling: Policy = (stored, pushed) => {
  if (stored === '') return 'take'
  return { reason: pushed === '' ? 'an empty value never clears a stored text' : 'a text is stored already' }
}

/** PUT namespace into the source language: pushed values replace stored ones. Keys that the fragment lacks stay. */
export const overwrite = (bundle: Bundle, fragment: Fragment): Outcome => merge(bundle, fragment, overwriting)

/** POST, and PUT namespace into any other language: what is absent or empty is filled, a stored text stays. */
export const fill = (bundle: Bundle, fragment: Fragment): Outcome => merge(bundle, fragment, filling)

function merge(bundle: Bundle, fragment: Fragment, policy: Policy): Outcome {
  const outcome: Outcome = { bundle, added: 0, updated: 0, unchanged: 0, skipped: 0, removed: 0, details: [] }
  if (bundle.size === 0) return adopt(outcome, fragment)
  const draft = new Draft(bundle, fragment)
  const entries = keepPlaces(fragment, bundle)
    ? differing(fragment.tree.root, bundle.tree.root, [])
    : arranged(fragment.tree.entries())
  outcome.unchanged = fragment.tree.size - entries.length
  for (const entry of entries) {
    const stored = draft.tree.get(entry.key)
    if (!stored) {
      draft.add(entry)
      note(outcome, entry.key, 'added')
    } else {
      mergeEntry(draft, stored, entry, policy, outcome)
    }
  }
  outcome.bundle = draft.bundle()
  return outcome
}

/** Into an empty bundle the fragment goes as it is. */
function adopt(outcome: Outcome, fragment: Fragment): Outcome {
  const { tree } = fragment
  if (tree.size === 0) return outcome
  return {
    ...outcome,
    bundle: new Bundle(outcome.bundle.format, tree),
    added: tree.size,
    // Mostly nobody asks what became of each of thousands.
    get details() {
      return tree.entries().map(({ key }) => ({ key, result: 'added' as const }))
    },
  }
}

/** Whether each key of a fragment stands in a bundle, if it does, where it stands in the fragment. */
function keepPlaces(fragment: Fragment, bundle: Bundle): boolean {
  return fragment.tree.flat || (fragment.tree.plain && bundle.tree.plain)
}

/** The keys of a node and below that are not the same text in the node at the same place of another tree. */
function differing(node: JsonNode, other: JsonNode | undefined, entries: Entry[]): Entry[] {
  for (const entry of node.keys.values()) {
    const stored = other?.keys.get(entry.base)
    const same = stored !== undefined && stored.text === entry.text && entry.text !== undefined && !entry.hasForms
    if (!same) entries.push(entry)
  }
  for (const below of node.nodes.values()) differing(below, other?.nodes.get(below.name), entries)
  return entries
}

/**
 * Keys in the order to place them. The result must not depend on the order of a body's members, and array items must
 * come one after the other: shorter keys go first where anything stands at a place of its own.
 */
function arranged(entries: Entry[]): Entry[] {
  const named = entries.map(entry => ({ key: entry.key, entry }))
  named.sort((a, b) => a.key.length - b.key.length || (a.key < b.key ? -1 : 1))
  return named.map(({ entry }) => entry)
}

function mergeEntry(draft: Draft, stored: Entry, pushed: Entry, policy: Policy, outcome: Outcome): void {
  let reason: string | undefined
  let changed = false
  for (const [leaf, value] of pushed.leaves()) {
    const present = stored.value(leaf)
    if (present === value) continue
    const verdict = present === undefined ? 'take' : policy(present, value)
    if (verdict === 'take') {
      draft.set(leaf, value)
      changed = true
    } else {
      reason ??= verdict.reason
    }
  }
  if (changed) note(outcome, pushed.key, 'updated')
  else if (reason) note(outcome, pushed.key, 'skipped', reason)
  else outcome.unchanged++
}

function note(outcome: Outcome, key: string, result: 'added' | 'updated' | 'skipped', reason?: string): void {
  outcome[result]++
  outcome.details.push(reason === undefined ? { key, result } : { key, result, reason })
}

/** A bundle being merged into: copied at the first change, so that no change means the same bundle. */
class Draft {
  /** The tree that is changed, from the first change on. */
  #changed: PlaceTree | undefined
  readonly #bundle: Bundle
  readonly #fragment: Fragment
  /** The leaves that came with this body, where it shows places of their own side by side: they stay as it shows them. */
  readonly #arrived: Set<string> | undefined

  constructor(bundle: Bundle, fragment: Fragment) {
    this.#bundle = bundle
    this.#fragment = fragment
    this.#arrived = fragment.nests && !fragment.tree.plain ? new Set() : undefined
  }

  add(pushed: Entry): void {
    const tree = this.#writable()
    const place = this.#fragment.placeOf(pushed)
    const entry = tree.add(pushed.key, place, pushed.hasForms, this.#arrived)
    for (const [leaf, value] of pushed.leaves()) this.#set(entry, leaf, value)
  }

  set(leaf: LeafName, value: string): void {
    this.#set(this.#writable().get(leaf.key)!, leaf, value)
  }

  get tree(): PlaceTree {
    return this.#changed ?? this.#bundle.tree
  }

  bundle(): Bundle {
    return this.#changed ? new Bundle(this.#bundle.format, this.#changed) : this.#bundle
  }

  #set(entry: Entry, leaf: LeafName, value: string): void {
    this.tree.set(entry, leaf, value)
    this.#arrived?.add(join(leaf))
  }

  #writable(): PlaceTree {
    this.#changed ??= this.#bundle.writable()
    return this.#changed
  }
}
