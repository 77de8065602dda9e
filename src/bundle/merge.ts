/** Merges a body into a bundle: the policies of overwriting, of filling, and of pruning before either. */
import type { KeyChange } from './diff.ts'
import type { JsonNode, KeyEntry } from './json-node.ts'
import { refuseGaps, treeWithout } from './leaf-changes.ts'
import { join, type LeafName, type Message, messageOf } from './message.ts'
import type { PlaceTree } from './place.ts'
import { arranged, listsToAdopt, placeBySource } from './place-by-source.ts'
import { Bundle, type Fragment } from './resource.ts'
import type { Arrived } from './search.ts'
import type { SourcePlaces } from './source-places.ts'

/** Maximum changes of a push that returns their messages. */
const MAX_CHANGES = 8

/** A write's result, in keys of the model. `bundle` is the given object when nothing changed. */
export interface MergeOutcome {
  bundle: Bundle
  /** keys that did not exist */
  added: number
  /** keys that existed and had a text or form added, filled or changed */
  updated: number
  /** keys that had all values already */
  unchanged: number
  /** keys with a value left alone by policy, and no other change */
  skipped: number
  /** keys removed, only by pushes that prune */
  removed: number
  readonly details: Detail[]
  /**
   * The added and updated messages; absent when there are more than {@link MAX_CHANGES}, and of a bundle that was
   * empty.
   */
  changes?: KeyChange[] | undefined
}

/** The result for a key that was not equal already. */
export interface Detail {
  key: string
  result: 'added' | 'updated' | 'skipped' | 'removed'
  /** why a value was left alone */
  reason?: string
}

/** Decides between a stored and a pushed value. */
type Policy = (stored: string, pushed: string) => 'take' | { reason: string }

/** Pushed values win, except empty ones: those wait for translation and never clear a text. */
const overwriting: Policy = (_stored, pushed) =>
  pushed === '' ? { reason: 'an empty value never clears a stored text' } : 'take'

/** Stored texts win; only empty ones are filled. */
const filling: Policy = (stored, pushed) => {
  if (stored === '') return 'take'
  return { reason: pushed === '' ? 'an empty value never clears a stored text' : 'a text is stored already' }
}

/** Merges a body into a bundle. @param source has the places of new keys; the source language has none */
export type Push = (bundle: Bundle, fragment: Fragment, source?: SourcePlaces) => MergeOutcome

/** PUT namespace into the source language: pushed values replace stored ones; other keys stay. */
export const overwrite: Push = (bundle, fragment, source) => merge(bundle, fragment, overwriting, source)

/** POST, and PUT namespace into other languages: fills what is absent or empty; stored texts stay. */
export const fill: Push = (bundle, fragment, source) => merge(bundle, fragment, filling, source)

function merge(bundle: Bundle, fragment: Fragment, policy: Policy, given?: SourcePlaces): MergeOutcome {
  const outcome: MergeOutcome = { bundle, added: 0, updated: 0, unchanged: 0, skipped: 0, removed: 0, details: [] }
  // In plain files each place follows from the name.
  const source = fragment.tree.flat || (fragment.tree.plain && given?.isPlain) ? undefined : given
  if (bundle.size === 0 && source === undefined) return adopt(outcome, fragment)
  const draft = new Draft(bundle, fragment, source)
  const moved = draft.adoptLists()
  const entries =
    source === undefined && keepPlaces(fragment, bundle)
      ? differing(fragment.tree.root, bundle.tree.root, [])
      : arranged(fragment.tree.entries())
  outcome.unchanged = fragment.tree.size - entries.length
  // Read before the change: the draft may modify the stored tree itself.
  const stood =
    entries.length > MAX_CHANGES
      ? undefined
      : entries.map(({ key }) => ({ key, before: messageAt(bundle.tree.get(key)) }))
  for (const entry of entries) {
    const stored = draft.tree.get(entry.key)
    if (!stored) {
      draft.add(entry)
      note(outcome, entry.key, 'added')
    } else {
      mergeEntry(draft, stored, entry, { policy, outcome, moved: moved.has(entry.key) })
    }
  }
  outcome.bundle = draft.bundle()
  outcome.changes = stood?.map(({ key, before }) => ({ key, before, after: messageAt(outcome.bundle.tree.get(key)) }))
  return outcome
}

const messageAt = (entry: KeyEntry | undefined): Message | null => (entry ? messageOf(entry) : null)

/** The content of an empty bundle becomes the fragment. */
function adopt(outcome: MergeOutcome, fragment: Fragment): MergeOutcome {
  const { tree } = fragment
  if (tree.size === 0) return outcome
  return {
    ...outcome,
    bundle: new Bundle(outcome.bundle.format, tree),
    added: tree.size,
    // Rarely read, and there may be thousands.
    get details() {
      return tree.entries().map(({ key }) => ({ key, result: 'added' as const }))
    },
  }
}

/** Whether keys in both are at the same place in both. */
function keepPlaces(fragment: Fragment, bundle: Bundle): boolean {
  return fragment.tree.flat || (fragment.tree.plain && bundle.tree.plain)
}

