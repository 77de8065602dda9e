/** Writes one key by name: a text, one form, or a whole plural. */
import { isObject } from './body.ts'
import { unfit } from './complaints.ts'
import { type FileChange, fileChangeOf, type ParsedCache, type Stored } from './file-change.ts'
import { icuFault } from './icu.ts'
import type { KeyEntry } from './json-node.ts'
import {
  endsOrdinal,
  FORMS,
  type Form,
  type Forms,
  type LeafName,
  type Message,
  messageOf,
  type PluralKind,
  peel,
  withoutOrdinal,
} from './message.ts'
import { textFault } from './names.ts'
import { placeBySource } from './place-by-source.ts'
import { Bundle } from './resource.ts'
import { placesOf } from './source-file.ts'
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
    return write(bundle, leaf.key, [[leaf, value]], { source })
  }
  if (leaf.kind !== 'text') {
    throw unfit('The value of one plural form must be a string; send several forms to the plural’s base key', [name])
  }
  const [key, kind] = endsOrdinal(name) ? [withoutOrdinal(name), 'ordinal' as const] : [name, 'cardinal' as const]
  return writePlural(bundle, { key, kind, forms: readForms(name, value), source })
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

function writePlural(
  bundle: Bundle,
  { key, kind, forms, source }: { key: string; kind: PluralKind; forms: Forms; source: SourcePlaces | undefined },
): Put {
  const stored = bundle.tree.get(key)?.[kind]
  const leaves = Object.entries(forms).map(([form, text]): [LeafName, string] => [
    { key, kind, form: form as Form },
    text,
  ])
  const dropped = Object.keys(stored ?? {}).some(form => !(form in forms))
  return write(bundle, key, leaves, { dropped: dropped ? kind : undefined, source })
}

/** Sets a key's leaves, after dropping the forms of a kind if given. */
function write(
  bundle: Bundle,
  key: string,
  leaves: [LeafName, string][],
  { dropped, source }: { dropped?: PluralKind | undefined; source: SourcePlaces | undefined },
): Put {
  const stored = bundle.tree.get(key)
  // Writing may change the entry.
  const before = stored ? messageOf(stored) : null
  if (stored && !dropped && leaves.every(([leaf, text]) => stored.value(leaf) === text)) {
    return { bundle, key, message: messageOf(stored), before, result: 'unchanged' }
  }
  const tree = bundle.writable()
  const plural = leaves[0]![0].kind !== 'text'
  const entry = tree.get(key) ?? tree.add(key, placeBySource(tree, key, source, plural), plural)
  if (dropped) tree.dropForms(entry, dropped)
  for (const [leaf, text] of leaves) tree.set(entry, leaf, text)
  return {
    bundle: new Bundle(bundle.format, tree),
    key,
    message: messageOf(entry),
    before,
    result: stored ? 'updated' : 'added',
  }
}

/** As {@link putKey}, from bytes to bytes. */
export function computeKey(
  { stored, name, value }: { stored: Stored; name: string; value: unknown },
  cache: ParsedCache,
): Omit<Put, 'bundle'> & { file: FileChange } {
  const { bundle, ...put } = putKey(cache.checkOut(stored), name, value, placesOf(stored.source))
  return { ...put, file: fileChangeOf(bundle, stored, { changed: put.result !== 'unchanged', cache }) }
}
