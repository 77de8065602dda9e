/** Edits of one key by name: writes a text, one form or a whole plural; removes; renames. */
import { isObject } from './body.ts'
import { unfit } from './complaints.ts'
import { Failure } from './errors.ts'
import { type FileChange, fileChangeOf, parseStored, placesOf, type Stored } from './file-change.ts'
import { icuFault } from './icu.ts'
import type { KeyEntry } from './json-node.ts'
import { applyLeafChanges, type LeafChanges, leavesNamed, refuseGaps, treeWithout } from './leaf-changes.ts'
import {
  endsOrdinal,
  FORMS,
  type Form,
  type Forms,
  join,
  type LeafName,
  type Message,
  messageOf,
  peel,
  withoutOrdinal,
} from './message.ts'
import { keyFault, textFault } from './names.ts'
import { Bundle } from './resource.ts'
import type { SourcePlaces } from './source-places.ts'

/** A write's result. `bundle` is the given object when nothing changed. */
export interface Put {
  bundle: Bundle
  /** The given name without a form's suffix. */
  key: string
  /** Its message, and the one before; null where it is new. */
  message: Message
  before: Message | null
  result: 'added' | 'updated' | 'unchanged'
}

/**
 * Overwrites a key's text, one form (`item_one`, `place_ordinal_two`), or by an object all forms of one kind (`item`;
 * `place_ordinal` for ordinal ones). The rest stays.
 * @throws Failure `unfit` for a text where there are only forms, or a form of a kind that the key lacks; for an object
 * that is no plural; for a text that a push refuses too
 */
export function putKey(bundle: Bundle, name: string, value: unknown, source?: SourcePlaces): Put {
  const leaf = peel(name)
  if (typeof value === 'string') {
    checkTexts(name, [value])
    const entry = bundle.tree.get(leaf.key)
    if (entry) checkTarget(entry, leaf)
    return write(bundle, { key: leaf.key, set: [[leaf, value]], drop: [] }, source)
  }
  if (leaf.kind !== 'text') {
    throw unfit('The value of one plural form must be a string; send several forms to the plural’s base key', [name])
  }
  const [key, kind] = endsOrdinal(name) ? [withoutOrdinal(name), 'ordinal' as const] : [name, 'cardinal' as const]
  const forms = readForms(name, value)
  const leafOf = (form: string): LeafName => ({ key, kind, form: form as Form })
  const set = Object.entries(forms).map(([form, text]): [LeafName, string] => [leafOf(form), text])
  const lacking = Object.keys(bundle.tree.get(key)?.[kind] ?? {}).filter(form => !(form in forms))
  return write(bundle, { key, set, drop: lacking.map(leafOf) }, source)
}

function write(bundle: Bundle, change: LeafChanges, source?: SourcePlaces): Put {
  const { key, set, drop } = change
  const stored = bundle.tree.get(key)
  // Writing may change the entry.
  const before = stored ? messageOf(stored) : null
  if (before !== null && drop.length === 0 && set.every(([leaf, text]) => stored!.value(leaf) === text)) {
    return { bundle, key, message: before, before, result: 'unchanged' }
  }
  const tree = bundle.writable()
  applyLeafChanges(tree, [change], { source })
  const message = messageOf(tree.get(key)!)
  const result = before === null ? 'added' : 'updated'
  return { bundle: new Bundle(bundle.format, tree), key, message, before, result }
}

function checkTexts(name: string, texts: readonly string[]): void {
  for (const text of texts) {
    const fault = textFault(text)
    if (fault) throw unfit(`A key that ${fault}`, [name])
    const icu = icuFault(text)
    if (icu) throw unfit(icu, [name])
  }
}

/** Refuses a write that would drop forms or change the kind of the key. */
function checkTarget(entry: KeyEntry, leaf: LeafName): void {
  if (leaf.kind === 'text') {
    if (entry.text === undefined) {
      throw unfit(
        'A text would replace the forms of this plural; write one form, such as …_other, or an object of forms',
        [entry.key],
      )
    }
  } else if (!entry[leaf.kind]) {
    const has = entry.hasForms
      ? leaf.kind === 'ordinal'
        ? 'cardinal forms'
        : 'ordinal forms'
      : 'a text and no plural forms'
    throw unfit(
      `The name is that of ${leaf.kind === 'ordinal' ? 'an' : 'a'} ${leaf.kind} form, but the key has ${has}`,
      [entry.key],
    )
  }
}