/** The keys here and below with a text that differs from the text at the same place in another tree. */
function differing(node: JsonNode, other: JsonNode | undefined, entries: KeyEntry[]): KeyEntry[] {
  for (const entry of node.keys.values()) {
    const stored = other?.keys.get(entry.base)
    const same = stored !== undefined && stored.text === entry.text && entry.text !== undefined && !entry.hasForms
    if (!same) entries.push(entry)
  }
  for (const below of node.nodes.values()) differing(below, other?.nodes.get(below.name), entries)
  return entries
}

function mergeEntry(
  draft: Draft,
  stored: KeyEntry,
  pushed: KeyEntry,
  { policy, outcome, moved }: { policy: Policy; outcome: MergeOutcome; moved: boolean },
): void {
  let reason: string | undefined
  let changed = moved
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

function note(outcome: MergeOutcome, key: string, result: 'added' | 'updated' | 'skipped', reason?: string): void {
  outcome[result]++
  outcome.details.push(reason === undefined ? { key, result } : { key, result, reason })
}

/**
 * Removes the keys and forms that a fragment lacks, then pushes it. Removal comes first, so that the rest moves to the
 * body's places (`{"a":"x"}` pruned to `{"a":{"b":"y"}}`). A key that loses a form counts as updated.
 * @param push `overwrite` or `fill`
 * @throws Failure `unfit` when an array would lack an item before its last (see `refuseGaps`), or as `push`
 */
export function prune(bundle: Bundle, fragment: Fragment, push: Push, source?: SourcePlaces): MergeOutcome {
  const { leaves, removed, cut } = lacking(bundle, fragment)
  if (leaves.length === 0) return push(bundle, fragment, source)
  // Array items have no forms: one that becomes a plural must move.
  const keepsPlace = (key: string) => cut.has(key) && !bundle.tree.get(key)!.home.list
  const kept = new Bundle(bundle.format, treeWithout(bundle.tree, leaves, keepsPlace), { expendable: true })
  const outcome = push(kept, fragment, source)
  refuseGaps(outcome.bundle.tree)

  const details: Detail[] = [
    ...outcome.details.filter(({ key }) => !cut.has(key)),
    ...Array.from(cut, key => ({ key, result: 'updated' as const })),
    ...removed.map(key => ({ key, result: 'removed' as const })),
  ]
  const count = (result: Detail['result']) => details.filter(detail => detail.result === result).length
  return {
    bundle: outcome.bundle,
    added: count('added'),
    updated: count('updated'),
    skipped: count('skipped'),
    unchanged: fragment.tree.size - (details.length - removed.length),
    removed: removed.length,
    details,
  }
}

/** The stored leaves that a fragment lacks, and the keys that go or are cut with them. */
function lacking(bundle: Bundle, fragment: Fragment) {
  const leaves: LeafName[] = []
  const removed: string[] = []
  const cut = new Set<string>()
  for (const entry of bundle.tree.entries()) {
    const pushed = fragment.tree.get(entry.key)
    const lacked = entry.leaves().filter(([leaf]) => pushed?.value(leaf) === undefined)
    if (lacked.length === 0) continue
    for (const [leaf] of lacked) leaves.push(leaf)
    if (pushed) cut.add(entry.key)
    else removed.push(entry.key)
  }
  return { leaves, removed, cut }
}

/** A merge's target. The first change copies it; without changes it is the given bundle. */
class Draft {
  #changed: PlaceTree | undefined
  readonly #bundle: Bundle
  readonly #fragment: Fragment
  /** The body's leaves, if the body shows places of their own. They stay in these places. */
  readonly #arrived: Arrived | undefined
  readonly #source: SourcePlaces | undefined

  constructor(bundle: Bundle, fragment: Fragment, source: SourcePlaces | undefined) {
    this.#bundle = bundle
    this.#fragment = fragment
    this.#source = source
    this.#arrived = fragment.nests && !fragment.tree.plain ? { leaves: new Set(), nodes: new Set() } : undefined
  }

  /** Objects become the arrays that the body has in their places. @returns the keys that moved */
  adoptLists(): ReadonlySet<string> {
    const moved = new Set<string>()
    for (const place of listsToAdopt(this.#bundle.tree, this.#fragment.tree, this.#source)) {
      const tree = this.#writable()
      const node = tree.root.at(place)!
      for (const { key } of node.collect([])) moved.add(key)
      tree.becomeList(node)
    }
    return moved
  }

  add(pushed: KeyEntry): void {
    const tree = this.#writable()
    const { key, hasForms } = pushed
    const place = placeBySource(tree, key, this.#source, hasForms) ?? this.#fragment.placeOf(pushed)
    const entry = tree.add(key, place, hasForms, this.#arrived)
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

  #set(entry: KeyEntry, leaf: LeafName, value: string): void {
    this.tree.set(entry, leaf, value)
    this.#arrived?.leaves.add(join(leaf))
  }

  #writable(): PlaceTree {
    this.#changed ??= this.#bundle.writable()
    return this.#changed
  }
}