/** A whole plural's forms in a request. */
function readForms(name: string, value: unknown): Forms {
  if (!isObject(value)) throw unfit('A value must be a string, or an object of plural forms', [name])
  const members = Object.entries(value)
  if (members.length === 0) throw unfit('A plural must have at least one form', [name])
  const unknown = members.map(([form]) => form).filter(form => !(FORMS as readonly string[]).includes(form))
  if (unknown.length > 0) throw unfit(`The forms of a plural are ${FORMS.join(', ')}; these are not`, unknown)
  const wrong = members.filter(([, text]) => typeof text !== 'string').map(([form]) => form)
  if (wrong.length > 0) throw unfit('A plural form must be a string; these are not', wrong)
  checkTexts(name, Object.values(value) as string[])
  return value
}

/** A removal's result. */
export interface Removal {
  bundle: Bundle
  /** The given name without a form's suffix. */
  key: string
  /** What the key still holds; undefined when gone. */
  message: Message | undefined
}

/**
 * Removes a key with its text and forms, or one form by its name (`item_one`): a suffix always means a form.
 * @returns undefined when there is no such key or form
 * @throws Failure `unfit` for an array item with items behind it (see {@link refuseGaps})
 */
export function removeKey(bundle: Bundle, name: string): Removal | undefined {
  const named = peel(name)
  const leaves = leavesNamed(bundle.tree.get(named.key), named).map(([leaf]) => leaf)
  if (leaves.length === 0) return undefined
  const tree = treeWithout(bundle.tree, leaves)
  refuseGaps(tree)
  const rest = tree.get(named.key)
  return { bundle: new Bundle(bundle.format, tree), key: named.key, message: rest && messageOf(rest) }
}

/** A key with another name in all languages. */
export interface KeyRenaming {
  from: string
  to: string
}

/**
 * The bundle with keys renamed, each where a new key of that name would be. Keys that it lacks meet nothing.
 * @param renames that name no key twice
 * @param source has the new names already
 * @throws Failure `conflict` when there is a key `to`; `unfit` when that is a form's name, when a form would become
 * another key's, or for an array item with items behind it
 */
export function renameKeys(bundle: Bundle, renames: readonly KeyRenaming[], source?: SourcePlaces): Bundle {
  const going: LeafName[] = []
  const coming: LeafChanges[] = []
  for (const { from, to } of renames) {
    if (peel(to).kind !== 'text') throw unfit('This is the name of a plural form and cannot be that of a key', [to])
    const leaves = bundle.tree.get(from)?.leaves()
    if (!leaves) continue
    if (bundle.tree.get(to)) throw new Failure('conflict', `There is a key ${JSON.stringify(to)} already.`)
    going.push(...leaves.map(([leaf]) => leaf))
    coming.push({ key: to, set: leaves.map(([leaf, value]) => [movedTo(leaf, to), value]), drop: [] })
  }
  if (coming.length === 0) return bundle
  const tree = treeWithout(bundle.tree, going)
  refuseGaps(tree)
  applyLeafChanges(tree, coming, { source })
  return new Bundle(bundle.format, tree)
}

/** A leaf under the new name, which must read back so: form `one` of `x_ordinal` would be an ordinal form of `x`. */
function movedTo(leaf: LeafName, to: string): LeafName {
  const moved: LeafName = { ...leaf, key: to }
  const name = join(moved)
  const fault = keyFault(name)
  if (fault) throw unfit(`A key that ${fault}`, [name])
  const read = peel(name)
  if (read.key === to && read.kind === leaf.kind) return moved
  throw unfit(`A form of this key would be one of ${JSON.stringify(read.key)}; choose another name`, [to])
}

/** As {@link putKey}, from bytes to bytes. */
export function computeKey({
  stored,
  name,
  value,
}: {
  stored: Stored
  name: string
  value: unknown
}): Omit<Put, 'bundle'> & { file: FileChange } {
  const { bundle, ...put } = putKey(parseStored(stored), name, value, placesOf(stored.source))
  return { ...put, file: fileChangeOf(bundle, stored, put.result !== 'unchanged') }
}

/** As {@link removeKey}, from bytes to bytes. */
export function computeRemoval({
  stored,
  name,
}: {
  stored: Stored
  name: string
}): { key: string; message: Message | null; file: FileChange } | null {
  const removal = removeKey(parseStored(stored), name)
  if (!removal) return null
  const { bundle, key, message = null } = removal
  return { key, message, file: fileChangeOf(bundle, stored, true) }
}
